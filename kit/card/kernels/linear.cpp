// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products with a bias: by the vendor's library for them, or by the BLAS library after a
// copy of the bias.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "kit/card/kernels/kernels.hpp"
#include "kit/card/kernels/layers.hpp"
#include "kit/card/kernels/matrices.hpp"
#include "kit/card/kernels/products.hpp"
#include "kit/dtypes.hpp"
#include "kit/layers.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::card {
namespace {

constexpr const char* kOp = "linear.1";
/// The libraries' fast algorithms read so many bytes at once. Stricter alignments are not told
/// apart, so that the bits of a result depend on few addresses.
constexpr std::uint64_t kMostAlignmentBytes = 16;
constexpr int kRow = 0, kColumn = 1;  // axes

std::uint32_t alignment_of(plugin::Memory memory) {
  const std::uint64_t address = address_of(memory) | kMostAlignmentBytes;
  return static_cast<std::uint32_t>(address & ~(address - 1));  // its lowest bit
}

Layers::Operand operand_of(const Product::Matrix& matrix) {
  return {matrix.leading, matrix.transposed, alignment_of(matrix.memory)};
}

/// out = a weight^T + bias.
class LinearKernel final : public plugin::Kernel {
 public:
  LinearKernel(Layers& layers, Products& products, std::uint8_t dtype,
               std::unique_ptr<plugin::Kernel> copy, std::uint64_t workspace_bytes)
      : layers_(layers),
        products_(products),
        dtype_(dtype),
        copy_(std::move(copy)),
        workspace_bytes_(workspace_bytes) {}

  std::uint64_t workspace_bytes() const override { return workspace_bytes_; }

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    check_linear(arguments);
    if (name.empty()) name = kOp;
    Matrix out(kOp, arguments[0]), a(kOp, arguments[1]), b(kOp, arguments[2]);
    if (out.shape[kRow] == 0 || out.shape[kColumn] == 0) return;
    if (a.shape[kColumn] == 0) return copy_bias(stream, arguments, name);
    b.transpose();
    const bool is_row_major = out.has_lines(kColumn);
    if (is_row_major) {  // out' = weight a', to whose columns the library adds a bias
      std::swap(a, b);
      for (Matrix* matrix : {&out, &a, &b}) matrix->transpose();
    } else if (!out.has_lines(kRow)) {
      plugin::invalid_argument("linear.1: the result has no unit stride, or its lines overlap");
    }
    static constexpr float kOne = 1;
    const Product product{dtype_,
                          extent(kOp, out.shape[kRow]),
                          extent(kOp, out.shape[kColumn]),
                          extent(kOp, a.shape[kColumn]),
                          by_columns(a),
                          by_columns(b),
                          {out.memory, leading(out, kRow), false},
                          1,
                          &kOne,
                          &kOne};
    auto& on = static_cast<Stream&>(stream);
    if (is_row_major && layers_.compute(on, product, arguments[3].value.memory, workspace,
                                        workspace_bytes_, name)) {
      return;
    }
    copy_bias(stream, arguments, name);
    products_.multiply(on, product, workspace, workspace_bytes_, name);
  }

 private:
  /// To each row of the result.
  void copy_bias(plugin::Stream& stream, plugin::Arguments arguments, std::string_view name) const {
    patchbay_argument copies[] = {arguments[0], arguments[3]};
    patchbay_argument& bias = copies[1];
    bias.rank = 2;
    std::copy_n(copies[0].shape, 2, bias.shape);
    bias.strides[kRow] = 0;
    bias.strides[kColumn] = 1;
    copy_->launch(stream, copies, {}, name);
  }

  Layers& layers_;
  Products& products_;
  const std::uint8_t dtype_;
  const std::unique_ptr<plugin::Kernel> copy_;
  const std::uint64_t workspace_bytes_;
};

}  // namespace

bool Layers::compute(Stream& stream, const Product& product, plugin::Memory bias,
                     plugin::Memory workspace, std::uint64_t workspace_bytes,
                     std::string_view name) {
  const Problem problem{product.dtype,
                        product.m,
                        product.n,
                        product.k,
                        operand_of(product.a),
                        operand_of(product.b),
                        operand_of(product.c),
                        {1, false, alignment_of(bias)},
                        workspace_bytes};
  const Operands operands{product.a.memory, product.b.memory, product.c.memory, bias, workspace};
  return submit(stream, name, [&] { return run(stream, problem, operands, name); });
}

std::unique_ptr<plugin::Kernel> prepare_linear(const KernelParts& parts,
                                               const patchbay_kernel_spec& spec) {
  if (plugin::from_abi(spec.op) != kOp || spec.arguments[0].dtype == PATCHBAY_F64) return nullptr;
  Layers* const layers = parts.layers;
  Products& products = parts.products;
  if (layers == nullptr || !products.takes(spec.arguments[0].dtype) || !products.open(parts.host) ||
      !layers->open(parts.host)) {
    return nullptr;
  }
  return std::make_unique<LinearKernel>(
      *layers, products, spec.arguments[0].dtype,
      prepare_step(parts.portable, spec, "copy.1", 3, spec.workspace_limit_bytes),
      std::min(products.workspace_bytes(), spec.workspace_limit_bytes));
}

}  // namespace patchbay::card
