// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An application that uses OpenCL itself: its context, queues and buffers in the runtime, and the
// runtime's in its hands.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "loaders.h"
#include "support/runtime_fixture.h"

namespace patchbay::opencl_test {
namespace {

/// An entry of the ICD loader that the plugin opens as well.
template <class Function>
Function* entry(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}
#define CL(name) entry<decltype(::name)>(#name)

std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uintptr_t>(handle); }

/// An application with a context of its own on the device that the runtime calls opencl:0.
class OpenclInterop : public testing::Test {
 protected:
  void SetUp() override {
    PATCHBAY_NEED_OPENCL(runtime_);
    id_ = native_id("opencl:0");
    context_ = make_context(id_);
    queue_ = make_queue(context_, id_, 0);
    references_ = references();
  }
  void TearDown() override {
    if (context_ == nullptr) return;
    runtime_ = Runtime(no_plugins());
    for (const cl_mem buffer : buffers_) CL(clReleaseMemObject)(buffer);
    // The runtime has let go of it; a thread of the driver's may do so a moment later.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (references() != references_ && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_EQ(references(), references_);
    CL(clReleaseCommandQueue)(queue_);
    CL(clReleaseContext)(context_);
  }

  cl_uint references() const {
    cl_uint count = 0;
    CL(clGetContextInfo)(context_, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
    return count;
  }
  static RuntimeOptions no_plugins() {
    RuntimeOptions options;
    options.read_environment = options.search_default_directories = false;
    return options;
  }
  /// Asked of another runtime, for this opens the device.
  static cl_device_id native_id(const std::string& name) {
    const Runtime other = runtime_on("");
    return native_handle(other.device(name)).as<cl_device_id>();
  }
  static cl_context make_context(cl_device_id device) {
    cl_int code = 0;
    const cl_context context = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return context;
  }
  static cl_command_queue make_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties) {
    cl_int code = 0;
    const cl_command_queue queue = CL(clCreateCommandQueue)(context, device, properties, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return queue;
  }
  /// Released at the end.
  cl_mem kept(cl_mem buffer, cl_int code) {
    EXPECT_EQ(code, CL_SUCCESS);
    buffers_.push_back(buffer);
    return buffer;
  }
  /// In the application's context, with these values.
  cl_mem make_buffer(std::vector<float> values) {
    cl_int code = 0;
    const cl_mem buffer = CL(clCreateBuffer)(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                             values.size() * sizeof(float), values.data(), &code);
    return kept(buffer, code);
  }
  std::vector<float> read(cl_mem buffer, std::size_t count, std::size_t offset_bytes = 0) const {
    std::vector<float> values(count);
    EXPECT_EQ(CL(clEnqueueReadBuffer)(queue_, buffer, CL_TRUE, offset_bytes, count * sizeof(float),
                                      values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  Device adopted() const {
    const Device device = runtime_.device("opencl:0");
    adopt_context(device, number_of(context_));
    return device;
  }

  Runtime runtime_ = runtime_on("");
  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_uint references_ = 0;
  std::vector<cl_mem> buffers_;
};

TEST_F(OpenclInterop, BuffersOfTheApplication) {
  const Device device = adopted();
  EXPECT_EQ(native_context(device).as<cl_context>(), context_);
  EXPECT_EQ(native_handle(device).as<cl_device_id>(), id_);
  const cl_mem buffer = make_buffer({1, 2, 3, 4});
  bool released = false;
  {
    const Tensor tensor = from_buffer(
        wrap_buffer(device, number_of(buffer), 16, [&] { released = true; }), DType::f32, {4});
    EXPECT_EQ(native_handle(tensor).as<cl_mem>(), buffer);
    mul_out(tensor, tensor, 10);
    device.synchronize();
    EXPECT_EQ(read(buffer, 4), (std::vector<float>{10, 20, 30, 40}));
  }
  EXPECT_TRUE(released);
  EXPECT_EQ(read(buffer, 4), (std::vector<float>{10, 20, 30, 40}));
}

TEST_F(OpenclInterop, OurBuffersInTheApplication) {
  const Tensor tensor = full({4}, 6, adopted());
  const NativeHandle memory = native_handle(tensor);
  tensor.buffer().wait();
  EXPECT_EQ(read(memory.as<cl_mem>(), 4, memory.offset_bytes), std::vector<float>(4, 6));
}

TEST_F(OpenclInterop, QueuesOfTheApplication) {
  const Device device = adopted();
  const Stream stream = wrap_stream(device, number_of(queue_));
  EXPECT_EQ(native_handle(stream).as<cl_command_queue>(), queue_);
  const Tensor tensor = full({4}, 2, device);
  // What the application queues after this follows the fill.
  stream.wait(device.default_stream().record());
  const NativeHandle memory = native_handle(tensor);
  EXPECT_EQ(read(memory.as<cl_mem>(), 4, memory.offset_bytes), std::vector<float>(4, 2));
}

TEST_F(OpenclInterop, EventsInTheApplication) {
  const Device device = adopted();
  const Tensor tensor = full({4}, 3, device);
  const Event event = device.default_stream().record();
  const auto native = native_handle(event).as<cl_event>();
  EXPECT_EQ(CL(clWaitForEvents)(1, &native), CL_SUCCESS);
  EXPECT_TRUE(event.is_done());
}

TEST_F(OpenclInterop, WhatIsOfAnotherContextIsRefused) {
  const Device device = runtime_.device("opencl:0");
  (void)device.memory();
  const std::string way_out =
      " belongs to another context than this device; adopt that context before";
  const cl_mem buffer = make_buffer({1, 2});
  EXPECT_INVALID(wrap_buffer(device, number_of(buffer), 8), "[wrap_buffer] the buffer" + way_out);
  EXPECT_INVALID(wrap_stream(device, number_of(queue_)),
                 "[wrap_stream] the command queue" + way_out);
  EXPECT_ERROR(adopt_context(device, number_of(context_)), ErrorCode::kInUse,
               "[adopt_context] device opencl:0 is open already");
}

TEST_F(OpenclInterop, BuffersThatDoNotFit) {
  const Device device = adopted();
  const cl_mem buffer = make_buffer({1, 2});
  EXPECT_INVALID(wrap_buffer(device, number_of(buffer), 12),
                 "[wrap_buffer] the buffer has 8 bytes, not 12 (opencl:0)");
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 4;
  cl_int code = 0;
  const cl_mem image =
      CL(clCreateImage)(context_, CL_MEM_READ_WRITE, &format, &description, nullptr, &code);
  kept(image, code);
  EXPECT_INVALID(wrap_buffer(device, number_of(image), 16),
                 "[wrap_buffer] the memory object is no buffer");
  const cl_mem constant =
      kept(CL(clCreateBuffer)(context_, CL_MEM_READ_ONLY, 16, nullptr, &code), code);
  EXPECT_INVALID(
      wrap_buffer(device, number_of(constant), 16),
      "[wrap_buffer] the buffer is CL_MEM_READ_ONLY: expected one that kernels may write; "
      "make it with CL_MEM_READ_WRITE (opencl:0)");
}

TEST_F(OpenclInterop, SubBuffersBeginWhereTheyDo) {
  const Device device = adopted();
  const cl_mem whole = make_buffer(std::vector<float>(256, 1));
  const cl_buffer_region region = {512, 16};
  cl_int code = 0;
  const cl_mem part =
      CL(clCreateSubBuffer)(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  kept(part, code);
  from_buffer(wrap_buffer(device, number_of(part), 16), DType::f32, {4}).fill_(7);
  device.synchronize();
  const std::vector<float> values = read(whole, 256);
  EXPECT_EQ(values[127], 1);
  EXPECT_EQ(values[128], 7);
  EXPECT_EQ(values[131], 7);
  EXPECT_EQ(values[132], 1);
}

TEST_F(OpenclInterop, QueuesThatAreNoStreams) {
  const Device device = adopted();
  const cl_command_queue queue = make_queue(context_, id_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  ASSERT_NE(queue, nullptr);
  EXPECT_INVALID(wrap_stream(device, number_of(queue)),
                 "[wrap_stream] the command queue runs out of order, and streams are in order");
  CL(clReleaseCommandQueue)(queue);
  EXPECT_INVALID(
      wrap_stream(device, 0),
      "[wrap_stream] null is no command queue: expected a cl_command_queue, got 0 (opencl:0)");
}

TEST_F(OpenclInterop, ContextsOfAnotherDevice) {
  if (plugin_info(runtime_).devices.size() < 2) GTEST_SKIP() << "one device only";
  const cl_context other = make_context(native_id("opencl:1"));
  const Device device = runtime_.device("opencl:0");
  EXPECT_INVALID(adopt_context(device, number_of(other)),
                 "[adopt_context] the context does not have this device");
  // The device is none the worse, and another context may come.
  adopt_context(device, number_of(context_));
  EXPECT_EQ(zeros({2}, device).to_vector<float>(), std::vector<float>(2, 0));
  CL(clReleaseContext)(other);
}

TEST_F(OpenclInterop, ContextsOfSeveralDevices) {
  if (plugin_info(runtime_).devices.size() < 2) GTEST_SKIP() << "one device only";
  const cl_device_id both[] = {native_id("opencl:1"), id_};
  cl_int code = 0;
  const cl_context shared = CL(clCreateContext)(nullptr, 2, both, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  {
    const Runtime runtime = runtime_on("");
    adopt_context(runtime.device("opencl:0"), number_of(shared));
    adopt_context(runtime.device("opencl:1"), number_of(shared));
    const Tensor here = full({3}, 2, runtime.device("opencl:0"));
    const Tensor there = (here + here).to(runtime.device("opencl:1"));
    EXPECT_EQ((there * 2).to_vector<float>(), std::vector<float>(3, 8));
    const cl_command_queue queue = make_queue(shared, id_, 0);
    EXPECT_INVALID(wrap_stream(runtime.device("opencl:1"), number_of(queue)),
                   "[wrap_stream] the command queue is of another device");
    CL(clReleaseCommandQueue)(queue);
  }
  CL(clReleaseContext)(shared);
}

TEST(OpenclAlignment, SubBuffersThatBeginElsewhere) {
  PATCHBAY_OPENCL_DEVICE(device, lying_runtime("coarse"));
  cl_int code = 0;
  const cl_mem whole = CL(clCreateBuffer)(native_context(device).as<cl_context>(),
                                          CL_MEM_READ_WRITE, 8192, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const cl_buffer_region region = {512, 16};
  const cl_mem part =
      CL(clCreateSubBuffer)(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_INVALID(wrap_buffer(device, number_of(part), 16),
                 "[wrap_buffer] the sub-buffer begins at byte 512, and this device wants multiples "
                 "of 4096 (opencl:0)");
  CL(clReleaseMemObject)(part);
  CL(clReleaseMemObject)(whole);
}

TEST_F(OpenclInterop, DlpackHasBufferAndOffset) {
  const Device device = adopted();
  const cl_mem buffer = make_buffer({1, 2, 3, 4});
  std::int64_t shape[] = {2};
  int deleted = 0;
  dlpack::DLManagedTensorVersioned managed{};
  managed.version = dlpack::kVersion;
  managed.manager_ctx = &deleted;
  managed.deleter = [](dlpack::DLManagedTensorVersioned* self) {
    ++*static_cast<int*>(self->manager_ctx);
  };
  managed.dl_tensor = {buffer, {4, 0}, 1, {2, 32, 1}, shape, nullptr, 8};
  {
    const Tensor tensor = from_dlpack(&managed, device);
    EXPECT_EQ(tensor.to_vector<float>(), (std::vector<float>{3, 4}));
    auto* const exported = to_dlpack(tensor);
    EXPECT_EQ(exported->dl_tensor.data, buffer);
    EXPECT_EQ(exported->dl_tensor.byte_offset, 8u);
    exported->deleter(exported);
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  shape[0] = 3;
  EXPECT_INVALID(from_dlpack(&managed, device), "[from_dlpack] the buffer has 16 bytes, not 20");
  shape[0] = 1;
  managed.dl_tensor.byte_offset = 6;
  EXPECT_INVALID(from_dlpack(&managed, device), "[from_dlpack] misaligned memory");
  EXPECT_EQ(deleted, 1);
}

/// The device's queue is held up by an event of the application's: nothing but the order that the
/// export makes can bring the consumer's read behind the sum.
TEST_F(OpenclInterop, ExportsAreReadyOnTheConsumersQueue) {
  const Device device = adopted();
  const Tensor source = full({4}, 2, device);
  device.synchronize();
  cl_int code = 0;
  const cl_event gate = CL(clCreateUserEvent)(context_, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const auto ours = native_handle(device.default_stream()).as<cl_command_queue>();
  ASSERT_EQ(CL(clEnqueueBarrierWithWaitList)(ours, 1, &gate, nullptr), CL_SUCCESS);
  Tensor sum = source;
  for (int i = 0; i < 4; ++i) sum = sum + source;  // its block is one that was freed in use
  // It returns while the gate is closed.
  auto* const exported = to_dlpack(sum, {.stream = number_of(queue_)});
  std::vector<float> values(4);
  cl_event read = nullptr;
  ASSERT_EQ(CL(clEnqueueReadBuffer)(queue_, static_cast<cl_mem>(exported->dl_tensor.data), CL_FALSE,
                                    exported->dl_tensor.byte_offset, 16, values.data(), 0, nullptr,
                                    &read),
            CL_SUCCESS);
  CL(clFlush)(queue_);
  cl_int status = 0;
  CL(clGetEventInfo)(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  EXPECT_GT(status, CL_COMPLETE);
  CL(clSetUserEventStatus)(gate, CL_COMPLETE);
  CL(clWaitForEvents)(1, &read);
  EXPECT_EQ(values, std::vector<float>(4, 10));
  exported->deleter(exported);
  CL(clReleaseEvent)(read);
  CL(clReleaseEvent)(gate);
}

}  // namespace
}  // namespace patchbay::opencl_test
