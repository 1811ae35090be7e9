// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory and streams of an application that uses the driver itself. The driver's pointers tell of
// an object that is no context of ours, which must not be compared with one.
#include <string>
#include <utility>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimHipInterop : public SimTest {};

TEST_F(SimHipInterop, MemoryAndStreamsOfTheApplication) {
  const Runtime runtime(options());
  const Device device = runtime.device("hip:1");
  const Tensor owner = full({4}, 2, device);
  const Stream made(device);
  device.synchronize();
  const std::uint64_t address = native_handle(owner).value;
  const Buffer lent = wrap_buffer(device, address, 4 * sizeof(float));
  EXPECT_EQ(from_buffer(lent, DType::f32, {4}).to_vector<float>(), std::vector<float>(4, 2));
  EXPECT_ERROR((void)wrap_buffer(runtime.device("hip:0"), address, 4), ErrorCode::kInvalidArgument,
               "the address is on another device");
  const float here = 0;  // the host's
  EXPECT_ERROR((void)wrap_buffer(device, reinterpret_cast<std::uintptr_t>(&here), 4),
               ErrorCode::kInvalidArgument, "the driver knows of no memory at that address");
  EXPECT_NO_THROW((void)wrap_stream(device, native_handle(made).value));
  EXPECT_ERROR((void)wrap_stream(runtime.device("hip:0"), native_handle(made).value),
               ErrorCode::kInvalidArgument, "the stream is on another device");
}

TEST_F(SimHipInterop, DefaultStreamOfTheApplication) {
  const Runtime runtime(options());
  // Each device has its own, which two handles name.
  for (const auto& [index, handle] : {std::pair{0, 0u}, {1, 0u}, {0, 1u}}) {
    const Device device = runtime.device(kNames.device(index));
    const Tensor tensor = full({4}, 2, device);
    const Stream lent = wrap_stream(device, handle);
    lent.wait(device.default_stream().record());
    {
      const StreamScope scope(lent);
      mul_out(tensor, tensor, 10);
    }
    lent.synchronize();
    EXPECT_EQ(tensor.to_vector<float>(), std::vector<float>(4, 20));
  }
}

TEST_F(SimHipInterop, NoContexts) {
  const Runtime runtime(options());
  EXPECT_ERROR(adopt_context(runtime.device("hip:0"), 1), ErrorCode::kUnsupported,
               "[adopt_context]");
  EXPECT_EQ(native_handle(runtime.device("hip:1")).value, 1u);
}

}  // namespace
}  // namespace patchbay::sim_test
