// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// softmax, its logarithm, and the logarithm of sums of exponentials.
#include "conformance/reference/rows.h"
#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

PATCHBAY_DEVICE_TESTS(SoftmaxTest);

using conformance::Slices;

Doubles softmax_of(const Slices& slices, const Doubles& a, bool logarithm) {
  return conformance::values_of(
      conformance::softmax_terms<double>(slices, logarithm, conformance::elements_of(a)));
}
/// Of numbers whose exponentials are in the range of long double.
Doubles logsumexp_of(const Slices& slices, const Doubles& a) {
  Doubles all;
  slices.for_slices([&](const std::vector<std::size_t>& places) {
    long double total = 0;
    for (const std::size_t place : places) total += std::exp(static_cast<long double>(a[place]));
    all.push_back(static_cast<double>(std::log(total)));
  });
  return all;
}

TEST_P(SoftmaxTest, AlongEachDimension) {
  const Shape shape{2, 3, 5};
  for (const DType dtype : float_dtypes(device_)) {
    for (const double offset : {0.0, 30.0, -30.0}) {
      Doubles wanted = some_values(30);
      for (double& one : wanted) one += offset;
      const Tensor a = tensor_of(wanted, shape, dtype, device_);
      const Doubles stored = values_of(a);
      const Slices along[] = {{1, 2, 15}, {2, 3, 5}, {6, 5, 1}};
      for (int dim = 0; dim < 3; ++dim) {
        const Slices& slices = along[dim];
        expect_near(softmax(a, dim), softmax_of(slices, stored, false), "softmax");
        expect_near(softmax(a, dim - 3), softmax_of(slices, stored, false), "softmax from the end");
        expect_near(log_softmax(a, dim), softmax_of(slices, stored, true), "log_softmax");
        expect_near(logsumexp(a, dim), logsumexp_of(slices, stored), "logsumexp");
        EXPECT_EQ(logsumexp(a, dim, true).size(dim), 1);
      }
      expect_near(logsumexp(a), logsumexp_of({1, 30, 1}, stored), "logsumexp of all");
    }
  }
}

TEST_P(SoftmaxTest, OfAViewWithOtherStrides) {
  const Tensor a = tensor_of(some_values(12), {3, 4}, DType::f32, device_);
  const Doubles turned = values_of(a.t());
  expect_near(softmax(a.t(), 1), softmax_of({4, 3, 1}, turned, false), "softmax");
  expect_near(log_softmax(a.t(), 0), softmax_of({1, 4, 3}, turned, true), "log_softmax");
  const Tensor repeated = a.slice(0, 0, 1).expand({3, 4});
  expect_near(softmax(repeated, 0), Doubles(12, 1.0 / 3), "softmax of repeated rows");
}

TEST_P(SoftmaxTest, OfLargeAndInfiniteElements) {
  const Tensor a = tensor_of({1000, 999, -1000, -kInfinity, 0, 0}, {2, 3}, DType::f32, device_);
  expect_near(softmax(a, 1), {0.7310585786, 0.2689414214, 0, 0, 0.5, 0.5}, "softmax");
  expect_near(
      log_softmax(a, 1),
      {-0.3132616875, -1.3132616875, -2000.3132616875, -kInfinity, -0.6931471806, -0.6931471806},
      "log_softmax");
  expect_near(logsumexp(a, 1), {1000.3132616875, 0.6931471806}, "logsumexp");

  const Tensor none =
      tensor_of({-kInfinity, -kInfinity, kInfinity, 1, kNaN, 1}, {3, 2}, DType::f32, device_);
  expect_near(softmax(none, 1), Doubles(6, kNaN), "softmax");
  expect_near(logsumexp(none, 1), {-kInfinity, kInfinity, kNaN}, "logsumexp");
}

TEST_P(SoftmaxTest, OfNoElements) {
  const Tensor none = zeros({0, 3}, device_), empty_rows = zeros({3, 0}, device_);
  EXPECT_EQ(softmax(none, 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(softmax(none, 0).shape(), (Shape{0, 3}));
  EXPECT_EQ(log_softmax(empty_rows, 1).shape(), (Shape{3, 0}));
  expect_near(logsumexp(empty_rows, 1), {-kInfinity, -kInfinity, -kInfinity}, "logsumexp");
  EXPECT_EQ(logsumexp(none, 1).shape(), (Shape{0}));
}

/// The derivative is exp(a - logsumexp).
TEST_P(SoftmaxTest, GradientsOfAnInfiniteSum) {
  const Tensor a = from_host<float>({INFINITY, 1, -INFINITY, -INFINITY}, {2, 2}, device_);
  const Tensor x = a.clone().requires_grad_();
  sum(logsumexp(x, 1)).backward();
  const Floats grads = x.grad().to_vector<float>();
  EXPECT_TRUE(std::isnan(grads[0]));
  EXPECT_EQ(grads[1], 0);
  EXPECT_EQ(grads[2], 0);
  EXPECT_EQ(grads[3], 0);
}

TEST_P(SoftmaxTest, GradientsWhereSoftmaxIsZero) {
  const Tensor a = tensor_of({-kInfinity, 0, 1}, {3}, DType::f32, device_).requires_grad_();
  log_softmax(a, 0).slice(0, 1).backward(tensor_of({1, 0}, {2}, DType::f32, device_));
  expect_near(a.grad(), {0, 0.7310585786, -0.7310585786}, "gradient of log_softmax");
  a.set_grad({});
  logsumexp(a).backward();
  expect_near(a.grad(), {0, 0.2689414214, 0.7310585786}, "gradient of logsumexp");
}

TEST_P(SoftmaxTest, Errors) {
  const Tensor a = zeros({2, 3}, device_), integers = zeros({2}, {DType::i32, device_});
  EXPECT_ERROR(softmax(integers, 0), kDtypeMismatch,
               "[softmax] is not defined for i32: expected one of f32, f64, f16, bf16");
  EXPECT_ERROR(log_softmax(integers, 0), kDtypeMismatch, "[log_softmax] is not defined for i32");
  EXPECT_ERROR(logsumexp(integers), kDtypeMismatch, "[logsumexp] is not defined for i32");
  EXPECT_INVALID(softmax(a, 2), "[softmax] dimension 2");
  EXPECT_INVALID(log_softmax(a, -3), "[log_softmax] dimension -3");
  EXPECT_INVALID(logsumexp(a, {0, 0}), "[logsumexp] axis 0 is named");
  EXPECT_INVALID(softmax(Tensor(), 0), "[softmax] a is undefined");
}

}  // namespace
}  // namespace patchbay::test
