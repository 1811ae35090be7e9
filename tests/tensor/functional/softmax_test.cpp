// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// softmax, its logarithm, and the logarithm of sums of exponentials.
#include <limits>

#include <patchbay/autograd.h>
#include <patchbay/functional.h>

#include "support/device_test.h"
#include "tensor/functional/functional_values.h"

namespace patchbay::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class SoftmaxTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(SoftmaxTest);

/// Of [outer, n, inner], along the middle.
struct Reference {
  std::size_t outer, n, inner;

  template <class Each>
  void for_slices(const Each& each) const {
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < inner; ++i) each(o * n * inner + i);
    }
  }
  double logsumexp(const Doubles& a, std::size_t first) const {
    double most = -kInfinity, total = 0;
    for (std::size_t k = 0; k < n; ++k) most = std::fmax(most, a[first + k * inner]);
    for (std::size_t k = 0; k < n; ++k) total += std::exp(a[first + k * inner] - most);
    return most + std::log(total);
  }
  Doubles log_softmax(Doubles a) const {
    for_slices([&](std::size_t first) {
      const double total = logsumexp(a, first);
      for (std::size_t k = 0; k < n; ++k) a[first + k * inner] -= total;
    });
    return a;
  }
  Doubles softmax(const Doubles& a) const {
    Doubles y = log_softmax(a);
    for (double& one : y) one = std::exp(one);
    return y;
  }
};

TEST_P(SoftmaxTest, AlongEachDimension) {
  const Shape shape{2, 3, 5};
  for (const DType dtype : float_dtypes(device_)) {
    for (const double offset : {0.0, 30.0, -30.0}) {
      Doubles wanted = some_values(30);
      for (double& one : wanted) one += offset;
      const Tensor a = tensor_of(wanted, shape, dtype, device_);
      const Doubles stored = values_of(a);
      const Reference along[] = {{1, 2, 15}, {2, 3, 5}, {6, 5, 1}};
      for (int dim = 0; dim < 3; ++dim) {
        const Reference& reference = along[dim];
        expect_near(softmax(a, dim), reference.softmax(stored), "softmax");
        expect_near(softmax(a, dim - 3), reference.softmax(stored), "softmax from the end");
        expect_near(log_softmax(a, dim), reference.log_softmax(stored), "log_softmax");
        Doubles sums;
        reference.for_slices(
            [&](std::size_t first) { sums.push_back(reference.logsumexp(stored, first)); });
        expect_near(logsumexp(a, dim), sums, "logsumexp");
        EXPECT_EQ(logsumexp(a, dim, true).size(dim), 1);
      }
      expect_near(logsumexp(a), {Reference{1, 30, 1}.logsumexp(stored, 0)}, "logsumexp of all");
    }
  }
}

TEST_P(SoftmaxTest, OfAViewWithOtherStrides) {
  const Tensor a = tensor_of(some_values(12), {3, 4}, DType::f32, device_);
  const Doubles turned = values_of(a.t());
  expect_near(softmax(a.t(), 1), (Reference{4, 3, 1}.softmax(turned)), "softmax");
  expect_near(log_softmax(a.t(), 0), (Reference{1, 4, 3}.log_softmax(turned)), "log_softmax");
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
  const std::vector<float> grads = x.grad().to_vector<float>();
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
  EXPECT_ERROR(static_cast<void>(softmax(integers, 0)), ErrorCode::kDtypeMismatch,
               "[softmax] is not defined for i32: expected one of f32, f64, f16, bf16");
  EXPECT_ERROR(static_cast<void>(log_softmax(integers, 0)), ErrorCode::kDtypeMismatch,
               "[log_softmax] is not defined for i32");
  EXPECT_ERROR(static_cast<void>(logsumexp(integers)), ErrorCode::kDtypeMismatch,
               "[logsumexp] is not defined for i32");
  EXPECT_ERROR(static_cast<void>(softmax(a, 2)), ErrorCode::kInvalidArgument,
               "[softmax] dimension 2");
  EXPECT_ERROR(static_cast<void>(log_softmax(a, -3)), ErrorCode::kInvalidArgument,
               "[log_softmax] dimension -3");
  EXPECT_ERROR(static_cast<void>(logsumexp(a, {0, 0})), ErrorCode::kInvalidArgument,
               "[logsumexp] axis 0 is named");
  EXPECT_ERROR(static_cast<void>(softmax(Tensor(), 0)), ErrorCode::kInvalidArgument,
               "[softmax] a is undefined");
}

}  // namespace
}  // namespace patchbay::test
