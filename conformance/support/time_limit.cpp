// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/support/time_limit.h"

#include <future>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <patchbay/plugin_calls.h>

namespace patchbay::conformance {

bool ends_within(std::chrono::milliseconds limit, std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  const std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  if (done.wait_for(limit) == std::future_status::ready) {
    thread.join();
    return true;
  }
  thread.detach();
  return false;
}

std::string describe_hang(std::chrono::milliseconds limit) {
  std::set<std::string_view> entries;
  for (const PluginCall& call : running_plugin_calls()) entries.insert(call.entry);
  const auto seconds = std::chrono::duration<double>(limit).count();
  if (entries.empty()) {
    return fmt::format("did not end within {} s, and no entry of the plugin is running", seconds);
  }
  return fmt::format("did not end within {} s: the plugin is still in {}", seconds,
                     fmt::join(entries, ", "));
}

}  // namespace patchbay::conformance
