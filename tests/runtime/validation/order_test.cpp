// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What validation finds in launches: missing waits, overlap, and bytes outside.
#include <future>

#include "runtime/validation/validated.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class ValidatedLaunches : public ValidationTest {
 protected:
  void SetUp() override {
    ValidationTest::SetUp();
    if (IsSkipped()) return;
    add_.emplace(Kernel::prepare(device_, kernel_spec("add.1", DType::i32, 2)));
  }
  Buffer ones() const {
    const Ints values(kCount, 1);
    Buffer buffer = Buffer::allocate(device_, kBytes);
    copy_from_host({buffer, 0, kBytes}, values.data());
    device_.synchronize();
    return buffer;
  }
  static Argument view(const Buffer& buffer, std::size_t first, std::int64_t count,
                       std::int64_t stride) {
    Argument argument = Argument::tensor(buffer, DType::i32, {count}, Access::kRead);
    argument.offset_bytes = first * 4;
    argument.strides[0] = stride;
    return argument;
  }
  static Argument all(const Buffer& buffer) { return view(buffer, 0, kCount, 1); }
  /// out = a + a
  void twice(const Stream& stream, const Argument& out, const Argument& a,
             std::string_view name) const {
    add_->launch(stream, std::vector{out, a, a}, name);
  }

  static constexpr std::int64_t kCount = 100;
  static constexpr std::size_t kBytes = kCount * 4;
  std::optional<Kernel> add_;
};
PATCHBAY_ON_EACH_DEVICE(ValidatedLaunches);

TEST_P(ValidatedLaunches, FindMissingWaits) {
  const Stream one(device_), two(device_);
  const Buffer a = ones(), b = ones(), c = ones();
  const std::string name = device_.name();
  twice(one, all(b), all(a), "first");
  const std::string read = finding_of([&] { twice(two, all(c), all(b), "second"); });
  EXPECT_FINDING(read,
                 "[second] a buffer is read on stream 2 of " + name +
                     " while [first] on stream 1 of " + name +
                     " may still be writing it, and no wait is between them (in [launch] at ",
                 "; " + name + "; buffer of 400 bytes made by [allocate] at ", "validation_test+0x",
                 "). Let the stream wait first: stream.wait(other.record()).");
  EXPECT_FINDING(finding_of([&] { twice(two, all(b), all(c), "third"); }),
                 "[third] a buffer is written on stream 2", "[first] on stream 1", "be writing it");
  EXPECT_FINDING(finding_of([&] { twice(two, all(a), all(c), "fourth"); }),
                 "[fourth] a buffer is written on stream 2", "may still be reading it");
  two.wait(one.record());
  twice(two, all(c), all(b), "second");
  EXPECT_EQ(num_findings(), 3u);
  EXPECT_EQ(lines_.count("a buffer is"), 3) << "logged as well";
  std::int32_t last = 0;
  copy_to_host(&last, {c, kBytes - 4, 4});
  EXPECT_EQ(last, 4) << "what was refused was not launched";
}

TEST_P(ValidatedLaunches, KnowWaitsOfEachKind) {
  const Stream one(device_), two(device_), three(device_);
  const Buffer a = ones(), b = ones(), c = ones(), d = ones();
  twice(one, all(b), all(a), "first");
  twice(two, all(c), all(a), "both may read");
  one.synchronize();
  twice(two, all(b), all(a), "after synchronize");
  const Event event = two.record();
  event.wait();
  twice(one, all(b), all(c), "after a wait of the host");
  two.wait(one.record());
  three.wait(two.record());
  twice(three, all(b), all(d), "after a wait for who has waited");
  while (!three.record().is_done()) std::this_thread::yield();
  twice(one, all(b), all(c), "not ordered, and not known to be, but for the query");
  EXPECT_EQ(num_findings(), 0u);
}

TEST_P(ValidatedLaunches, KnowWhatACallbackHasTold) {
  const Stream one(device_), two(device_);
  const Buffer a = ones(), b = ones(), c = ones();
  twice(one, all(b), all(a), "first");
  std::promise<void> told;
  one.add_callback([&told](const Error*) { told.set_value(); });
  told.get_future().wait();
  twice(two, all(c), all(b), "second");
  EXPECT_EQ(num_findings(), 0u);
}

TEST_P(ValidatedLaunches, TellInterleavedViewsApart) {
  const Stream one(device_), two(device_);
  const Buffer a = ones(), b = ones();
  twice(one, view(b, 0, 50, 2), view(a, 0, 50, 1), "even");
  twice(two, view(b, 1, 50, 2), view(a, 50, 50, 1), "odd");
  EXPECT_FINDING(finding_of([&] { twice(two, view(b, 3, 30, 3), view(a, 0, 30, 1), "third"); }),
                 "[third]", "[even] on stream 1");
  one.synchronize();
  two.synchronize();
  EXPECT_EQ(num_findings(), 1u);
}

