// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies between devices of all plugins in all pairs, blocking and not, whole and strided: the
// values, the route, and one entry of the ledger for each. Events of one plugin on another's
// stream.
#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Pair = std::tuple<const char*, const char*>;

constexpr const char* kDevices[] = {"cpu:0", "fake:0", "opencl:0", "opencl:1", "cuda:0", "hip:0"};

Bytes counting(std::size_t size, unsigned step) {
  Bytes values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint8_t>(i * step + i / 251);
  return values;
}

class AcrossTest : public testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    for (const char* name : {std::get<0>(GetParam()), std::get<1>(GetParam())}) {
      if (const std::string why = absence_of(name); !why.empty()) GTEST_SKIP() << why;
    }
    from_ = test_device(std::get<0>(GetParam()));
    to_ = test_device(std::get<1>(GetParam()));
  }

  /// Runs `copy`, which must be one entry of the ledger from one device to the other, by the route
  /// that was planned.
  template <class Copy>
  void expect_one_copy(std::size_t size_bytes, Copy&& copy, bool non_blocking = false) const {
    const Route route = plan_copy(from_, to_, size_bytes, non_blocking).route;
    test_runtime().ledger().reset();
    copy();
    const auto entries = test_runtime().ledger().entries();
    ASSERT_EQ(entries.size(), 1u) << test_runtime().ledger().to_text();
    EXPECT_EQ(entries[0].from, from_.name());
    EXPECT_EQ(entries[0].to, to_.name());
    EXPECT_EQ(to_string(entries[0].route), to_string(route));
    EXPECT_EQ(entries[0].copies, 1u);
    EXPECT_EQ(entries[0].bytes, size_bytes);
  }

  Device from_ = test_device("cpu:0"), to_ = from_;
};

// One byte, an odd number of pages, and more than the chunks that staged copies are made of.
constexpr std::size_t kSizes[] = {1, 12289, (std::size_t{9} << 20) + 5};

TEST_P(AcrossTest, TheRouteFollowsFromTheMemories) {
  const CopyPlan plan = plan_copy(from_, to_, 1000);
  const bool reads = from_.properties().host_addressable,
             writes = to_.properties().host_addressable;
  if (from_ == to_) {
    EXPECT_EQ(plan.route, Route::kSameDevice);
  } else if (reads && writes) {
    EXPECT_EQ(plan.route, Route::kHostToHost);
  } else if (reads || writes) {
    EXPECT_EQ(plan.route, reads ? Route::kHostToDevice : Route::kDeviceToHost);
  } else {
    EXPECT_TRUE(plan.route == Route::kPeer || plan.route == Route::kStaged)
        << to_string(plan.route);
  }
  const bool same_plugin = from_.name().substr(0, 3) == to_.name().substr(0, 3);
  EXPECT_TRUE(same_plugin || plan.route != Route::kPeer);
  EXPECT_EQ(plan.legs.size(), plan.route == Route::kStaged ? 2u : 1u);
}

TEST_P(AcrossTest, WholeTensorsBlocking) {
  for (const std::size_t size : kSizes) {
    const Bytes values = counting(size, 7);
    const Tensor source = from_host(values, {static_cast<std::int64_t>(size)}, from_);
    Tensor copy;
    expect_one_copy(size, [&] { copy = source.to(to_, {.copy = true}); });
    EXPECT_EQ(copy.device(), to_);
    EXPECT_EQ(copy.to_vector<std::uint8_t>(), values) << size;
  }
}

TEST_P(AcrossTest, WholeTensorsQueued) {
  for (const std::size_t size : kSizes) {
    const Bytes values = counting(size, 3);
    const Tensor source = from_host(values, {static_cast<std::int64_t>(size)}, from_);
    Tensor copy;
    expect_one_copy(
        size, [&] { copy = source.to(to_, {.copy = true, .non_blocking = true}); },
        /*non_blocking=*/true);
    source.fill_(255);  // comes after the copy has read
    EXPECT_EQ(copy.to_vector<std::uint8_t>(), values) << size;
    copy.copy_from(source, /*non_blocking=*/true);  // comes after the values were read
    EXPECT_EQ(copy.to_vector<std::uint8_t>(), Bytes(size, 255)) << size;
  }
}

