// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused functions of 16-bit floats.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tensor/fuse/fuse_fixture.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class FuseHalfTest : public FuseTest {};
PATCHBAY_ON_EACH_DEVICE(FuseHalfTest);

/// Each step is rounded, as single operations are.
TEST_P(FuseHalfTest, GiveWhatTheSingleOperationsGive) {
  if (std::string(GetParam()) != "cpu:0") GTEST_SKIP() << "of devices that have f16 and bf16";
  const auto many = fuse(
      [](Expression a, Expression b) {
        const Expression wide = sqrt(abs(a.cast(DType::f32)) * 1.0000001);
        return where(lt(a, b), gelu(a) / b,
                     clamp(exp(a) - wide.cast(DType::f16).cast(DType::bf16), -100, 1000)
                         .cast(DType::f32)
                         .cast(DType::bf16));
      },
      "many");
  const auto unfused_many = [](const Tensor& a, const Tensor& b) {
    const Tensor wide = sqrt(abs(a.cast(DType::f32)) * 1.0000001);
    return where(lt(a, b), gelu(a) / b,
                 clamp(exp(a) - wide.cast(DType::f16).cast(DType::bf16), -100, 1000)
                     .cast(DType::f32)
                     .cast(DType::bf16));
  };
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor special =
      from_host(Floats{NAN, inf, -inf, 1e-6F, -0.0F, 65504, 3e38F, 1}, {8, 1}, device_);
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const std::string name(to_string(dtype));
    const Tensor a = random_tensor<float>({33, 70}, device_, 1).cast(dtype);
    const Tensor b = random_tensor<float>({70, 33}, device_, 2).cast(dtype).t();
    const auto as_floats = [](const Tensor& t) { return t.cast(DType::f32); };
    EXPECT_EQ(kChain(a, b).dtype(), dtype);
    expect_same<float>(as_floats(kChain(a, b)), as_floats(unfused_chain(a, b)), name);
    const Tensor s = special.cast(dtype);
    expect_same<float>(as_floats(kChain(s, s.t())), as_floats(unfused_chain(s, s.t())), name);
    const Tensor x = a.clone().requires_grad_(), y = a.clone().requires_grad_();
    sum(kChain(x, b)).backward();
    sum(unfused_chain(y, b)).backward();
    EXPECT_EQ(x.grad().dtype(), dtype);
    expect_same<float>(as_floats(x.grad()), as_floats(y.grad()), name + " gradient", 0.02);
  }
  // A value for all elements, computed, whose register the next step takes.
  const auto uniform = [](auto x, auto s, auto t) {
    return where(lt(x, s * 2), x - x * (s * 3), x / (abs(t) + 1)) - (s - t) * x;
  };
  const auto fused_uniform =
      fuse([&](Expression x, Expression s, Expression t) { return uniform(x, s, t); }, "uniform");
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Tensor x = random_tensor<float>({2500}, device_, 4).cast(dtype);
    const Tensor s = full({1}, 1.5, {dtype, device_}), t = full({1}, -2, {dtype, device_});
    expect_same<float>(fused_uniform(x, s, t).cast(DType::f32),
                       Tensor(uniform(x, s, t)).cast(DType::f32), std::string(to_string(dtype)));
  }
  const Tensor a = random_tensor<float>({33, 70}, device_, 1).cast(DType::bf16);
  const Tensor b = random_tensor<float>({33, 70}, device_, 2).cast(DType::bf16);
  expect_same<float>(many(a, b).cast(DType::f32), unfused_many(a, b).cast(DType::f32), "many");
}

}  // namespace
}  // namespace patchbay::test
