// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory that there is not enough of.
#include <string>
#include <vector>

#include "loaders.h"

namespace patchbay::opencl_test {
namespace {

void expect_out_of_memory(const Device& device, std::size_t size, const std::string& text) {
  const DeviceMemory before = device.memory();
  try {
    (void)Buffer::allocate(device, size);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory));
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
  EXPECT_EQ(device.memory().live_bytes, before.live_bytes);
}

TEST(OpenclMemory, LargestAllocationIsNamed) {
  const Runtime runtime = runtime_on("");
  PATCHBAY_NEED_OPENCL(runtime);
  expect_out_of_memory(runtime.device("opencl"), std::size_t{1} << 45,
                       "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
}

TEST(OpenclMemory, RefusedByTheDriver) {
  const Runtime runtime = lying_runtime("no-memory");
  PATCHBAY_NEED_OPENCL(runtime);
  expect_out_of_memory(runtime.device("opencl"), std::size_t{1} << 21,
                       "CL_MEM_OBJECT_ALLOCATION_FAILURE");
}

TEST(OpenclMemory, PinnedMemoryComesBack) {
  const Runtime runtime = runtime_on("");
  PATCHBAY_NEED_OPENCL(runtime);
  const Device device = runtime.device("opencl");
  for (int i = 0; i < 20; ++i) {
    const Buffer pinned = Buffer::allocate(device, std::size_t{1} << 20, MemoryKind::kPinned);
    static_cast<char*>(pinned.host_pointer())[i] = 'x';
  }
  EXPECT_EQ(device.memory().live_bytes, 0u);
}

/// It is mapped for the host all the time, and no kernel may use mapped memory.
TEST(OpenclMemory, PinnedMemoryIsNoArgument) {
  const Runtime runtime = runtime_on("");
  PATCHBAY_NEED_OPENCL(runtime);
  const Device device = runtime.device("opencl");
  const Buffer pinned = Buffer::allocate(device, 64, MemoryKind::kPinned);
  const Argument out = Argument::tensor(pinned, DType::f32, {16}, Access::kWrite);
  const Kernel fill = Kernel::prepare(
      device, {"fill.1",
               {ArgumentSpec::tensor(DType::f32, Access::kWrite), ArgumentSpec::scalar(DType::f32)},
               {}});
  try {
    fill.launch(device.default_stream(), std::vector<Argument>{out, Argument::scalar(1.0f)});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kUnsupported)) << error.what();
  }
}

}  // namespace
}  // namespace patchbay::opencl_test
