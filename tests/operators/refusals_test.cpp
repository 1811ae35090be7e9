// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What operators say to operands that they do not take: a row for each. They are checked before a
// device is asked, so that one device is enough.
#include <functional>
#include <string>
#include <vector>

#include <patchbay/fft.h>
#include <patchbay/linalg.h>
#include <patchbay/operators.h>
#include <patchbay/ops.h>
#include <patchbay/sorting.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

struct Refusal {
  const char* record;
  std::function<Tensor(const Tensor& a)> call;  // a: f32 [2, 3]
  ErrorCode code;
  const char* message;  // how it begins
};

std::vector<Refusal> elementwise_refusals() {
  return {
      {"sin", [](const Tensor& a) { return sin(a.cast(DType::i32)); }, ErrorCode::kDtypeMismatch,
       "[sin] is not defined for i32: expected one of f32, f64, f16, bf16, got i32"},
      {"floor", [](const Tensor& a) { return floor(a.cast(DType::boolean)); },
       ErrorCode::kDtypeMismatch, "[floor] is not defined for bool: expected one of f32, f64, f16"},
      {"remainder", [](const Tensor& a) { return remainder(a, a.cast(DType::i64)); },
       ErrorCode::kDtypeMismatch, "[remainder] "},
      {"leaky_relu", [](const Tensor& a) { return leaky_relu(a.cast(DType::u8)); },
       ErrorCode::kDtypeMismatch, "[leaky_relu] is not defined for u8: expected one of f32, f64"},
      {"isnan", [](const Tensor& a) { return isnan(a.cast(DType::i32)); },
       ErrorCode::kDtypeMismatch, "[isnan] is not defined for i32: expected one of f32, f64, f16"},
  };
}

std::vector<Refusal> refusals() {
  return {
      {"relu", [](const Tensor& a) { return relu(a.cast(DType::boolean)); },
       ErrorCode::kDtypeMismatch, "[relu] is not defined for bool: expected one of f32, f64, f16"},
      {"max", [](const Tensor& a) { return max(a.slice(0, 0, 0)); }, ErrorCode::kInvalidArgument,
       "[max] nothing to reduce: expected at least one element along the axes, got shape [0, 3]"},
      {"prod", [](const Tensor& a) { return prod(a.cast(DType::u32)); }, ErrorCode::kDtypeMismatch,
       "[prod] is not defined for u32: expected one of f32, f64, f16, bf16, i32, i64, u8"},
      {"cumsum", [](const Tensor& a) { return cumsum(a, -3); }, ErrorCode::kInvalidArgument,
       "[cumsum] dimension -3 is out of range: expected -2 to 1 for rank 2, got -3 (a: f32"},
      {"cumsum", [](const Tensor& a) { return cumsum(a.cast(DType::boolean), 0); },
       ErrorCode::kDtypeMismatch, "[cumsum] is not defined for bool: expected one of f32, f64"},
      {"sort", [](const Tensor& a) { return sort(a, 2).values; }, ErrorCode::kInvalidArgument,
       "[sort] dimension 2 is out of range: expected -2 to 1 for rank 2"},
      {"sort", [](const Tensor&) { return sort(Tensor()).values; }, ErrorCode::kInvalidArgument,
       "[sort] a is undefined"},
      {"sort", [](const Tensor& a) { return argsort(a, -3); }, ErrorCode::kInvalidArgument,
       "[argsort] dimension -3 is out of range: expected -2 to 1 for rank 2, got -3 (a: f32"},
      {"sort", [](const Tensor& a) { return topk(a, 4).values; }, ErrorCode::kInvalidArgument,
       "[topk] k is out of range: expected 0 to 3, the extent of dimension 1, got 4"},
      {"sort", [](const Tensor& a) { return topk(a, -1, 0).values; }, ErrorCode::kInvalidArgument,
       "[topk] k is out of range: expected 0 to 2, the extent of dimension 0, got -1"},
  };
}

std::vector<Refusal> factor_refusals() {
  return {
      {"lu", [](const Tensor& a) { return linalg::lu_factor_ex(a.cast(DType::i32)).lu; },
       ErrorCode::kDtypeMismatch,
       "[lu_factor_ex] is not defined for i32: expected one of f32, f64"},
      {"lu", [](const Tensor& a) { return linalg::lu(a[0]).p; }, ErrorCode::kShapeMismatch,
       "[lu] no matrix: expected rank 2 or more, got 1 (x: f32 [3] on cpu:0)."},
      {"cholesky", [](const Tensor& a) { return linalg::cholesky(a); }, ErrorCode::kShapeMismatch,
       "[cholesky] the matrices are not square: expected 2 columns like rows, got 3 (x: f32"},
      {"cholesky", [](const Tensor& a) { return linalg::cholesky(-matmul(a, a.t())); },
       ErrorCode::kInvalidArgument,
       "[cholesky] the matrix is not positive definite: its leading minor of order 1 is not "
       "positive."},
      {"triangular", [](const Tensor& a) { return linalg::solve_triangular(matmul(a.t(), a), a); },
       ErrorCode::kShapeMismatch,
       "[solve_triangular] the operands do not fit: expected 3 rows in b, got 2 (a: f32 [3, 3] on"},
      {"triangular", [](const Tensor& a) { return linalg::solve_triangular(a, a); },
       ErrorCode::kShapeMismatch, "[solve_triangular] the matrices are not square"},
      {"qr", [](const Tensor& a) { return linalg::qr(a.cast(DType::f16)).q; },
       ErrorCode::kDtypeMismatch, "[qr] is not defined for f16: expected one of f32, f64"},
      {"eigh", [](const Tensor& a) { return linalg::eigh(a).eigenvalues; },
       ErrorCode::kShapeMismatch, "[eigh] the matrices are not square: expected 2 columns like"},
      {"eig", [](const Tensor& a) { return linalg::eig(a).eigenvalues; }, ErrorCode::kShapeMismatch,
       "[eig] the matrices are not square: expected 2 columns like rows, got 3 (x: f32"},
      {"fft", [](const Tensor& a) { return fft::fft(a.cast(DType::f16)); },
       ErrorCode::kDtypeMismatch, "[fft] is not defined for f16: expected one of f32, f64"},
      {"fft", [](const Tensor& a) { return fft::fft(a, {.n = 0}); }, ErrorCode::kInvalidArgument,
       "[fft] a bad length: expected 1 or more, got 0 (x: f32 [2, 3] on cpu:0)."},
      {"svd", [](const Tensor& a) { return linalg::svd(a.cast(DType::boolean)).s; },
       ErrorCode::kDtypeMismatch, "[svd] is not defined for bool: expected one of f32, f64"},
      {"svd", [](const Tensor&) { return linalg::svd(Tensor()).s; }, ErrorCode::kInvalidArgument,
       "[svd] x is undefined"},
  };
}

TEST(OperatorRefusalsTest, NameTheOperatorAndWhatItTakes) {
  const Tensor a = ones({2, 3}, test_device("cpu:0"));
  std::vector<Refusal> all = refusals();
  for (const Refusal& one : elementwise_refusals()) all.push_back(one);
  for (const Refusal& one : factor_refusals()) all.push_back(one);
  for (const Refusal& one : all) {
    SCOPED_TRACE(one.record);
    EXPECT_EQ(find_operator(one.record).name, one.record);
    const Error error = error_of([&] { static_cast<void>(one.call(a)); });
    EXPECT_EQ(to_string(error.code()), to_string(one.code));
    EXPECT_TRUE(std::string(error.what()).starts_with(one.message)) << error.what();
  }
}

}  // namespace
}  // namespace patchbay::test
