// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The driver's objects behind ours, and lent ones in our place. Here the lender is the runtime
// itself: contexts that an application makes are in tests/opencl and tests/sim.
#include <future>

#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

bool has_contexts(const Device& device) {
  return device.backend() == "opencl" || device.backend() == "cuda";
}
bool has_handles(const Device& device) { return has_contexts(device) || device.backend() == "hip"; }

PATCHBAY_DEVICE_TESTS(InteropTest);

TEST_P(InteropTest, HandlesOfDeviceContextStreamAndEvent) {
  const Stream stream = device_.default_stream();
  const Event event = stream.record();
  if (!has_handles(device_)) {
    const std::string why = device_.backend() == "cpu"
                                ? "[native_handle] on CPU devices only memory has a native handle"
                                : "[native_handle] no native handle of this kind (fake:0)";
    EXPECT_ERROR(native_handle(device_), kUnsupported, why);
    EXPECT_ERROR(native_context(device_), kUnsupported,
                 "[native_context]" + why.substr(why.find(']') + 1));
    EXPECT_ERROR(native_handle(stream), kUnsupported, why);
    EXPECT_ERROR(native_handle(event), kUnsupported, why);
    return;
  }
  EXPECT_EQ(to_string(native_handle(device_).kind), "device");
  if (has_contexts(device_)) {
    EXPECT_EQ(to_string(native_context(device_).kind), "context");
    EXPECT_NE(native_context(device_).as<void*>(), nullptr);
  } else {
    EXPECT_ERROR(native_context(device_), kUnsupported,
                 "[native_context] this driver has no contexts (hip:0)");
  }
  EXPECT_EQ(to_string(native_handle(stream).kind), "stream");
  EXPECT_EQ(to_string(native_handle(event).kind), "event");
  EXPECT_NE(native_handle(event).as<void*>(), nullptr);
  // One object each, and not another one every time.
  EXPECT_EQ(native_handle(stream).value, native_handle(device_.default_stream()).value);
  EXPECT_NE(native_handle(stream).value, native_handle(Stream(device_)).value);
}

TEST_P(InteropTest, HandlesOfMemory) {
  const Tensor tensor = zeros({8}, device_);
  if (device_.backend() == "fake") {
    EXPECT_ERROR(native_handle(tensor), kUnsupported, "no native handle");
    return;
  }
  const NativeHandle whole = native_handle(tensor.buffer());
  const NativeHandle part = native_handle(tensor.slice(0, 3));
  EXPECT_EQ(to_string(whole.kind), "memory");
  if (device_.backend() == "opencl") {  // an object and an offset
    EXPECT_EQ(part.value, whole.value);
    EXPECT_EQ(part.offset_bytes, whole.offset_bytes + 12);
  } else {
    EXPECT_EQ(part.value, whole.value + 12);
    EXPECT_EQ(part.offset_bytes, 0u);
  }
  if (device_.backend() == "cpu") {
    EXPECT_EQ(whole.as<void*>(), tensor.buffer().host_pointer());
  }
  EXPECT_EQ(native_handle(Buffer::allocate(device_, 0)).value, 0u);
  EXPECT_INVALID(native_handle(Buffer()), "[native_handle] null buffer");
}

class LentMemoryTest : public DeviceTest {
 protected:
  /// The memory of `owner`, as an application would lend it.
  Buffer lend(const Tensor& owner, std::function<void()> released = {}) const {
    const NativeHandle handle = native_handle(owner);
    return wrap_buffer(device_, handle.value, handle.offset_bytes + owner.size_bytes(),
                       std::move(released));
  }
  std::string plugin_name() const {
    if (device_.backend() == "cpu") return "cpu-openblas";
    return device_.backend() == "cuda" ? "cuda-cublas" : device_.backend();
  }
  static Tensor view_of(const Buffer& lent, const Tensor& owner) {
    return from_buffer(lent, owner.dtype(), owner.shape(), native_handle(owner).offset_bytes);
  }
};
INSTANTIATE_TEST_SUITE_P(, LentMemoryTest, testing::Values("cpu:0", "opencl:0", "cuda:0", "hip:0"),
                         device_test_name);

