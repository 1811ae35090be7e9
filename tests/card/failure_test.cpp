// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A launch that fails takes its card along: who waits learns of it and of the launches it may come
// from, all later calls say the same, and the other card goes on.
#include <optional>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

const std::string kText = kernel_text("first", "INOUT", "y[0] = y[0] + 1.0f") +
                          kernel_text("second", "INOUT", "y[0] = 2.0f * y[0]");

/// A number on a card, and kernels that change it.
struct Card {
  explicit Card(const Device& where)
      : device(where),
        module(KernelModule::from_source(where, kText)),
        first(module.kernel("first")),
        second(module.kernel("second")),
        number(from_host(std::vector<float>{3.0f}, {1}, where)) {}
  void launch(const ModuleKernel& kernel) const {
    kernel.launch({.groups = {1}, .group_size = {1}}, {number});
  }
  float value() const { return number.to_vector<float>()[0]; }

  Device device;
  KernelModule module;
  ModuleKernel first, second;  // one that goes would wait for its launches
  Tensor number;
};

class SimFailure : public SimTest {
 protected:
  /// Loses the first card in a runtime that is gone afterwards.
  static void break_card() {
    set("FAIL_LAUNCH", "1");
    {
      const Card card(new_card());
      card.launch(card.first);
      loss([&] { card.device.synchronize(); });
    }
    set("FAIL_LAUNCH", "0");
  }
};

TEST_F(SimFailure, FailedLaunchIsAmongTheNamed) {
  set("FAIL_LAUNCH", "2");
  const Card card(new_card({{"memory_cache", "off"}})),
      other(card.device.runtime().device(kNames.device(1)));
  card.launch(card.first);
  card.launch(card.second);
  const std::string cause = "device 0 is lost: " + std::string(kSymbols.stream_synchronize) + ": " +
                            error_name(card::kErrorLaunchFailed) +
                            " (unspecified launch failure), from one of 'first', 'second' (" +
                            kNames.device(0) + ", driver code 719)";
  EXPECT_HAS(loss([&] { card.device.synchronize(); }), cause);
  // All that comes later says what came first.
  EXPECT_HAS(loss([&] { (void)card.value(); }), cause);
  EXPECT_HAS(loss([&] { card.launch(card.first); }), cause);
  EXPECT_HAS(loss([&] { (void)Buffer::allocate(card.device, 64); }), cause);
  EXPECT_HAS(loss([&] { (void)Stream(card.device); }), cause);
  EXPECT_HAS(loss([&] { (void)KernelModule::from_source(card.device, kText); }), cause);
  // The other card neither knows nor cares.
  other.launch(other.first);
  other.launch(other.second);
  EXPECT_EQ(other.value(), 8.0f);
}

TEST_F(SimFailure, WhatIsDoneIsNotSuspected) {
  set("FAIL_LAUNCH", "2");
  const Card card(new_card());
  card.launch(card.first);
  EXPECT_EQ(card.value(), 4.0f);
  card.device.synchronize();
  card.launch(card.second);
  EXPECT_HAS(loss([&] { card.device.synchronize(); }),
             "(unspecified launch failure), from 'second'");
}

TEST_F(SimFailure, EventsTellOfIt) {
  set("FAIL_LAUNCH", "1");
  const Card card(new_card());
  card.launch(card.first);
  const Event event = card.device.default_stream().record();
  EXPECT_HAS(loss([&] { event.wait(); }),
             std::string("device 0 is lost: ") + kSymbols.event_synchronize);
  EXPECT_HAS(loss([&] { (void)event.is_done(); }), "from 'first'");
}

TEST_F(SimFailure, WaitingForALostCardIsAnErrorOfTheWaiter) {
  set("FAIL_LAUNCH", "1");
  const Card card(new_card()), other(card.device.runtime().device(kNames.device(1)));
  const Stream waiter(other.device);
  card.launch(card.first);
  const Event event = card.device.default_stream().record();
  loss([&] { card.device.synchronize(); });
  EXPECT_ERROR(waiter.wait(event), ErrorCode::kLaunchFailed,
               "waiting for an event: device 0 is lost");
  waiter.synchronize();
  other.launch(other.first);
  EXPECT_EQ(other.value(), 4.0f);
}

TEST_F(SimFailure, LostCard) {
  set("LOSE_DEVICE", "3");
  const Runtime runtime(options());
  std::optional<Card> card(runtime.device(kNames.device(0)));  // one submission
  card->launch(card->first);
  const std::string cause = loss([&] { card->launch(card->second); });
  EXPECT_HAS(cause, "device 0 is lost: " + std::string(kSymbols.launch) + ": " +
                        error_name(card::kErrorEccUncorrectable) +
                        " (uncorrectable ECC error encountered)");
  EXPECT_HAS(loss([&] { card->device.synchronize(); }), error_name(card::kErrorEccUncorrectable));
  const Card other(runtime.device(kNames.device(1)));
  other.launch(other.second);
  EXPECT_EQ(other.value(), 6.0f);
}

#ifndef PATCHBAY_SIM_HIP
/// What an H200 does.
TEST_F(SimFailure, NewRuntimeOfAProcessWhoseCardIsBroken) {
  set("STAYS_BROKEN", "1");
  break_card();
  const Runtime runtime(options());
  const Error error = test::error_of([&] { (void)zeros({2}, runtime.device(kNames.device(0))); });
  EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kDeviceLost)) << error.what();
  EXPECT_NE(error.native_code(), 0);
  EXPECT_HAS(error.what(),
             "cuDevicePrimaryCtxRetain: " + error_name(static_cast<int>(error.native_code())));
  EXPECT_HAS(error.what(),
             "An earlier fault of this process has broken the device: start the process anew");
  const Device other = runtime.device(kNames.device(1));
  EXPECT_EQ(full({2}, 3, other).to_vector<float>(), (std::vector<float>{3, 3}));
}
#endif

/// Another driver may give a sound context when all have let go of the broken one.
TEST_F(SimFailure, NewRuntimeStartsAfresh) {
  break_card();
  const Card card(new_card());
  card.launch(card.first);
  EXPECT_EQ(card.value(), 4.0f);
}

/// Accesses outside of an allocation, as the guard pages of the simulated driver find them.
TEST_F(SimFailure, AccessesOutsideOfAllMemory) {
  for (const std::string access :
       {"y[1024] = 1.0f", "y[0] = y[1024]", "y[-2048] = 1.0f", "y[0] = y[-2048]"}) {
    SCOPED_TRACE(access);
    const Card card(new_card({{"memory_cache", "off"}}));
    const ModuleKernel outside =
        KernelModule::from_source(card.device, kernel_text("outside", "INOUT", access))
            .kernel("outside");
    card.launch(card.first);
    EXPECT_EQ(card.value(), 4.0f);
    card.device.synchronize();
    card.launch(outside);
    const std::string cause = loss([&] { card.device.synchronize(); });
    EXPECT_HAS(cause, error_name(card::kErrorIllegalAddress));
    EXPECT_HAS(cause, "from 'outside'");
  }
}

}  // namespace
}  // namespace patchbay::sim_test
