// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "kit/card/kernels/kernels.hpp"
#include "kit/card/kernels/matrices.hpp"
#include "kit/card/kernels/products.hpp"
#include "kit/dtypes.hpp"
#include "kit/portable/base/gemm_problem.hpp"

namespace patchbay::card {
namespace {

constexpr const char* kOp = "gemm.1";

/// The f32 value of a 16-bit float.
float widened(std::uint8_t dtype, std::uint16_t bits) {
  if (dtype == PATCHBAY_BF16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  const bool is_negative = (bits & 0x8000) != 0;
  const int exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  const float size = exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(mantissa), -24)
                         : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return is_negative ? -size : size;
}

/// A scalar in the type in which a product is computed.
class Scalar {
 public:
  Scalar(std::uint8_t dtype, const patchbay_argument& argument) : bits_(argument.value.bits) {
    if (is_small_float(dtype)) {
      bits_ = std::bit_cast<std::uint32_t>(widened(dtype, static_cast<std::uint16_t>(bits_)));
    }
  }
  const void* data() const { return &bits_; }

 private:
  std::uint64_t bits_;
};

Product product_of(const portable::GemmSeries& series, std::uint8_t dtype, const Scalar& alpha,
                   const Scalar& beta) {
  Matrix out(kOp, series.out), a(kOp, series.a), b(kOp, series.b);
  std::int64_t a_next = series.a_next, b_next = series.b_next;
  if (by_columns(out).transposed) {  // out' = b' a'
    std::swap(a, b);
    std::swap(a_next, b_next);
    for (Matrix* matrix : {&out, &a, &b}) matrix->transpose();
  }
  Product product{dtype,
                  extent(kOp, out.shape[0]),
                  extent(kOp, out.shape[1]),
                  extent(kOp, a.shape[1]),
                  by_columns(a),
                  by_columns(b),
                  by_columns(out),
                  extent(kOp, series.count),
                  alpha.data(),
                  beta.data()};
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
  GemmKernel(Products& products, std::uint8_t dtype, std::uint64_t workspace_bytes)
      : products_(products), dtype_(dtype), workspace_bytes_(workspace_bytes) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }
  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    const Scalar alpha(dtype_, arguments[3]), beta(dtype_, arguments[4]);
    for (const portable::GemmSeries& series : portable::gemm_series(arguments)) {
      const Product product = product_of(series, dtype_, alpha, beta);
      if (product.m == 0 || product.n == 0) return;
      products_.multiply(static_cast<Stream&>(stream), product, workspace, workspace_bytes_,
                         name.empty() ? kOp : name);
    }
  }

 private:
  Products& products_;
  const std::uint8_t dtype_;
  const std::uint64_t workspace_bytes_;
};

bool is_for_library(const patchbay_kernel_spec& spec) {
  return plugin::from_abi(spec.op) == kOp && is_float(spec.arguments[0].dtype);
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_gemm(const KernelParts& parts,
                                             const patchbay_kernel_spec& spec) {
  Products& products = parts.products;
  if (!is_for_library(spec) || !products.takes(spec.arguments[0].dtype) ||
      !products.open(parts.host)) {
    return nullptr;
  }
  return std::make_unique<GemmKernel>(
      products, spec.arguments[0].dtype,
      std::min(products.workspace_bytes(), spec.workspace_limit_bytes));
}

}  // namespace patchbay::card