TEST_P(LentMemoryTest, IsReadAndWritten) {
  const Tensor owner = floats({1, 2, 3, 4});
  int released = 0;
  {
    const Tensor lent = view_of(lend(owner, [&] { ++released; }), owner);
    EXPECT_EQ((lent + lent).to_vector<float>(), (Floats{2, 4, 6, 8}));
    lent.fill_(5);
    lent.buffer().wait();
    EXPECT_EQ(owner.to_vector<float>(), Floats(4, 5));
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(owner.to_vector<float>(), Floats(4, 5));  // still the owner's
}

TEST_P(LentMemoryTest, OverlapIsNoticed) {
  const Tensor owner = zeros({8}, device_), lent = view_of(lend(owner), owner);
  const Tensor input = owner.slice(0, 0, 4);
  EXPECT_INVALID(add_out(lent.slice(0, 1, 5), input, input), "[add] out and a overlap");
  EXPECT_INVALID(copy({lent.buffer(), native_handle(lent).offset_bytes + 4, 8},
                      {owner.buffer(), owner.offset_bytes(), 8}),
                 "[copy] the ranges overlap");
  add_out(lent.slice(0, 4, 8), input, input);
  add_out(lent.slice(0, 0, 4), input, input);
}

TEST_P(LentMemoryTest, IsCountedAsHeld) {
  const Buffer empty = wrap_buffer(device_, 0, 0);
  EXPECT_EQ(empty.size_bytes(), 0u);
  EXPECT_ERROR(device_.runtime().unload(plugin_name()), kInUse, "1 wrapped buffer");
  EXPECT_INVALID(wrap_buffer(device_, 0, 16),
                 "[wrap_buffer] null memory: expected the native handle of 16 bytes, got 0");
}

TEST_P(InteropTest, LentStreamsRunKernels) {
  if (!has_handles(device_)) {
    EXPECT_ERROR(wrap_stream(device_, 64), kUnsupported,
                 "[wrap_stream] can't wrap streams of the application (" + device_.name());
    return;
  }
  const Stream owner(device_), lent = wrap_stream(device_, native_handle(owner).value);
  EXPECT_EQ(native_handle(lent).value, native_handle(owner).value);
  EXPECT_NO_THROW(lent.reset()) << "nothing has failed";
  const Tensor out = zeros({4}, device_);
  lent.wait(device_.default_stream().record());
  const Kernel fill = Kernel::prepare(device_, fill_spec());
  Argument target = Argument::tensor(out.buffer(), DType::f32, {4}, Access::kWrite);
  target.offset_bytes = out.offset_bytes();
  fill.launch(lent, std::vector<Argument>{target, Argument::scalar(7.0f)});
  EXPECT_EQ((out + out).to_vector<float>(), Floats(4, 14));
}

TEST_P(InteropTest, LentStreamsMayGoInTheirOwnCallback) {
  if (!has_handles(device_)) GTEST_SKIP() << "no streams are lent";
  // Kept: the lent one goes on another thread, some time later.
  static std::vector<Stream>& owners = *new std::vector<Stream>;
  owners.emplace_back(device_);
  std::promise<void> gone;
  {
    const Stream lent = wrap_stream(device_, native_handle(owners.back()).value);
    const std::shared_ptr<int> told(nullptr, [&gone](int*) { gone.set_value(); });
    lent.add_callback([told, lent](const Error*) {});
  }
  gone.get_future().wait();
  owners.back().synchronize();
}

TEST_P(InteropTest, TensorsFromBuffers) {
  const Tensor source = floats({0, 1, 2, 3, 4, 5});
  const Buffer buffer = source.buffer();
  const std::size_t offset = source.offset_bytes();
  EXPECT_EQ(from_buffer(buffer, DType::f32, {2, 2}, offset + 4).to_vector<float>(),
            (Floats{1, 2, 3, 4}));
  const Tensor strided = from_buffer(buffer, DType::f32, {3, 2}, {1, 3}, offset);
  EXPECT_EQ(strided.to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  strided.fill_(9);
  EXPECT_EQ(source.to_vector<float>(), Floats(6, 9));
  // Rows that share elements can be read, but not written.
  const Tensor sliding = from_buffer(buffer, DType::f32, {3, 2}, {1, 1}, offset);
  EXPECT_EQ(sliding.to_vector<float>(), Floats(6, 9));
  EXPECT_INVALID(sliding.fill_(1), "[fill_] tensor repeats elements");
}

TEST_P(InteropTest, TensorsThatDoNotFitTheirBuffer) {
  const Buffer buffer = Buffer::allocate(device_, 64);
  const auto make = [&](const Shape& shape, const Shape& strides, std::size_t offset) {
    return from_buffer(buffer, DType::f32, shape, strides, offset);
  };
  EXPECT_INVALID(make({17}, {1}, 0), "[from_buffer]",
                 "expected at most 64 bytes, got 68 from offset 0");
  EXPECT_INVALID(make({1}, {1}, 64), "got 4 from offset 64");
  EXPECT_INVALID(make({4, 2}, {5, 1}, 0), "got 68 from offset 0");
  EXPECT_INVALID(make({4}, {1}, 2),
                 "[from_buffer] misaligned memory: expected a multiple of 4 bytes for f32");
  EXPECT_INVALID(make({4}, {-1}, 12),
                 "[from_buffer] negative stride: expected 0 or more, got -1 in dimension 0");
  EXPECT_INVALID(make({4}, {1, 1}, 0), "wrong number of strides");
  EXPECT_ERROR(make({3, 3}, {INT64_MAX / 2, INT64_MAX / 2}, 0), kOverflow,
               "[from_buffer] too many bytes");
  const Buffer pinned = Buffer::allocate(device_, 64, MemoryKind::kPinned);
  EXPECT_INVALID(from_buffer(pinned, DType::f32, {4}),
                 "[from_buffer] wrong kind of memory: expected device memory, got pinned");
  EXPECT_INVALID(from_buffer(Buffer(), DType::f32, {4}), "[from_buffer] null buffer");
  make({1, 16}, {INT64_MAX, 1}, 0);  // a stride that is never taken
  make({0, 3}, {-1, -1}, 64);
}

TEST(LentMemory, IsNotTakenByEveryDevice) {
  EXPECT_ERROR(wrap_buffer(test_device("fake:0"), 64, 16), kUnsupported,
               "[wrap_buffer] can't wrap memory of the application (fake:0)");
}

TEST(LentMemory, ExceptionsOfReleasedAreLogged) {
  std::string log;
  RuntimeOptions chosen = options();
  chosen.log = [&](LogLevel, std::string_view line) { log += line; };
  const Runtime runtime(chosen);
  float value = 0;
  Buffer::wrap_host(runtime.device("cpu:0"), &value, sizeof value,
                    [] { throw std::runtime_error("oh"); });
  EXPECT_HAS(log, "[released] the callback of lent memory threw an exception: oh");
}

// A block that a stream still uses may be another buffer's already; an application that works on
// its handle can't know.
TEST(NativeMemory, IsFreeOfEarlierUses) {
  constexpr std::int64_t kElements = 1 << 24;
  const Device device = Runtime(options()).device("cpu:0");
  const Stream stream(device);
  Tensor used = zeros({kElements}, device);
  const std::uint64_t before = native_handle(used.buffer()).value;
  on_stream(stream, [&] { used.fill_(2); });
  const Event end = stream.record();
  used = Tensor();
  const Buffer next = Buffer::allocate(device, kElements * sizeof(float));
  EXPECT_EQ(native_handle(next).value, before) << "the same block";
  EXPECT_TRUE(end.is_done());
}

TEST(AdoptContext, RefusedByDevicesThatHaveNone) {
  const Runtime runtime(options());
  EXPECT_ERROR(adopt_context(runtime.device("cpu:0"), 64), kUnsupported,
               "[adopt_context] CPU devices have no contexts (cpu:0)");
  EXPECT_ERROR(adopt_context(runtime.device("fake:0"), 64), kUnsupported,
               "[adopt_context] can't adopt contexts of the application (fake:0)");
  EXPECT_INVALID(adopt_context(runtime.device("fake:0"), 0),
                 "[adopt_context] null context: expected the driver's own, got 0 (fake:0)");
  EXPECT_EQ(zeros({2}, runtime.device("fake:0")).to_vector<float>(), Floats(2, 0));
}

TEST(AdoptContext, RefusedByDevicesInUse) {
  const Device device = Runtime(options()).device("fake:0");
  (void)device.memory();
  EXPECT_ERROR(adopt_context(device, 64), kInUse,
               "[adopt_context] device fake:0 is open already: expected one that nothing has used");
}

}  // namespace
}  // namespace patchbay::test
