// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// linear with an activation. The product is recorded as linear, what follows as a fused function.
#include <array>
#include <cstddef>
#include <iterator>
#include <vector>

#include "patchbay/fuse.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"
#include "core/tensor/products/gemm.h"
#include "core/tensor/views/sum.h"

namespace patchbay {
namespace {

using tensor::NamedOperand;

template <class Value>
Value activated(const Value& a, Activation activation) {
  switch (activation) {
    case Activation::kRelu: return relu(a);
    case Activation::kGelu: return gelu(a);
    case Activation::kSigmoid: return sigmoid(a);
    case Activation::kTanh: return tanh(a);
    case Activation::kNone: break;
  }
  return a;
}

using Finish = Fused<Expression, 2>;

/// Small floats are added in f32 and rounded once.
Finish make_finish(Activation activation, DType dtype) {
  const bool is_small = tensor::is_small(dtype);
  return fuse(
      [&](const Expression& product, const Expression& bias) {
        if (!is_small) return activated(product + bias, activation);
        const Expression sum = product.cast(DType::f32) + bias.cast(DType::f32);
        return activated(sum, activation).cast(dtype);
      },
      "linear");
}

/// Functions are made once. One serves f32 and f64.
const Finish& finish_of(Activation activation, DType dtype) {
  static constexpr DType kDtypes[] = {DType::f32, DType::f16, DType::bf16};
  static const auto& functions = *new std::vector<Finish>([] {
    std::vector<Finish> all;
    for (const Activation each :
         {Activation::kRelu, Activation::kGelu, Activation::kSigmoid, Activation::kTanh}) {
      for (const DType made : kDtypes) all.push_back(make_finish(each, made));
    }
    return all;
  }());
  const std::size_t row = static_cast<std::size_t>(activation) - 1;
  const std::size_t column = dtype == DType::f16 ? 1 : dtype == DType::bf16 ? 2 : 0;
  return functions[row * std::size(kDtypes) + column];
}

/// The gradient of an activation's operand, from its result. That of relu is fused as a derivative,
/// which has a derivative itself: 0. It may be taken at the result, which is 0 where the operand is
/// not above 0.
Tensor slopes_of(Activation activation, const Tensor& grad, const Tensor& out) {
  static const auto& of_relu =
      *new auto(fuse([](const Expression& y) { return relu(y); }, "linear").gradients());
  static const auto& of_sigmoid = *new auto(
      fuse([](const Expression& g, const Expression& y) { return g * y * (1 - y); }, "linear"));
  static const auto& of_tanh = *new auto(
      fuse([](const Expression& g, const Expression& y) { return g * (1 - square(y)); }, "linear"));
  if (activation == Activation::kRelu)
    return of_relu.call(std::array<TensorOrScalar, 2>{out, grad})[0];
  return activation == Activation::kSigmoid ? of_sigmoid(grad, out) : of_tanh(grad, out);
}

/// The activated sum in place of a product that nothing else has seen and that its record does not
/// keep: the record needs the result alone.
Tensor finished_in_place(const Tensor& product, const Tensor& bias, Activation activation) {
  {
    const tensor::Recording recording(false);
    finish_of(activation, product.dtype()).out(product, product, bias);
  }
  tensor::accept_writes(product);
  if (!tensor::needs_grad(product) && !tensor::needs_grad(bias)) return product;
  Tensor result = product.detach();
  tensor::record("linear", result, {&product, &bias},
                 [activation, shape = bias.shape(), out = tensor::Saved::result(result)](
                     const Tensor& grad, const tensor::Node& node) {
                   const Tensor slopes = slopes_of(activation, grad, out.get(node));
                   return std::vector<Tensor>{
                       slopes, node.inputs[1] ? tensor::sum_to(slopes, shape) : Tensor()};
                 });
  return result;
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  base::check_in_enum("linear", "activation", "Activation", activation, Activation::kTanh);
  if (activation == Activation::kNone) return linear(x, weight, bias);
  const NamedOperand input{"x", tensor::operand_of("linear", x, "x")};
  const NamedOperand matrix{"weight", tensor::operand_of("linear", weight, "weight")};
  tensor::check_dtype_allowed("linear", tensor::kFloats, input);
  if (!bias.defined()) return activated(linear(x, weight), activation);
  tensor::check_layer(input, matrix);
  tensor::check_bias({"bias", *bias.impl()}, matrix);
  const Tensor product = linear(x, weight);
  if (activation == Activation::kGelu || tensor::is_small(x.dtype())) {
    return finish_of(activation, x.dtype())(product, bias);
  }
  return finished_in_place(product, bias, activation);
}

}  // namespace patchbay
