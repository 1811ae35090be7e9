// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/process_end.h"

#include <cxxabi.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/base/fork.h"
#include "core/output/delivery.h"
#include "core/runtime/plugin/plugin_state.h"

namespace patchbay::runtime {
namespace {

struct Known {
  const PluginState* plugin;  // drivers of several plugins or runtimes may have one address
  patchbay_driver* driver;
  const patchbay_exit_table* table;
};
struct AllKnown {
  std::mutex mutex;
  std::vector<Known> plugins;
  std::uint64_t deadline_ns = 0;  // for all calls of `stop`; 0 before the first
};
/// A child of fork has nothing to stop: running calls are its parent's.
constinit base::OfProcess<AllKnown> all_known;

/// Runs before the destructors of libraries, which the dynamic linker calls last. Does nothing for
/// a plugin that is being closed, whose registrations are only dropped.
void stop_all(void* registered_by) {
  AllKnown* const known = all_known.find();
  if (known == nullptr) return;
  const output::NoDelivery no_delivery;
  const std::scoped_lock lock(known->mutex);
  const auto is_it = [=](const Known& each) { return each.plugin == registered_by; };
  if (std::none_of(known->plugins.begin(), known->plugins.end(), is_it)) return;
  constexpr std::chrono::nanoseconds kLimit = kPatience;
  if (known->deadline_ns == 0) known->deadline_ns = base::deadline_after(kLimit.count());
  for (const Known& each : known->plugins) each.table->stop(each.driver, known->deadline_ns);
}

/// The plugin stands for a library in the C library's list of registrations, so that a program that
/// loads and unloads plugins for ever does not make that list grow.
void* registrar(const PluginState& plugin) { return const_cast<PluginState*>(&plugin); }

}  // namespace

void stop_at_process_end(const PluginState& plugin, const patchbay_exit_table& table) {
  // Each registration runs: a driver may stop twice.
  static_cast<void>(abi::__cxa_atexit(stop_all, registrar(plugin), registrar(plugin)));
  AllKnown& known = all_known.get();
  const std::scoped_lock lock(known.mutex);
  const auto is_it = [&plugin](const Known& each) { return each.plugin == &plugin; };
  if (std::none_of(known.plugins.begin(), known.plugins.end(), is_it)) {
    known.plugins.push_back({&plugin, plugin.driver, &table});
  }
}

void forget_at_process_end(const PluginState& plugin) noexcept {
  AllKnown* const known = all_known.find();
  if (known == nullptr) return;
  {
    const std::scoped_lock lock(known->mutex);
    std::erase_if(known->plugins, [&plugin](const Known& each) { return each.plugin == &plugin; });
  }
  abi::__cxa_finalize(registrar(plugin));
}

}  // namespace patchbay::runtime
