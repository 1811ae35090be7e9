// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a launch refuses before any work, and that launches stand in line with other operations.
#include "support/device_test.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

class KernelLaunchTest : public DeviceTest {
 protected:
  const KernelModule module_ = KernelModule::from_source(device_, kScale, {.name = "scale.pbk"});
  const ModuleKernel scale_ = module_.kernel("scale");
  const Tensor x_ = from_host(values(100), {100}, device_), y_ = zeros({100}, device_);
  const Grid grid_{.groups = {2}, .group_size = {64}};
};
PATCHBAY_ON_EACH_DEVICE(KernelLaunchTest);

TEST_P(KernelLaunchTest, RefusesWhatDoesNotFitTheSignature) {
  EXPECT_INVALID(scale_.launch(grid_, {x_, y_, 2}),
                 "[scale] wrong number of arguments: expected 4, got 3 (scale(input f32 x, output "
                 "f32 y, f32 a, i64 n)). Pass what the signature says.");
  EXPECT_INVALID(scale_.launch(grid_, {x_, y_, 2, 100, 1}), "expected 4, got 5");
  EXPECT_INVALID(scale_.launch(grid_, {x_, 1, 2, 100}),
                 "[scale] argument 1 'y' is of the wrong kind: expected a tensor, got a number");
  EXPECT_INVALID(scale_.launch(grid_, {x_, y_, y_, 100}),
                 "[scale] argument 2 'a' is of the wrong kind: expected a number, got a tensor");
  EXPECT_INVALID(scale_.launch(grid_, {x_, y_, 2, 1.5}),
                 "[scale] argument 3 'n' can't be this number: expected a value that i64 can hold, "
                 "got 1.5 (scale(input f32 x, output f32 y, f32 a, i64 n))");
  EXPECT_INVALID(scale_.launch(grid_, {x_, Tensor(), 2, 100}), "[scale] y is undefined");
  EXPECT_ERROR(scale_.launch(grid_, {x_.cast(DType::i32), y_, 2, 100}), kDtypeMismatch,
               "[scale] argument 0 'x' has another dtype: expected f32, got i32 (i32 [100] on");
  EXPECT_ERROR(scale_.launch(grid_, {x_.to(other_), y_, 2, 100}), kDeviceMismatch,
               "[scale] argument 0 'x' is on another device: expected " + device_.name() +
                   ", got " + other_.name() + " (f32 [100] on " + other_.name() +
                   "). Pass x.to(kernel.device()).");
  EXPECT_ERROR(scale_.launch(grid_, {x_, y_.to(other_), 2, 100}), kDeviceMismatch,
               "Pass c = y.to(kernel.device()), then write it back: y.copy_from(c).");
  EXPECT_ERROR(scale_.launch(grid_, {x_, y_.cast(DType::i32), 2, 100}), kDtypeMismatch,
               "Pass c = y.cast(DType::f32), then write it back: y.copy_from(c).");
  EXPECT_EQ(y_.to_vector<float>(), Floats(100, 0));
}

TEST_P(KernelLaunchTest, RefusesTensorsWhoseElementsAreNotInARow) {
  const Tensor square = x_.view({10, 10});
  EXPECT_INVALID(scale_.launch(grid_, {square.t(), y_, 2, 100}),
                 "[scale] argument 0 'x' is not contiguous: expected strides [10, 1], got [1, 10]");
  EXPECT_INVALID(scale_.launch(grid_, {x_.slice(0, 0, 100, 2), y_, 2, 50}), "Pass x.contiguous().");
  EXPECT_INVALID(
      scale_.launch(grid_, {x_, y_.slice(0, 0, 1).expand({100}), 2, 100}),
      "[scale] argument 1 'y' is not contiguous: expected strides [1], got [0] (f32 [100]" + on_ +
          "). Its elements repeat: pass a clone, and use that one from then on.");
  const Tensor strided = zeros({50, 2}, device_).t()[0];
  EXPECT_INVALID(scale_.launch(grid_, {x_, strided, 2, 50}),
                 "Pass c = y.contiguous(), then write it back: y.copy_from(c).");
  const Tensor c = strided.contiguous();
  scale_.launch(grid_, {x_, c, 2, 50});
  EXPECT_EQ(strided.copy_from(c)[7].item<float>(), 2 * values(8)[7]);
}