TEST_P(AcrossTest, EveryLayoutIntoEveryLayout) {
  const auto values = small_values<std::int32_t>(6 * 7 * 8, 5);
  for (const bool queued : {false, true}) {
    for (const Layout from : kLayouts) {
      for (const Layout to : kLayouts) {
        const Tensor source = laid_out(from, values, {6, 7, 8}, from_);
        const Tensor target = empty_in(to, {6, 7, 8}, DType::i32, to_);
        test_runtime().ledger().reset();
        target.copy_from(source, queued);
        if (from_ != to_) {
          const LedgerEntry moved = test_runtime().ledger().total(from_.name(), to_.name());
          EXPECT_EQ(moved.copies, 1u) << test_runtime().ledger().to_text();
          EXPECT_EQ(moved.bytes, values.size() * 4);
        }
        EXPECT_EQ(target.to_vector<std::int32_t>(), values) << from << " to " << to << queued;
      }
    }
  }
}

TEST_P(AcrossTest, APartLeavesTheRestAlone) {
  const Tensor target = zeros({5, 6}, {DType::i32, to_});
  const Tensor source = full({6, 3}, 4, {DType::i32, from_}).t();
  target.slice(0, 1, 4).slice(1, 0, 6).copy_from(source);
  std::vector<std::int32_t> expected(30, 0);
  std::fill(expected.begin() + 6, expected.begin() + 24, 4);
  EXPECT_EQ(target.to_vector<std::int32_t>(), expected);
}

TEST_P(AcrossTest, ThereAndBackWithoutWaiting) {
  const std::int64_t size = 300000;
  Tensor here = full({size}, 1, {DType::i32, from_});
  for (int round = 0; round < 5; ++round) {
    const Tensor there = here.to(to_, {.copy = true, .non_blocking = true}) + 1;
    here.copy_from(there, /*non_blocking=*/true);
    add_out(here, here, here);
  }
  // x -> 2 (x + 1), five times from 1
  EXPECT_EQ(here.to_vector<std::int32_t>(),
            std::vector<std::int32_t>(static_cast<std::size_t>(size), 94));
}

TEST_P(AcrossTest, AStreamWaitsForAnEventOfTheOther) {
  const Stream producer(from_), consumer(to_);
  const auto in = ArgumentSpec::tensor(DType::i32, Access::kRead);
  const Kernel add = Kernel::prepare(
      from_, {"add.1", {ArgumentSpec::tensor(DType::i32, Access::kWrite), in, in}, {}, SIZE_MAX});
  const std::int64_t count = 1 << 20;
  const Tensor sum = ones({count}, {DType::i32, from_}), one = ones({count}, {DType::i32, from_});
  from_.synchronize();
  const auto argument = [&](const Tensor& tensor, Access access) {
    return Argument::tensor(tensor.buffer(), DType::i32, {count}, access);
  };
  for (int i = 0; i < 30; ++i) {
    add.launch(producer, std::vector{argument(sum, Access::kWrite), argument(sum, Access::kRead),
                                     argument(one, Access::kRead)});
  }
  const Event produced = producer.record();
  consumer.wait(produced);
  consumer.record().wait();
  EXPECT_TRUE(produced.is_done());
  EXPECT_EQ(sum.slice(0, count - 1).to_vector<std::int32_t>(), (std::vector<std::int32_t>{31}));
}

std::string pair_name(const testing::TestParamInfo<Pair>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_to_" + std::get<1>(info.param);
  name.erase(std::remove(name.begin(), name.end(), ':'), name.end());
  const auto has = [&](const char* backend) { return name.find(backend) != std::string::npos; };
  return has("cuda") || has("hip") ? "sim_" + name : name;
}

INSTANTIATE_TEST_SUITE_P(, AcrossTest,
                         testing::Combine(testing::ValuesIn(kDevices), testing::ValuesIn(kDevices)),
                         pair_name);

// A producer that takes its time: the wait is what makes the order.
TEST(AcrossEvents, AreWaitedForWhenTheProducerIsSlow) {
  RuntimeOptions slow = device_options();
  slow.settings["fake_delay_ms"] = "20";
  const Runtime runtime(slow);
  const Device fake = runtime.device("fake:0");
  for (const Device& device : runtime.devices()) {
    if (device == fake) continue;
    const Stream producer(fake), consumer(device);
    const Kernel fill = Kernel::prepare(
        fake, {"fill.1",
               {ArgumentSpec::tensor(DType::i32, Access::kWrite), ArgumentSpec::scalar(DType::i32)},
               {},
               SIZE_MAX});
    const Buffer buffer = Buffer::allocate(fake, 64);
    for (int i = 0; i < 3; ++i) {
      fill.launch(producer, std::vector{Argument::tensor(buffer, DType::i32, {16}, Access::kWrite),
                                        Argument::scalar<std::int32_t>(i)});
    }
    const Event produced = producer.record();
    consumer.wait(produced);
    consumer.record().wait();
    EXPECT_TRUE(produced.is_done()) << device.name();
  }
}

}  // namespace
}  // namespace patchbay::test
