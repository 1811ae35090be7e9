// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/driver_turn.h"

#include <atomic>
#include <thread>

#include "core/base/fork.h"

namespace patchbay::runtime {
namespace {

struct Turn {
  NoDeliveryMutex mutex;
  std::atomic<std::thread::id> thread{};  // whose turn it is
};
constinit OfProcess<Turn> turn;

}  // namespace

DriverTurn::DriverTurn() : lock_(turn.get().mutex) {
  turn.get().thread = std::this_thread::get_id();
}

DriverTurn::~DriverTurn() {
  if (Turn* const made = turn.find()) made->thread = std::thread::id();
}

bool DriverTurn::is_here() noexcept {
  Turn* const made = turn.find();
  return made != nullptr && made->thread.load() == std::this_thread::get_id();
}

}  // namespace patchbay::runtime
