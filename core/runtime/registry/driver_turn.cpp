// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/driver_turn.h"

#include <utility>

#include "core/base/fork.h"

namespace patchbay::runtime {
namespace {

constinit OfProcess<std::mutex> turn_mutex;
/// Whether this thread waits for no turn.
constinit thread_local bool goes_on = false;

}  // namespace

DriverTurn::DriverTurn()
    : lock_(goes_on ? std::unique_lock<std::mutex>()
                    : std::unique_lock<std::mutex>(turn_mutex.get())),
      outer_(std::exchange(goes_on, true)) {}

DriverTurn::~DriverTurn() { goes_on = outer_; }

DriverTurn::Exempt::Exempt() noexcept : outer_(std::exchange(goes_on, true)) {}

DriverTurn::Exempt::~Exempt() { goes_on = outer_; }

}  // namespace patchbay::runtime
