// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/process_end.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/base/fork.h"

namespace patchbay::runtime {
namespace {

struct Known {
  patchbay_driver* driver;
  const patchbay_exit_table* table;
};
struct AllKnown {
  std::mutex mutex;
  std::vector<Known> drivers;
  std::uint64_t deadline_ns = 0;  // for all calls of `stop`; 0 before the first
};
/// A child of fork has nothing to stop: running calls are its parent's.
constinit OfProcess<AllKnown> all_known;

/// Runs before the destructors of libraries, which the dynamic linker calls last.
void stop_all() {
  AllKnown* const known = all_known.find();
  if (known == nullptr) return;
  const std::scoped_lock lock(known->mutex);
  constexpr std::chrono::nanoseconds kLimit = kPatience;
  if (known->deadline_ns == 0) known->deadline_ns = deadline_after(kLimit.count());
  for (const Known& each : known->drivers) each.table->stop(each.driver, known->deadline_ns);
}

}  // namespace

void stop_at_process_end(patchbay_driver* driver, const patchbay_exit_table& table) {
  static_cast<void>(std::atexit(stop_all));  // each registration runs: a driver may stop twice
  AllKnown& known = all_known.get();
  const std::scoped_lock lock(known.mutex);
  const auto is_driver = [driver](const Known& each) { return each.driver == driver; };
  if (std::none_of(known.drivers.begin(), known.drivers.end(), is_driver)) {
    known.drivers.push_back({driver, &table});
  }
}

void forget_at_process_end(patchbay_driver* driver) noexcept {
  AllKnown* const known = all_known.find();
  if (known == nullptr) return;
  const std::scoped_lock lock(known->mutex);
  std::erase_if(known->drivers, [driver](const Known& each) { return each.driver == driver; });
}

}  // namespace patchbay::runtime
