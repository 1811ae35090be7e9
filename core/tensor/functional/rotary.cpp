// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Rotary embeddings of positions. A rotation's gradient is the rotation back.
#include <array>
#include <cmath>
#include <utility>

#include "patchbay/attention.h"
#include "patchbay/fuse.h"
#include "patchbay/ops.h"

#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/functional/operands.h"

namespace patchbay {
namespace {

using tensor::NamedOperand;

constexpr const char* kName = "rotary_embedding";

/// The two halves of the pairs.
std::array<Tensor, 2> pairs_of(const Tensor& x, bool is_interleaved) {
  const std::int64_t features = x.size(-1), half = features / 2;
  if (is_interleaved) return {x.slice(-1, 0, features, 2), x.slice(-1, 1, features, 2)};
  return {x.slice(-1, 0, half), x.slice(-1, half, features)};
}

/// Cosines and sines broadcast to a half of the pairs. `direction` -1 rotates back.
Tensor rotated(const Tensor& x, const Tensor& cosines, const Tensor& sines, int direction,
               bool is_interleaved) {
  static const auto& rotate = *new auto(fuse(
      [](const Expression& a, const Expression& b, const Expression& c, const Expression& s,
         const Expression& d) {
        return std::array{a * c - b * (s * d), b * c + a * (s * d)};
      },
      kName));
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = x.new_empty(x.shape());
    const auto [first, second] = pairs_of(x, is_interleaved);
    rotate.out(pairs_of(result, is_interleaved), first, second, cosines, sines, direction);
  }
  if (tensor::needs_grad(x)) {
    tensor::record(kName, result, x, [=](const Tensor& grad, const tensor::Node&) {
      return rotated(grad, cosines, sines, -direction, is_interleaved);
    });
  }
  return result;
}

/// The cosine and sine of position base^(-2 j / features), [..., steps, features / 2].
std::array<Tensor, 2> tables_of(const Tensor& input, const RotaryOptions& options) {
  static const auto& table = *new auto(fuse(
      [](const Expression& position, const Expression& j, const Expression& rate) {
        const Expression angle = position * exp(j * rate);
        return std::array{cos(angle), sin(angle)};
      },
      kName));
  const tensor::Recording recording(false);
  const Device device = input.device();
  const bool has_f64 = tensor::has_dtype(input.impl()->device(), DType::f64);
  const TensorOptions wide{has_f64 ? DType::f64 : DType::f32, device};
  const std::int64_t steps = input.size(-2), features = input.size(-1);
  Tensor positions = options.positions;
  if (!positions.defined()) {
    positions = arange(options.offset, options.offset + steps, 1, {DType::i64, device});
  }
  const double rate = -2 * std::log(options.base) / static_cast<double>(features);
  const Tensor numbers = arange(0, features / 2, 1, wide);
  auto [cosines, sines] = table(positions.cast(*wide.dtype).unsqueeze(-1), numbers, rate);
  const DType dtype = input.dtype();
  return {cosines.cast(dtype), sines.cast(dtype)};
}

void check_input(const NamedOperand& input, const RotaryOptions& options) {
  tensor::check_dtype_allowed(kName, tensor::kFloats, input);
  const Shape& shape = input.tensor.shape;
  if (shape.rank() < 2 || shape[shape.rank() - 1] % 2 != 0) {
    base::raise(ErrorCode::kShapeMismatch,
                "[{}] input has the wrong shape: expected [..., steps, features] with an even "
                "number of features, got {} ({}). Reshape or pad it.",
                kName, to_string(shape), tensor::describe(input));
  }
  if (!(options.base > 0) || std::isinf(options.base)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] bad base: expected a positive number, got {}. Choose another.", kName,
                options.base);
  }
}

void check_positions(const NamedOperand& input, const Tensor& positions) {
  const NamedOperand named{"positions", *positions.impl()};
  tensor::check_same_device(kName, input, named);
  if (positions.dtype() != DType::i64 && positions.dtype() != DType::i32) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[{}] positions have the wrong dtype: expected i64 or i32, got {} ({}). Convert "
                "them first: positions.cast(DType::i64).",
                kName, to_string(positions.dtype()), tensor::describe(named));
  }
  Shape steps = input.tensor.shape;
  steps.erase(steps.rank() - 1);
  const Shape& shape = positions.shape();
  bool fits = shape.rank() <= steps.rank();
  for (int i = 1; fits && i <= shape.rank(); ++i) {
    const std::int64_t mine = shape[shape.rank() - i];
    fits = mine == 1 || mine == steps[steps.rank() - i];
  }
  if (fits) return;
  base::raise(ErrorCode::kShapeMismatch,
              "[{}] positions have the wrong shape: expected one that broadcasts to {}, got {} "
              "({}; {}). Reshape them.",
              kName, to_string(steps), to_string(shape), tensor::describe(input),
              tensor::describe(named));
}

}  // namespace

Tensor rotary_embedding(const Tensor& input, const RotaryOptions& options) {
  const NamedOperand given{"input", tensor::operand_of(kName, input, "input")};
  check_input(given, options);
  if (options.positions.defined()) check_positions(given, options.positions);
  const Tensor x = tensor::computed(input);
  const auto [cosines, sines] = tables_of(x, options);
  return rotated(x, cosines, sines, 1, options.is_interleaved).cast(input.dtype());
}

}  // namespace patchbay