TEST_P(KernelLaunchTest, RefusesWrittenTensorsThatShareElements) {
  EXPECT_INVALID(
      scale_.launch(grid_, {y_, y_, 2, 100}),
      "[scale] argument 1 'y', which is written, shares elements with argument 0 'x' (f32 [100]" +
          on_ + "; f32 [100]" + on_ + "). Clone the one that is read: x.clone().");
  EXPECT_INVALID(scale_.launch(grid_, {y_.slice(0, 0, 60), y_.slice(0, 40, 100), 2, 60}),
                 "shares elements");
  scale_.launch(grid_, {y_.slice(0, 0, 50), y_.slice(0, 50, 100), 2, 50});
}

TEST_P(KernelLaunchTest, RefusesGridsThatNoDeviceHas) {
  EXPECT_INVALID(scale_.launch({.groups = {-1}}, {x_, y_, 2, 100}),
                 "[scale] grid: the number of groups along axis 0 is out of range");
  EXPECT_INVALID(scale_.launch({.groups = {1, INT64_MAX}}, {x_, y_, 2, 100}),
                 "along axis 1 is out of range");
  EXPECT_INVALID(scale_.launch({.group_size = {1, 1, 0}}, {x_, y_, 2, 100}),
                 "a group of 1 x 1 x 0 work-items is not possible");
  const std::int64_t most = device_.properties().max_group_size;
  EXPECT_GE(most, 1);
  EXPECT_INVALID(scale_.launch({.group_size = {most, 2}}, {x_, y_, 2, 100}),
                 "expected 1 to " + std::to_string(most) + " in all");
  EXPECT_INVALID(scale_.launch({.group_size = {INT32_MAX, INT32_MAX, INT32_MAX}}, {x_, y_, 2, 100}),
                 "is not possible");
  scale_.launch({.groups = {0}, .group_size = {64}}, {x_, y_, 2, 100});
  EXPECT_EQ(y_.to_vector<float>(), Floats(100, 0));
}

TEST_P(KernelLaunchTest, TakesEmptyTensors) {
  const Tensor none = empty({0}, device_);
  scale_.launch({.groups = {1}, .group_size = {64}}, {none, none, 2, 0});
  device_.synchronize();
}

TEST_P(KernelLaunchTest, UnknownKernelsAreNamedWithThoseThatThereAre) {
  EXPECT_INVALID(module_.kernel("scales"), "[KernelModule] 'scale.pbk' has no such kernel",
                 "expected one of scale, got 'scales'.");
}

TEST_P(KernelLaunchTest, BuildErrorsHaveTheLinesOfTheText) {
  const Error error = error_of([&] {
    static_cast<void>(KernelModule::from_source(
        device_, "// one\nPATCHBAY_KERNEL(f)() {\n  i32 x = 1;\n  y = x;\n}\n",
        {.name = "my \"text\".pbk"}));
  });
  EXPECT_EQ(to_string(error.code()), "build_failed");
  const std::string what = error.what();
  EXPECT_EQ(what.rfind("[KernelModule] the kernel text does not compile", 0), 0U) << what;
  // The vendor's compiler writes lines without columns.
  EXPECT_TRUE(what.find("my _text_.pbk:4:3: ") != std::string::npos ||
              what.find("my _text_.pbk(4): ") != std::string::npos)
      << what;
}

/// Functions, keywords, types and constants of the languages that texts are compiled as.
constexpr const char* kBorrowedNames[] = {
    "dot",        "cross",  "length",     "distance", "normalize",    "sign",     "mix",
    "step",       "clamp",  "smoothstep", "degrees",  "radians",      "select",   "any",
    "all",        "max",    "min",        "abs",      "isnan",        "exp",      "sqrt",
    "fma",        "hypot",  "popcount",   "rotate",   "shuffle",      "vload4",   "barrier",
    "atomic_add", "printf", "main",       "memcpy",   "new",          "for",      "template",
    "kernel",     "half",   "float4",     "f32",      "NAN",          "INFINITY", "M_PI",
    "threadIdx",  "dim3",   "assert",     "linux",    "get_global_id"};

TEST_P(KernelLaunchTest, AKernelMayHaveTheNameOfABuiltInFunction) {
  std::string text;
  int number = 0;
  for (const char* name : kBorrowedNames) {
    text += std::string("PATCHBAY_KERNEL(") + name +
            ")(PATCHBAY_OUTPUT(f32, out), PATCHBAY_VALUE(f32, x)) {\n  PATCHBAY_BIND(f32, out);\n" +
            "  out[0] = exp(x) * " + std::to_string(++number) + ".0f;\n}\n";
  }
  const KernelModule module = KernelModule::from_source(device_, text);
  number = 0;
  for (const char* name : kBorrowedNames) {
    const Tensor out = zeros({1}, device_);
    module.kernel(name).launch({}, {out, 0});
    EXPECT_EQ(out.item<float>(), static_cast<float>(++number)) << name;
  }
}

