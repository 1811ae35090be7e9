// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <utility>

#include "cuda-cublas/device/device.hpp"
#include "cuda-cublas/kernels/blas.hpp"
#include "cuda-cublas/kernels/kernels.hpp"
#include "kit/portable/gemm_problem.hpp"

namespace patchbay::cuda {
namespace {

// The size that the library recommends: larger from sm_90 on, whose kernels split products more.
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kLargeWorkspaceBytes = std::uint64_t{32} << 20;

/// An operand's extents and strides by axis.
struct Matrix {
  plugin::Memory memory;
  std::int64_t shape[2], strides[2];

  explicit Matrix(const patchbay_argument& argument)
      : memory(argument.value.memory),
        shape{argument.shape[0], argument.shape[1]},
        strides{argument.strides[0], argument.strides[1]} {}

  void transpose() {
    std::swap(shape[0], shape[1]);
    std::swap(strides[0], strides[1]);
  }
  /// Along an axis of at most one element any stride is valid.
  bool is_contiguous(int axis) const { return strides[axis] == 1 || shape[axis] <= 1; }
};

/// The distance between the lines along the contiguous `axis`. Lines must not overlap.
int leading(const Matrix& matrix, int axis) {
  const std::int64_t least = std::max<std::int64_t>(matrix.shape[axis], 1);
  const bool is_line = matrix.shape[1 - axis] <= 1;
  const std::int64_t distance = is_line ? least : matrix.strides[1 - axis];
  if (distance < least) {
    plugin::unsupported("gemm.1: a matrix repeats its lines; copy it to a contiguous one first");
  }
  if (distance > INT_MAX) plugin::unsupported("gemm.1: a stride over 2^31 - 1 is not supported");
  return static_cast<int>(distance);
}

/// A row-major matrix is the transpose of a column-major one.
Product::Matrix by_columns(const Matrix& matrix) {
  if (matrix.is_contiguous(0) && (matrix.shape[1] <= 1 || matrix.strides[1] >= matrix.shape[0])) {
    return {matrix.memory, leading(matrix, 0), false};
  }
  if (!matrix.is_contiguous(1)) plugin::invalid_argument("gemm.1: a matrix has no unit stride");
  return {matrix.memory, leading(matrix, 1), true};
}

int extent(std::int64_t size) {
  if (size > INT_MAX) plugin::unsupported("gemm.1: an extent over 2^31 - 1 is not supported");
  return static_cast<int>(size);
}

Product product_of(const portable::GemmSeries& series, plugin::Arguments arguments) {
  Matrix out(series.out), a(series.a), b(series.b);
  std::int64_t a_next = series.a_next, b_next = series.b_next;
  if (by_columns(out).transposed) {  // out' = b' a'
    std::swap(a, b);
    std::swap(a_next, b_next);
    for (Matrix* matrix : {&out, &a, &b}) matrix->transpose();
  }
  Product product{
      extent(out.shape[0]),    extent(out.shape[1]), extent(a.shape[1]),   by_columns(a),
      by_columns(b),           by_columns(out),      extent(series.count), &arguments[3].value.bits,
      &arguments[4].value.bits};
  product.a.next = a_next;
  product.b.next = b_next;
  product.c.next = series.out_next;
  if (product.k == 0) {
    // a and b are not read and may have no memory, but the library requires an address.
    product.a.memory = product.b.memory = product.c.memory;
    product.a.next = product.b.next = 0;
  }
  return product;
}

class GemmKernel : public plugin::Kernel {
 public:
  GemmKernel(Blas& blas, std::uint8_t dtype, std::uint64_t workspace_bytes)
      : blas_(blas), dtype_(dtype), workspace_bytes_(workspace_bytes) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    for (const portable::GemmSeries& series : portable::gemm_series(arguments)) {
      const Product product = product_of(series, arguments);
      if (product.m == 0 || product.n == 0) return;
      blas_.multiply(static_cast<Stream&>(stream), dtype_, product, workspace, workspace_bytes_,
                     name.empty() ? "gemm.1" : name);
    }
  }

 private:
  Blas& blas_;
  const std::uint8_t dtype_;
  const std::uint64_t workspace_bytes_;
};

bool is_for_blas(const patchbay_kernel_spec& spec) {
  if (plugin::from_abi(spec.op) != "gemm.1") return false;
  return spec.arguments[0].dtype == PATCHBAY_F32 || spec.arguments[0].dtype == PATCHBAY_F64;
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_gemm(Device& device, const patchbay_kernel_spec& spec) {
  if (!is_for_blas(spec) || !device.blas().open(device.host())) return nullptr;
  const std::uint64_t wanted =
      device.info().architecture >= 90 ? kLargeWorkspaceBytes : kWorkspaceBytes;
  return std::make_unique<GemmKernel>(device.blas(), spec.arguments[0].dtype,
                                      std::min(wanted, spec.workspace_limit_bytes));
}

}  // namespace patchbay::cuda
