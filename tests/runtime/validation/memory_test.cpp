// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What validation finds in memory: use after release, leaks and their origins; and forked
// processes.
#include <unistd.h>

#include "runtime/validation/validated.h"
#include "support/child.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class ValidatedMemory : public ValidationTest {
 protected:
  bool is_addressable() const { return device_.properties().host_addressable; }
};
PATCHBAY_ON_EACH_DEVICE(ValidatedMemory);

/// An application's own source of memory, with a mistake.
class Mistaken : public MemoryResource {
 public:
  enum class Mistake { kReleasesAtOnce, kReleasesTwice, kInvents, kShifts };
  Mistaken(const Device& device, Mistake mistake)
      : driver_(driver_memory(device)), mistake_(mistake) {}

  RawMemory allocate(MemoryKind kind, std::size_t size_bytes, std::size_t alignment) override {
    if (mistake_ == Mistake::kInvents) return {reinterpret_cast<void*>(0x10), 64};
    RawMemory memory = driver_->allocate(kind, size_bytes, alignment);
    if (mistake_ == Mistake::kShifts) memory.offset_bytes += 8;
    if (mistake_ == Mistake::kReleasesAtOnce) driver_->release(kind, memory, size_bytes);
    return memory;
  }
  void release(MemoryKind kind, RawMemory memory, std::size_t size_bytes) noexcept override {
    if (mistake_ != Mistake::kReleasesTwice) return;
    driver_->release(kind, memory, size_bytes);
    driver_->release(kind, memory, size_bytes);
  }

 private:
  const std::shared_ptr<MemoryResource> driver_;
  const Mistake mistake_;
};

/// Leaves the release to the test.
class Keeping : public MemoryResource {
 public:
  explicit Keeping(std::shared_ptr<MemoryResource> from) : driver(std::move(from)) {}
  RawMemory allocate(MemoryKind kind, std::size_t size_bytes, std::size_t alignment) override {
    return last = driver->allocate(kind, size_bytes, alignment);
  }
  void release(MemoryKind, RawMemory, std::size_t) noexcept override {}
  std::shared_ptr<MemoryResource> driver;
  RawMemory last;
};

TEST_P(ValidatedMemory, FindsUseAfterRelease) {
  device_.set_memory_resource(
      std::make_shared<Mistaken>(device_, Mistaken::Mistake::kReleasesAtOnce));
  EXPECT_FINDING(finding_of([&] { return ones({100}, device_); }),
                 "[fill] memory is used after its release: [release] gave it back (in [ones] at ",
                 "; " + device_.name() + "; buffer of 400 bytes made by [allocate] at ",
                 "). Keep a handle as long as the memory is used.");
  device_.set_memory_resource(nullptr);
}

/// Not a function behind it.
TEST_P(ValidatedMemory, NamesTheCallThatTheProgramMade) {
  if (is_addressable()) GTEST_SKIP() << "the host reads the memory itself";
  const auto driver = driver_memory(device_);
  const auto keeping = std::make_shared<Keeping>(driver);
  device_.set_memory_resource(keeping);
  const Tensor x = ones({1}, device_);
  device_.synchronize();
  driver->release(MemoryKind::kDevice, keeping->last, 4);
  const auto expect_named = [&](const std::string& name, const auto& call) {
    EXPECT_FINDING(finding_of(call), "[" + name + "] memory is used after its release",
                   "(in [" + name + "] at ");
  };
  expect_named("to_vector", [&] { return x.to_vector<float>(); });
  expect_named("item", [&] { return x.item<float>(); });
  expect_named("to", [&] { return x.to("cpu:0"); });
  device_.set_memory_resource(nullptr);
}

TEST_P(ValidatedMemory, FindsMemoryThatNobodyAllocated) {
  if (is_addressable()) GTEST_SKIP() << "the host may lend any memory";
  device_.set_memory_resource(std::make_shared<Mistaken>(device_, Mistaken::Mistake::kInvents));
  EXPECT_FINDING(finding_of([&] { return ones({100}, device_); }),
                 "[fill] memory is used that was never allocated: expected memory of " +
                     device_.name() + ", got base 0x10 at offset 64 (in [ones] at ",
                 "). Take it from Buffer::allocate, or wrap it.");
  device_.set_memory_resource(nullptr);
}

