// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory that kernels and the host both use.
#include <algorithm>
#include <vector>

#include <patchbay/interop.h>
#include <patchbay/ops.h>

#include "support/runtime_fixture.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class Unified : public testing::TestWithParam<const char*> {
 protected:
  static Buffer holding(const Device& device, const Floats& values) {
    const Buffer buffer =
        Buffer::allocate(device, values.size() * sizeof(float), MemoryKind::kUnified);
    std::copy(values.begin(), values.end(), static_cast<float*>(buffer.host_pointer()));
    return buffer;
  }
  static Floats seen_in(const Buffer& buffer) {
    const auto* const values = static_cast<const float*>(buffer.host_pointer());
    return {values, values + buffer.size_bytes() / sizeof(float)};
  }

  const Runtime runtime_{options({{"fake_late_us", "300"}})};
  const Device device_ = runtime_.device(GetParam());
};

TEST_P(Unified, KernelsAndTheHostSeeOneAnother) {
  EXPECT_TRUE(device_.properties().unified_buffers);
  const Buffer buffer = holding(device_, {1, 2, 3});
  EXPECT_TRUE(buffer.is_host_addressable());
  EXPECT_EQ(to_string(buffer.kind()), "unified");
  Tensor tensor = from_buffer(buffer, DType::f32, {3});
  tensor += 1;
  EXPECT_EQ(seen_in(buffer), (Floats{2, 3, 4})) << "it waits for the kernel";
  static_cast<float*>(buffer.host_pointer())[1] = 10;
  EXPECT_EQ((tensor * 2).to_vector<float>(), (Floats{4, 20, 8}));
}

TEST_P(Unified, CopiesGoByTheCheapestRoute) {
  const Buffer buffer = holding(device_, {1, 2, 3});
  const Tensor source = from_buffer(buffer, DType::f32, {3}), plain = zeros({3}, device_);
  runtime_.ledger().reset();
  plain.copy_from(source, /*non_blocking=*/true);
  ASSERT_EQ(runtime_.ledger().entries().size(), 1u);
  EXPECT_EQ(to_string(runtime_.ledger().entries()[0].route), "same device");
  EXPECT_EQ(plain.to_vector<float>(), (Floats{1, 2, 3}));
  const Buffer back = Buffer::allocate(device_, 12, MemoryKind::kUnified);
  copy({back, 0, 12}, {buffer, 0, 12});
  EXPECT_EQ(seen_in(back), (Floats{1, 2, 3}));
  EXPECT_EQ(source.to(runtime_.device("fake:1")).to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_EQ(source.to(runtime_.device("cpu:1")).to_vector<float>(), (Floats{1, 2, 3}));
}

TEST_P(Unified, IsCountedApart) {
  const std::uint64_t before = device_.memory().live_bytes;
  const Buffer buffer = Buffer::allocate(device_, 1000, MemoryKind::kUnified);
  EXPECT_EQ(device_.memory(MemoryKind::kUnified).live_bytes, 1000u);
  EXPECT_EQ(device_.memory().live_bytes, before);
  EXPECT_ERROR(Runtime(runtime_).unload(device_.backend() == "cpu" ? "cpu-openblas" : "fake"),
               ErrorCode::kInUse, "1 buffer (1000 bytes)");
}

INSTANTIATE_TEST_SUITE_P(OnDevices, Unified, testing::Values("cpu:0", "fake:0"),
                         [](const auto& each) { return std::string(each.param).substr(0, 3); });

}  // namespace
}  // namespace patchbay::test
