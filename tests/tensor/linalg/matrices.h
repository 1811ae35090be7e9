// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrices on each device, and what their factors must fulfil.
#ifndef PATCHBAY_TESTS_TENSOR_LINALG_MATRICES_H_
#define PATCHBAY_TESTS_TENSOR_LINALG_MATRICES_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <patchbay/complex.h>
#include <patchbay/copy.h>
#include <patchbay/linalg.h>

#include "support/device_test.h"

namespace patchbay::test {

inline constexpr double kUnits = 8;  // of epsilon, for each row or column

inline Tensor adjoint(const Tensor& a) { return conj(a).transpose(-2, -1); }
inline Tensor scaled_columns(const Tensor& a, const Tensor& by) {
  return a * by.cast(a.dtype()).unsqueeze(-2);
}

inline double largest(const Tensor& a) {
  if (a.num_elements() == 0) return 0;
  return max(abs(a)).cast(DType::f32).to("cpu:0").item<double>();
}
inline double epsilon_of(DType dtype) {
  return real_dtype(dtype) == DType::f64 ? 0x1p-52 : 0x1p-23;
}

/// That the difference is a few roundings of numbers as large as `scale`.
inline void expect_zero(const Tensor& difference, double scale, const std::string& what) {
  const auto extent = static_cast<double>(std::max(difference.size(-1), difference.size(-2)));
  const double most = largest(difference);
  EXPECT_LE(most, kUnits * epsilon_of(difference.dtype()) * extent * scale) << what;
}
inline void expect_orthonormal(const Tensor& columns, const std::string& what) {
  const Tensor product = matmul(adjoint(columns), columns);
  expect_zero(product - eye(columns.size(-1), {columns.dtype(), columns.device()}), 2, what);
}
/// That they belong to the Hermitian matrices a, with ascending values.
inline void expect_eigen_of(const Tensor& a, const Eigh& made, const std::string& what) {
  expect_zero(matmul(a, made.eigenvectors) - scaled_columns(made.eigenvectors, made.eigenvalues),
              2 * largest(made.eigenvalues), what);
  expect_orthonormal(made.eigenvectors, what);
  const std::int64_t n = a.size(-1);
  const Tensor steps = made.eigenvalues.slice(-1, 1) - made.eigenvalues.slice(-1, 0, n - 1);
  EXPECT_EQ(sum(lt(steps, 0)).item<std::int64_t>(), 0) << what;
}
/// The same of eigh and eigvalsh.
inline void expect_eigh_fits(const Tensor& a, const std::string& what) {
  const Eigh made = linalg::eigh(tril(a));  // the upper triangle is not read
  expect_eigen_of(a, made, what);
  expect_zero((linalg::eigvalsh(a) - made.eigenvalues).unsqueeze(-1), largest(made.eigenvalues),
              what + " values");
}
/// That they are those of a, reduced or full, with descending values.
inline void expect_svd_of(const Tensor& a, const Svd& made, const std::string& what) {
  const std::int64_t k = made.s.size(-1);
  expect_zero(matmul(scaled_columns(made.u.slice(-1, 0, k), made.s), made.vh.slice(-2, 0, k)) - a,
              2 * largest(made.s), what);
  expect_orthonormal(made.u, what);
  expect_orthonormal(adjoint(made.vh), what);
  const Tensor steps = made.s.slice(-1, 1) - made.s.slice(-1, 0, k - 1);
  EXPECT_EQ(sum(gt(steps, 0)).item<std::int64_t>(), 0) << what;
}
inline std::string name_of(const char* what, DType dtype, std::int64_t m, std::int64_t n) {
  return std::string(what) + ' ' + std::string(to_string(dtype)) + ' ' + std::to_string(m) + " x " +
         std::to_string(n);
}

class MatrixTest : public DeviceTest {
 protected:
  std::vector<DType> dtypes() const {
    std::vector<DType> all = {DType::f32, DType::c64};
    if (device_.properties().f64) all.insert(all.end(), {DType::f64, DType::c128});
    return all;
  }
  TensorOptions of(DType dtype) const { return {dtype, device_}; }
  Tensor random(const Shape& shape, DType dtype) const { return randn(shape, of(dtype)); }
  Tensor matrix(const std::vector<float>& values, const Shape& shape) const {
    return from_host(values, shape, device_);
  }
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_TENSOR_LINALG_MATRICES_H_
