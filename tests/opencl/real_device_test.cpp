// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What only this plugin has: texts for accelerators, which PoCL can run as well.
#include <vector>

#include "loaders.h"

namespace patchbay::opencl_test {
namespace {

TEST(OpenclAccelerator, ProductsSumsAndTransposes) {
  const Runtime runtime = lying_runtime("accelerator");
  PATCHBAY_NEED_OPENCL(runtime);
  const Device device = runtime.device("opencl");
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