TEST_P(ValidatedMemory, FindsUseBeyondWhatWasAllocated) {
  device_.set_memory_resource(std::make_shared<Mistaken>(device_, Mistaken::Mistake::kShifts));
  EXPECT_FINDING(finding_of([&] { return ones({100}, device_); }),
                 "[fill] a use reaches outside its buffer: expected bytes 0 to 400, got 8 to 408 "
                 "(in [ones] at ",
                 "; buffer of 400 bytes made by [allocate] at ", "). Correct offset and size.");
  device_.set_memory_resource(nullptr);
}

TEST_P(ValidatedMemory, FindsASecondRelease) {
  device_.set_memory_resource(
      std::make_shared<Mistaken>(device_, Mistaken::Mistake::kReleasesTwice));
  static_cast<void>(ones({100}, device_).to_vector<float>());
  device_.trim_memory();
  EXPECT_FINDING(
      finding_of([&] { device_.synchronize(); }),
      "[release] memory is released that is not allocated: expected what allocate gave, got base ",
      "(" + device_.name() + "; buffer of 400 bytes made by [allocate] at ",
      "). Release each block once.");
  device_.synchronize();  // told once
  EXPECT_EQ(num_findings(), 1u);
  device_.set_memory_resource(nullptr);
}

TEST_P(ValidatedMemory, FindsReleaseBeforeTheLastUse) {
  const Stream stream(device_);  // the default one may compute in the call
  const StreamScope scope(stream);
  const auto driver = driver_memory(device_);
  const auto keeping = std::make_shared<Keeping>(driver);
  device_.set_memory_resource(keeping);
  const Tensor x = ones({100}, device_);
  driver->release(MemoryKind::kDevice, keeping->last, 400);
  EXPECT_FINDING(finding_of([&] { device_.synchronize(); }),
                 "[release] memory is released while it is in use: [fill] on stream 1 of " +
                     device_.name() + " is pending (",
                 "; buffer of 400 bytes made by [allocate] at ", "). Wait for the work first.");
  device_.set_memory_resource(nullptr);
}

TEST_P(ValidatedMemory, FindsWritesThroughPointersThatAreTooOld) {
  if (!is_addressable()) GTEST_SKIP() << "the host has no pointer";
  float* pointer = nullptr;
  {
    const Tensor x = zeros({100}, device_);
    pointer = x.data<float>();
  }
  EXPECT_EQ(num_findings(), 0u);
  pointer[3] = 7;
  const ValidationReport report = validation_report(runtime_);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_FINDING(
      report.findings[0], "[zeros] memory was written after its release: ",
      "the first at offset 12 (" + device_.name() + "; buffer of 400 bytes made by [zeros] at ",
      "; released at ", "). Keep a handle as long as the memory is used.");
}

TEST_P(ValidatedMemory, FindsWritesOfTheHostOutsideBuffers) {
  if (!is_addressable()) GTEST_SKIP() << "the host has no pointer";
  const Tensor x = zeros({100}, device_);
  x.data<float>()[100] = 7;
  const ValidationReport report = validation_report(runtime_);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_FINDING(report.findings[0],
                 "[validation_report] the memory around a buffer was written by nothing that was "
                 "launched: expected no use outside its 400 bytes, got ",
                 "up to 4 bytes after its end");
  device_.synchronize();  // the report has told it
}

TEST_P(ValidatedMemory, GivesWhatLivesWithItsOrigin) {
  std::optional<Tensor> small = ones({100}, device_);
  std::optional<Tensor> large;
  {
    const CopyTag tag("weights");
    large = zeros({1000}, device_);
  }
  std::optional<Stream> stream = Stream(device_);
  std::optional<Event> event = stream->record();
  const Buffer pinned = Buffer::allocate(device_, 300, MemoryKind::kPinned);
  const ValidationReport report = validation_report(runtime_);
  EXPECT_TRUE(report.is_on);
  EXPECT_EQ(report.num_findings, 0u) << report.to_text();
  ASSERT_EQ(report.live.size(), 5u) << report.to_text();
  const auto expect = [&](std::size_t i, const std::string& kind, std::uint64_t size_bytes,
                          const std::string& tag, const std::string& operation) {
    const LiveObject& object = report.live[i];
    EXPECT_EQ(object.device, device_.name());
    EXPECT_EQ(object.kind, kind);
    EXPECT_EQ(object.size_bytes, size_bytes);
    EXPECT_EQ(object.tag, tag);
    EXPECT_EQ(object.operation, operation);
    EXPECT_TRUE(contains(object.origin, "validation_test+0x")) << object.origin;
  };
  expect(0, "buffer", 4000, "weights", "zeros");
  expect(1, "buffer", 400, "", "ones");
  expect(2, "pinned buffer", 300, "", "allocate");
  expect(3, "stream", 0, "", "Stream");
  expect(4, "event", 0, "", "record");
  EXPECT_TRUE(contains(report.to_text(),
                       "[validation] buffer on " + device_.name() +
                           " of 4000 bytes, tag 'weights' still lives: made by [zeros] at "))
      << report.to_text();
  small.reset();
  large.reset();
  event.reset();
  stream.reset();
  EXPECT_EQ(validation_report(runtime_).live.size(), 1u);
}

