// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "sim/ranges.h"

#include <mutex>
#include <string>
#include <utility>

namespace patchbay::sim {
namespace {

std::mutex mutex;
std::string events, taken;
thread_local int depth = 0;

void add(const std::string& event) {
  const std::lock_guard lock(mutex);
  events += event;
}

}  // namespace

int push_range(const char* name) {
  add(std::string("<") + name);
  return depth++;
}

int pop_range() {
  if (depth == 0) {
    add("!");
    return -1;
  }
  add(">");
  return --depth;
}

}  // namespace patchbay::sim

const char* patchbay_sim_take_ranges() {
  using namespace patchbay::sim;
  const std::lock_guard lock(mutex);
  taken = std::exchange(events, {});
  return taken.c_str();
}