TEST_P(KernelLaunchTest, ArgumentsMayHaveTheNamesOfFunctionsAndOfEachOther) {
  const ModuleKernel kernel =
      KernelModule::from_source(
          device_,
          "PATCHBAY_KERNEL(x)(PATCHBAY_INOUT(f32, x), PATCHBAY_VALUE(f32, x_base),"
          " PATCHBAY_VALUE(f32, x_offset), PATCHBAY_VALUE(f32, x_value),"
          " PATCHBAY_VALUE(f32, dot), PATCHBAY_VALUE(f32, length),"
          " PATCHBAY_VALUE(f32, name)) {\n"
          "  PATCHBAY_BIND(f32, x);\n"
          "  x[0] += x_base + x_offset + x_value + dot + length + name;\n}\n")
          .kernel("x");
  const Tensor x = ones({1}, device_);
  kernel.launch({}, {x, 2, 4, 8, 16, 32, 64});
  EXPECT_EQ(x.item<float>(), 127);
}

TEST_P(KernelLaunchTest, OneKernelIsLaunchedFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 1; t <= 8; ++t) {
    threads.emplace_back([this, t] {
      const Tensor y = empty({100}, device_);
      for (int round = 0; round < 20; ++round) {
        scale_.launch(grid_, {x_, y, t + round, 100});
        Floats expected = values(100);
        for (float& value : expected) value *= static_cast<float>(t + round);
        ASSERT_EQ(y.to_vector<float>(), expected) << t << ' ' << round;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(KernelModuleTest, MissingFilesAreNamed) {
  EXPECT_ERROR(KernelModule::from_file(test_device("cpu:0"), "/none.pbk"), kIo,
               "[KernelModule] can't read the kernel text '/none.pbk': No such file or directory. "
               "Check the path.");
  EXPECT_ERROR(KernelModule::from_file(test_device("cpu:0"), "/tmp"), kIo,
               "[KernelModule] can't read the kernel text '/tmp': it is a folder. Check the path.");
  EXPECT_ERROR(KernelModule::from_file(test_device("cpu:0"), "/dev/null"), kIo,
               "it is a device, a pipe or a socket. Check the path.");
  EXPECT_ERROR(KernelModule::from_file(test_device("cpu:0"), "/dev/null/x"), kIo,
               "'/dev/null/x': ", "Check the path.");
}

TEST(KernelModuleTest, AByteOrderMarkIsSkipped) {
  const std::string text = "\xef\xbb\xbf" + std::string(kScale);
  EXPECT_EQ(KernelModule::from_source(test_device("cpu:0"), text).kernel_names(),
            KernelModule::from_source(test_device("cpu:0"), kScale).kernel_names());
}

TEST(KernelModuleTest, HoldsItsPlugin) {
  Runtime runtime(options());
  const auto module =
      std::make_unique<KernelModule>(KernelModule::from_source(runtime.device("fake:0"), kScale));
  EXPECT_ERROR(runtime.unload("fake"), kInUse, "1 kernel module");
}

TEST(KernelModuleTest, NeedsADtypeThatTheDeviceHas) {
  const Runtime runtime(options({{"fake_f64", "0"}}));
  EXPECT_ERROR(KernelModule::from_source(runtime.device("fake:0"),
                                         "PATCHBAY_KERNEL(f)(PATCHBAY_VALUE(f64, x)) {}"),
               kUnsupported,
               "[KernelModule] kernel 'f' takes 'x' of f64, and device fake:0 has no f64.");
}

TEST(KernelModuleTest, LaunchesFailOnDemand) {
  const Device device = Runtime(options({{"fake_fail_async_launch", "1"}})).device("fake:0");
  const auto scale = KernelModule::from_source(device, kScale).kernel("scale");
  const Tensor x = empty({4}, device), y = empty({4}, device);
  scale.launch({}, {x, y, 1, 1});
  EXPECT_ERROR(y.to_vector<float>(), kLaunchFailed, "launch of scale failed");
}

}  // namespace
}  // namespace patchbay::test
