// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Many streams that use one block of memory: each waits for few others, and still for all work.
#include "support/device_test.h"

namespace patchbay::test {
namespace {
constexpr int kStreams = 100;

/// A wait takes an event. Each stream may have a few of them: with one for each earlier stream, the
/// limit is passed after a few streams.
class SharedBlock : public testing::Test {
 protected:
  const Runtime runtime_{options({{"fake_delay_ms", "4"},
                                  {"validate", "0"},  // validation makes events of its own
                                  {"fake_fail_create_event", std::to_string(6 * kStreams) + "-"}})};
  const Device fake_ = runtime_.device("fake:0");
  std::vector<Stream> streams_ = [this] {
    std::vector<Stream> made;
    for (int i = 0; i < kStreams; ++i) made.emplace_back(fake_);
    return made;
  }();
};

TEST_F(SharedBlock, WritersWaitForTheLastOne) {
  Tensor value = ones({4}, fake_);
  for (const Stream& stream : streams_) {
    const StreamScope scope(stream);
    value += 1;
  }
  EXPECT_EQ(value.to_vector<float>(), Floats(4, kStreams + 1));
}

TEST_F(SharedBlock, ReadersWaitForTheLastWriter) {
  Tensor value = ones({4}, fake_);
  std::vector<Tensor> read;
  for (const Stream& stream : streams_) {
    const StreamScope scope(stream);
    read.push_back(value + 0);
    value += 1;
  }
  for (int i = 0; i < kStreams; ++i) {
    EXPECT_EQ(read[static_cast<std::size_t>(i)].to_vector<float>(),
              Floats(4, static_cast<float>(i + 1)));
  }
  EXPECT_EQ(value.to_vector<float>(), Floats(4, kStreams + 1));
}

TEST_F(SharedBlock, AWriterWaitsForAllReadersOnce) {
  const Tensor value = ones({4}, fake_);
  std::vector<Tensor> read;
  for (std::size_t i = 0; i < kStreams / 2; ++i) {
    const StreamScope scope(streams_[i]);
    read.push_back(value + 0);
  }
  for (std::size_t i = kStreams / 2; i < kStreams; ++i) {
    const StreamScope scope(streams_[i]);
    value.fill_(static_cast<float>(i));
  }
  for (const Tensor& each : read) EXPECT_EQ(each.to_vector<float>(), Floats(4, 1));
  EXPECT_EQ(value.to_vector<float>(), Floats(4, kStreams - 1));
}

TEST_F(SharedBlock, LaterOwnersWaitForTheLastOne) {
  const Tensor sum = zeros({1000}, fake_);
  for (const Stream& stream : streams_) {
    const StreamScope scope(stream);
    sum.copy_from(sum + full({1000}, 1, fake_), true);  // the temporaries' memory changes hands
  }
  EXPECT_EQ(sum.to_vector<float>(), Floats(1000, kStreams));
}

/// Work of a failed stream ends at once, and no longer stands for what it was to wait for.
TEST(SharedBlockFailure, WhatAFailedStreamWaitedForIsWaitedFor) {
  const Device fake =
      Runtime(options({{"fake_delay_ms", "50"}, {"fake_fail_async_launch", "4"}})).device("fake:0");
  const Tensor value = empty({4}, fake), other = empty({4}, fake), failing = empty({4}, fake);
  const Stream slow(fake), failed(fake), last(fake);
  {
    const StreamScope scope(slow);
    other.fill_(1);
    other.fill_(2);
    value.fill_(3);
  }
  {
    const StreamScope scope(failed);
    failing.fill_(4);
    try {
      value.fill_(5);
    } catch (const Error& error) {  // the failure may be known already
      EXPECT_EQ(error.code(), kLaunchFailed);
    }
  }
  failed.reset();
  on_stream(last, [&] { value.fill_(6); });
  slow.synchronize();
  EXPECT_EQ(value.to_vector<float>(), Floats(4, 6));
}

}  // namespace
}  // namespace patchbay::test