TEST(ValidatedMemoryOf, ASmallDeviceIsNotHeldBack) {
  const Runtime runtime(validated({{"fake_memory_bytes", "4194304"}}));
  const Device device = runtime.device("fake:0");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(full({3 << 18}, i, {DType::f32, device}).slice(0, 7, 8).item<float>(), i);
  }
  EXPECT_EQ(validation_report(runtime).num_findings, 0u);
}

TEST_P(ValidatedMemory, CanNotBeLargerThanItsGuardsLeaveRoomFor) {
  const auto driver = driver_memory(device_);
  EXPECT_ERROR(driver->allocate(MemoryKind::kDevice, SIZE_MAX - 100, 64), kOutOfMemory,
               "18446744073709551515 bytes");
  EXPECT_EQ(num_findings(), 0u);
}

TEST(ValidatedPlugins, TellWhatLivesWhenUnloadingIsRefused) {
  const LogLines lines;
  Runtime runtime(validated({}, lines));
  std::optional<Tensor> x = zeros({100}, runtime.device("fake:1"));
  EXPECT_ERROR(runtime.unload("fake"), kInUse, "1 buffer (400 bytes)");
  EXPECT_EQ(lines.count("[validation] buffer on fake:1 of 400 bytes still lives: made by [zeros]"),
            1);
  x.reset();
  runtime.unload("fake");
  EXPECT_EQ(lines.count("[validation]"), 1);
}

TEST(ValidatedPlugins, TellWhatWasNeverReleased) {
  const LogLines lines;
  {
    const Runtime runtime(validated({}, lines));
    static_cast<void>(
        driver_memory(runtime.device("fake:0"))->allocate(MemoryKind::kDevice, 500, 64));
  }
  EXPECT_EQ(lines.count(
                "[validation] never released: fake:0; buffer of 500 bytes made by [allocate] at "),
            1);
}

TEST(ValidatedPlugins, AreReportedOnceUnloaded) {
  Runtime runtime(validated());
  const Device device = runtime.device("fake:0");
  const auto driver = driver_memory(device);
  const RawMemory memory = driver->allocate(MemoryKind::kDevice, 500, 64);
  driver->release(MemoryKind::kDevice, memory, 500);
  driver->release(MemoryKind::kDevice, memory, 500);
  runtime.unload("fake");
  const ValidationReport report = validation_report(runtime);
  EXPECT_TRUE(report.live.empty());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_FINDING(report.findings[0], "[release] memory is released that is not allocated");
}

// A plugin's driver may get the address that the driver of one unloaded before has had.
TEST(ValidatedPlugins, MayComeAfterOthersThatWereUnloaded) {
  std::vector<std::unique_ptr<Runtime>> earlier;
  for (int i = 0; i < 10; ++i) {
    earlier.push_back(std::make_unique<Runtime>(validated()));
    earlier.back()->unload("fake");
  }
  const Runtime runtime(validated());
  earlier.clear();
  EXPECT_EQ(ones({4}, runtime.device("fake:0")).to_vector<float>(), Floats(4, 1));
}

TEST(ValidationReports, LetTheLogsSinkCallTheRuntime) {
  std::optional<Runtime> runtime;
  std::size_t num_devices = 0;
  RuntimeOptions options = validated();
  options.log = [&](LogLevel, std::string_view line) {
    if (line.starts_with("[validation_report]")) num_devices = runtime->devices().size();
  };
  runtime.emplace(options);
  const Tensor x = zeros({100}, runtime->device("cpu:0"));
  x.data<float>()[100] = 7;
  EXPECT_EQ(validation_report(*runtime).num_findings, 1u);
  EXPECT_EQ(num_devices, runtime->devices().size());
}

