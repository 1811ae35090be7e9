// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fused functions of 16-bit floats.
#include "tensor/fuse/fuse_fixture.h"

namespace patchbay::test {
namespace {

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

/// What jumps in a gradient is decided in f32, as in that of the single operation.
TEST_P(FuseHalfTest, GradientsJumpWhereThoseOfSingleOperationsDo) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    if (!(dtype == DType::f16 ? device_.properties().f16 : device_.properties().bf16)) continue;
    Floats dividends, divisors, bounds;
    for (int i = 0; i < 20000; ++i) {
      dividends.push_back(static_cast<float>((i * 7919) % 20011) * 0.13F - 1200);
      divisors.push_back(static_cast<float>((i * 104729) % 997) * 0.0031F + 0.05F);
      bounds.push_back(static_cast<float>(i % 41) * 0.05F - 1);
    }
    const auto leaf = [&](const Floats& values) {
      return from_host(values, {20000}, device_).cast(dtype).requires_grad_();
    };
    const auto same = [&](const auto& single, const auto& fused, const char* what) {
      const std::vector<Tensor> one{leaf(dividends), leaf(divisors)},
          other{leaf(dividends), leaf(divisors)};
      sum(single(one[0], one[1])).backward();
      sum(fused(other[0], other[1])).backward();
      for (std::size_t i = 0; i < 2; ++i) {
        if (!one[i].grad().defined()) continue;
        const Floats expected = one[i].grad().cast(DType::f32).template to_vector<float>();
        const Floats got = other[i].grad().cast(DType::f32).template to_vector<float>();
        EXPECT_EQ(got, expected) << what << " by operand " << i << " in " << to_string(dtype);
      }
    };
    same([](const Tensor& a, const Tensor& b) { return remainder(a, b); },
         fuse([](Expression a, Expression b) { return remainder(a, b); }), "remainder");
    same([](const Tensor& a, const Tensor&) { return clamp(a, -0.3, 500.7); },
         fuse([](Expression a, Expression b) { return clamp(a, -0.3, 500.7) + b * 0; }), "clamp");
    same([](const Tensor& a, const Tensor& b) { return maximum(a, b); },
         fuse([](Expression a, Expression b) { return maximum(a, b); }), "maximum");
    // The gradient of b is the quotient of the value, in f32.
    const Tensor a = leaf(dividends), b = leaf(divisors), rest = remainder(a, b);
    sum(rest).backward();
    const auto floats = [](const Tensor& x) {
      return x.detach().cast(DType::f32).to_vector<float>();
    };
    const Floats x = floats(a), y = floats(b), slopes = floats(b.grad());
    std::size_t num_wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double quotient = std::floor(static_cast<double>(x[i]) / y[i]);
      const double unit = std::fabs(quotient) * (dtype == DType::f16 ? 0x1p-11 : 0x1p-8);
      if (std::fabs(slopes[i] + quotient) > unit) ++num_wrong;
    }
    EXPECT_EQ(num_wrong, 0u) << to_string(dtype);
  }
}

}  // namespace
}  // namespace patchbay::test
