// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// 0-d tensors of the host that require gradients, beside tensors of another device.
#include <string>
#include <vector>

#include <patchbay/autograd.h>
#include <patchbay/fuse.h>
#include <patchbay/ops.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class ScalarGradientTest : public DeviceTest {
 protected:
  const std::string on_ = " on " + std::string(GetParam());
};
PATCHBAY_ON_EACH_DEVICE(ScalarGradientTest);

/// A 0-d tensor of the host that requires gradients is no number, and the way out copies that one.
TEST_P(ScalarGradientTest, OneThatRequiresGradientsIsCopied) {
  const Tensor x = from_host(Floats{1, 2}, {2}, device_),
               w = full({}, 3, test_device("cpu:1")).requires_grad_();
  const auto expect_way_out = [&](auto call, const std::string& op, const char* scalar,
                                  const char* other) {
    EXPECT_ERROR(call(), ErrorCode::kDeviceMismatch,
                 "[" + op + "] operands are on different devices (" + other + ": f32 [2]" + on_ +
                     "; " + scalar + ": f32 [] on cpu:1). " + scalar +
                     " requires gradients, and so is not taken as a number. "
                     "Copy it first, and gradients flow back: " +
                     scalar + ".to(" + other + ".device()).");
  };
  expect_way_out([&] { return w * x; }, "mul", "a", "b");
  expect_way_out([&] { return x * w; }, "mul", "b", "a");
  const Tensor yes = gt(x, 0);
  const auto scaled = fuse([](Expression a, Expression b) { return a * b; }, "scaled");
  expect_way_out([&] { return scaled(w, x); }, "scaled", "a", "b");
  expect_way_out([&] { return scaled(x, w); }, "scaled", "b", "a");
  expect_way_out(
      [&] {
        return where(full({}, true, {DType::boolean, test_device("cpu:1")}), w, x);
      },
      "where", "a", "b");
  const Tensor y = w.to(device_) * x;  // as it says
  sum(y).backward();
  EXPECT_EQ(w.grad().item<float>(), 3);
  const NoGrad scope;
  EXPECT_EQ((w * x).to_vector<float>(), (Floats{3, 6}));
}

}  // namespace
}  // namespace patchbay::test
