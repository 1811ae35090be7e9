// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a device lacks or does wrong, told with its name.
#include <functional>
#include <vector>

#include "loaders.h"
#include "support/kernels.h"

namespace patchbay::opencl_test {
namespace {

TEST(OpenclFailure, DeviceWithoutF64) {
  PATCHBAY_OPENCL_DEVICE(device, lying_runtime("no-f64"));
  EXPECT_FALSE(device.properties().f64);
  const KernelSpec spec{"neg.1",
                        {ArgumentSpec::tensor(DType::f64, Access::kWrite),
                         ArgumentSpec::tensor(DType::f64, Access::kRead)},
                        {}};
  EXPECT_HAS(why_unsupported(device, spec), "has no f64");
  const Tensor row = arange(0, 5, 1, {DType::f32, device});
  EXPECT_EQ(sum(row).item<float>(), 10.0f);
}

TEST(OpenclFailure, GroupsTooLargeForTheKernel) {
  PATCHBAY_OPENCL_DEVICE(device, lying_runtime("small-groups"));
  const ModuleKernel kernel =
      KernelModule::from_source(device,
                                "PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(i32, x)) {\n"
                                "  PATCHBAY_BIND(i32, x);\n"
                                "  x[PATCHBAY_GLOBAL_ID(0)] += 1;\n}\n")
          .kernel("f");
  const Tensor x = zeros({128}, {DType::i32, device});
  const Grid too_large{.group_size = {65}};
  EXPECT_HAS(test::error_of([&] { kernel.launch(too_large, {x}); }).what(),
             "a group of kernel 'f' is too large for this device: expected at most 64 work-items, "
             "got 65. Use smaller groups, and more of them.");
  kernel.launch({.groups = {2}, .group_size = {64}}, {x});
  EXPECT_EQ(sum(x).item<std::int64_t>(), 128);
}

/// Nothing said so when it was launched; who waits learns of it, and of the name.
TEST(OpenclFailure, FailedLaunchIsNamed) {
  PATCHBAY_OPENCL_DEVICE(device, lying_runtime("fail-launch"));
  const Stream first(device), second(device);
  const Event event = [&] {
    const Argument out =
        Argument::tensor(Buffer::allocate(device, 64), DType::f32, {16}, Access::kWrite);
    const Kernel fill = Kernel::prepare(device, test::fill_spec());
    fill.launch(first, std::vector<Argument>{out, Argument::scalar(1.0f)}, "the culprit");
    return first.record();
  }();
  second.wait(event);
  for (const auto& wait : {std::function<void()>([&] { first.synchronize(); }),
                           std::function<void()>([&] { event.wait(); }),
                           std::function<void()>([&] { second.synchronize(); })}) {
    EXPECT_HAS(test::error_of(wait).what(), "the culprit failed: CL_OUT_OF_RESOURCES (-5)");
  }
  Stream(device).synchronize();  // others are not concerned
}

// ------------------------------------------------------------------------ accelerators ---

/// What only this plugin has: texts for accelerators, which PoCL can run as well.
TEST(OpenclAccelerator, ProductsSumsAndTransposes) {
  PATCHBAY_OPENCL_DEVICE(device, lying_runtime("accelerator"));
  EXPECT_EQ(device.kind(), DeviceKind::kAccelerator);
  const Tensor a = arange(0, 35 * 20, 1, {DType::i64, device}).reshape({35, 20});
  const Tensor b = arange(0, 20 * 33, 1, {DType::i64, device}).reshape({20, 33});
  // Sums of rows of the product, by the product with the sums.
  const std::vector<std::int64_t> direct = sum(matmul(a, b), 1).to_vector<std::int64_t>();
  const std::vector<std::int64_t> other =
      matmul(a, sum(b, 1, true)).reshape({35}).to_vector<std::int64_t>();
  EXPECT_EQ(direct, other);
  // A product of several blocks, and one of single elements.
  const Tensor large = arange(0, 300 * 20, 1, {DType::i64, device}).reshape({300, 20});
  const Tensor wide = arange(0, 20 * 257, 1, {DType::i64, device}).reshape({257, 20}).t();
  EXPECT_EQ(sum(matmul(large, wide), 1).to_vector<std::int64_t>(),
            matmul(large, sum(wide, 1, true)).reshape({300}).to_vector<std::int64_t>());
  const Tensor turned = a.t() + a.t();
  EXPECT_EQ(sum(turned).item<std::int64_t>(), 2 * sum(a).item<std::int64_t>());
  const Tensor row = arange(0, 1 << 20, 1, {DType::f32, device});
  EXPECT_EQ(argmax(row).item<std::int64_t>(), (1 << 20) - 1);
  EXPECT_EQ(sum(row).item<float>(), 549755289600.0f);
}

}  // namespace
}  // namespace patchbay::opencl_test