TEST(ValidatedProcess, IsTheOneThatMadeTheRuntime) {
  const Runtime runtime(validated());
  const Device device = runtime.device("cpu:0");
  const Tensor x = ones({4}, device);
  const std::string parent = std::to_string(getpid());
  EXPECT_EQ(answer_of([&] {
              const std::string text = error_of([&] { return x + 1; }).what();
              const std::string expected =
                  "[allocate] the runtime is used in a forked process: expected process " + parent +
                  ", which made it, got " + std::to_string(getpid()) +
                  " (cpu:0). Make a Runtime of its own in the child.";
              return text == expected ? "as expected" : text;
            }),
            "as expected");
  EXPECT_EQ((x + 1).to_vector<float>(), Floats(4, 2));
  EXPECT_EQ(validation_report(runtime).num_findings, 0u);
}

TEST(ValidationSetting, IsOffUnlessAskedFor) {
  RuntimeOptions options = device_options();
  options.settings["validate"] = "0";
  const Runtime runtime(options);
  const Tensor x = ones({4}, runtime.device("cpu:0"));
  const ValidationReport report = validation_report(runtime);
  EXPECT_FALSE(report.is_on);
  EXPECT_TRUE(report.live.empty());
  EXPECT_EQ(report.to_text(), "");
}

TEST(ValidationSetting, BadValuesAreErrors) {
  RuntimeOptions options = device_options();
  options.settings["validate"] = "maybe";
  EXPECT_INVALID(Runtime{options}, "[Runtime] bad setting 'validate'",
                 "0 or 1, got 'maybe'. Correct PATCHBAY_VALIDATE or RuntimeOptions::settings.");
}

// ------------------------------------------------------------------
// What the application lends: no misuse is found in it that is none.

class ValidatedContexts : public ValidationTest {};
INSTANTIATE_TEST_SUITE_P(, ValidatedContexts, testing::Values("opencl:0", "cuda:0"),
                         device_test_name);

TEST_P(ValidatedContexts, OfTheApplicationAreSeen) {
  adopt_context(device_, native_context(test_device(GetParam())).value);
  {
    const Tensor x = ones({100}, device_);
    EXPECT_EQ((x + 1).to_vector<float>(), Floats(100, 2));
    EXPECT_EQ(validation_report(runtime_).live.size(), 1u);
  }
  EXPECT_EQ(num_findings(), 0u);
}

class ValidatedLoans : public testing::Test {
 protected:
  Buffer lend(std::size_t first, std::size_t count) {
    return wrap_buffer(device_, reinterpret_cast<std::uintptr_t>(&values_[first]), count * 4);
  }

  LogLines lines_;
  Runtime runtime_{validated({}, lines_)};
  Device device_ = runtime_.device("cpu:0");
  Floats values_ = Floats(1000, 1);
};

TEST_F(ValidatedLoans, MayBePartsOfOneAnother) {
  const Tensor all = from_buffer(lend(0, 1000), DType::f32, {1000});
  const Tensor head = from_buffer(lend(0, 10), DType::f32, {10});
  const Tensor middle = from_buffer(lend(500, 10), DType::f32, {10});
  all.fill_(3);
  head.fill_(4);
  all.slice(0, 505, 1000).fill_(5);
  EXPECT_EQ(middle.to_vector<float>(), Floats({3, 3, 3, 3, 3, 5, 5, 5, 5, 5}));
  EXPECT_EQ(values_[9], 4);
  EXPECT_EQ(validation_report(runtime_).num_findings, 0u) << validation_report(runtime_).to_text();
}

TEST_F(ValidatedLoans, ArePartsOfMemoryThatIsTheHosts) {
  static_cast<void>(lend(100, 10));
  const Tensor x = full({1000}, 7, device_);
  copy_to_host(values_.data(), {x.buffer(), 0, 4000});
  EXPECT_EQ(values_, Floats(1000, 7));
  copy_to_host(&values_[105], {full({20}, 8, device_).buffer(), 0, 80});
  EXPECT_EQ(values_[124], 8);
  EXPECT_EQ(validation_report(runtime_).num_findings, 0u);
}

TEST_F(ValidatedLoans, AreNotReleased) {
  const Buffer lent = lend(0, 1000);
  driver_memory(device_)->release(MemoryKind::kDevice, {values_.data(), 0}, 4000);
  EXPECT_FINDING(finding_of([&] { device_.synchronize(); }),
                 "[release] memory is released that is not allocated: expected what allocate gave, "
                 "got base 0x");
}

}  // namespace
}  // namespace patchbay::test