TEST_P(ValidatedLaunches, FindOverlap) {
  const Stream stream(device_);
  const Buffer a = ones(), b = ones();
  EXPECT_FINDING(finding_of([&] { twice(stream, view(a, 1, 50, 1), view(a, 0, 50, 1), "shift"); }),
                 "[shift] argument 0 is written and overlaps argument 1 in part: expected the very "
                 "same elements or none, got bytes 4 to 204 and 0 to 200 (in [launch] at ",
                 "; " + device_.name() + "; buffer of 400 bytes made by [allocate] at ",
                 "). Use other memory, or a copy.");
  EXPECT_FINDING(finding_of([&] { twice(stream, view(a, 0, 50, 0), view(b, 0, 50, 1), "heap"); }),
                 "[heap] argument 0 is written and has one element at several indices");
  twice(stream, all(a), all(a), "in place");
  twice(stream, view(a, 0, 50, 1), view(a, 50, 50, 1), "apart");
  twice(stream, view(a, 0, 50, 2), view(a, 1, 50, 2), "interleaved");
  stream.synchronize();
  EXPECT_EQ(num_findings(), 2u);
}

constexpr const char* kSpill = R"(
PATCHBAY_KERNEL(spill)(PATCHBAY_OUTPUT(f32, y), PATCHBAY_VALUE(i64, first),
                       PATCHBAY_VALUE(i64, n)) {
  PATCHBAY_BIND(f32, y);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  if (i < n) y[first + i] = 3.0f;
}
)";

TEST_P(ValidatedLaunches, FindWritesOutsideBuffers) {
  const auto spill = KernelModule::from_source(device_, kSpill).kernel("spill");
  const Tensor y = zeros({100}, device_);
  device_.synchronize();  // so that the zeros are none of those that may have done it
  const Grid grid{.groups = {2}, .group_size = {64}};
  const auto run = [&](std::int64_t first) {
    return finding_of([&] {
      spill.launch(grid, {y, first, 100});
      device_.synchronize();
    });
  };
  EXPECT_FINDING(
      run(2),
      "[spill] the memory around a buffer was written: expected no use outside its 400 bytes, got "
      "8 changed bytes, up to 8 bytes after its end (" +
          device_.name() + "; buffer of 400 bytes made by [zeros] at ",
      "). Correct the indices of the kernel, or what the host writes through a pointer.");
  EXPECT_FINDING(run(-3), "[spill]", "got 12 changed bytes, up to 12 bytes before its begin");
  EXPECT_FINDING(run(-3), "[spill]", "got 12 changed bytes, up to 12 bytes before its begin");
  spill.launch(grid, {y, 0, 100});
  EXPECT_EQ(y.to_vector<float>(), Floats(100, 3));
  EXPECT_EQ(num_findings(), 3u) << "the guards are mended";
}

TEST_P(ValidatedLaunches, FindOneOfSeveralThatWroteOutside) {
  const auto spill = KernelModule::from_source(device_, kSpill).kernel("spill");
  const Stream stream(device_);  // the default one may compute in the call
  const StreamScope scope(stream);
  const Tensor y = zeros({100}, device_);
  spill.launch({.group_size = {64}}, {y, 90, 11});
  y.fill_(1);
  EXPECT_FINDING(finding_of([&] { device_.synchronize(); }),
                 "[synchronize] the memory around a buffer was written by one of [fill], [spill]: "
                 "expected no use outside its 400 bytes, got 4 changed bytes, up to 4 bytes after");
}

TEST_P(ValidatedLaunches, ShowUninitialisedMemory) {
  for (const float value : empty({1000}, device_).to_vector<float>()) {
    ASSERT_TRUE(std::isnan(value)) << value;
  }
  EXPECT_EQ(empty({1}, {DType::i32, device_}).to_vector<std::int32_t>()[0], -1);
}

TEST_P(ValidatedLaunches, TensorOperationsAreSilent) {
  Tensor x = ones_like(zeros({64, 64}, device_));
  for (int i = 0; i < 5; ++i) {
    x = matmul(x, x.t()) / 64;
    x = x.slice(0, 0, 32) + x.slice(0, 32, 64);
    x = x.reshape({2, 16, 64}).permute({1, 0, 2}).contiguous().reshape({32, 64});
    x = matmul(x.t(), x).slice(0, 0, 64) / 128;
  }
  const Tensor there = x.to(runtime_.device("cpu:1"), {.non_blocking = true});
  const Tensor back = there.to(device_, {.non_blocking = true});
  EXPECT_EQ(back.to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(num_findings(), 0u) << validation_report(runtime_).to_text();
}

// Two threads in operations on one tensor of a device that computes in the caller's thread.
TEST(ValidatedThreads, MayNotUseOneBufferAtOnce) {
  const Runtime runtime(validated());
  const Tensor x = zeros({1 << 16}, runtime.device("cpu:0"));
  std::atomic<bool> is_found{false};
  std::mutex mutex;
  std::string text;
  const auto work = [&] {
    while (!is_found) {
      try {
        add_out(x, x, 1);
      } catch (const Error& error) {
        const std::scoped_lock lock(mutex);
        text = error.what();
        is_found = true;
      }
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_FINDING(text,
                 "[add] a buffer is written while another thread is in [add], writing it (in [add",
                 "; cpu:0; buffer of 262144 bytes made by [zeros] at ",
                 "). Order the threads, or give each memory of its own.");
}

}  // namespace
}  // namespace patchbay::test
