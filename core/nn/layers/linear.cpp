// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/linear.h"

#include <algorithm>

#include "patchbay/autograd.h"
#include "patchbay/indexing.h"
#include "patchbay/nn/init.h"

#include "core/base/error.h"
#include "core/nn/layers/details.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {

using layers::checked_size;
using layers::create_parameter;
using layers::tensor_of;

// -------------------------------------------------------------------------------- Linear ---

Linear::Linear(Index out, const LinearOptions& options)
    : weight(options.tensor),
      bias(options.tensor),
      out_(checked_size("Linear", "out", out)),
      has_bias_(options.bias),
      activation_(options.activation) {}

Linear::Linear(Index in, Index out, const LinearOptions& options) : Linear(out, options) {
  create(checked_size("Linear", "in", in));
}

void Linear::create(std::int64_t in) {
  std::vector<layers::Wanted> all{{"weight", weight, {out_, in}, layers::uniform_in(in)}};
  if (has_bias_) all.push_back({"bias", bias, {out_}, layers::uniform_in(in)});
  layers::create_missing("LazyLinear", all);
}

void Linear::learn(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  if (weight.defined() && (!has_bias_ || bias.defined())) return;
  if (x.rank() == 0) {
    base::raise(ErrorCode::kShapeMismatch,
                "[LazyLinear] the input has no features: expected [..., features], got []");
  }
  create(x.size(-1));
}

Tensor Linear::forward(const Tensor& x) { return linear(x, weight, tensor_of(bias), activation_); }

void Linear::members(Members& each) {
  each("weight", weight);
  if (has_bias_) each("bias", bias);
}

std::string Linear::details() const {
  return fmt::format("{}, {}{}", layers::extent_text(weight, 2, 1), out_,
                     has_bias_ ? "" : ", no bias");
}

Tensor LazyLinear::forward(const Tensor& x) {
  learn(x);
  return Linear::forward(x);
}

// ----------------------------------------------------------------------------- Embedding ---

Embedding::Embedding(Index count, Index size, const EmbeddingOptions& options)
    : weight(options.tensor) {
  const std::int64_t rows = checked_size("Embedding", "count", count);
  if (options.padding) {
    padding_ = *options.padding;
    if (*padding_ < 0 || *padding_ >= rows) {
      base::raise(ErrorCode::kInvalidArgument,
                  "[Embedding] padding out of range: expected an index below {}, got {}", rows,
                  *padding_);
    }
  }
  create_parameter(weight, {rows, checked_size("Embedding", "size", size)},
                   [&](const Tensor& tensor) {
                     init::normal(tensor);
                     if (padding_) init::constant(tensor[*padding_], 0);
                   });
}

Tensor Embedding::forward(const Tensor& x) {
  Tensor rows = embedding(weight, x);
  if (!padding_ || !is_grad_enabled()) return rows;
  return where(eq(x, *padding_).unsqueeze(-1), rows.detach(), rows);
}

void Embedding::members(Members& each) { each("weight", weight); }

std::string Embedding::details() const {
  return fmt::format("{}, {}", weight->size(0), weight->size(1));
}

// --------------------------------------------------------------------- without parameters ---

double Dropout::checked(double p, const char* layer) {
  if (p >= 0 && p <= 1) return p;
  base::raise(ErrorCode::kInvalidArgument, "[{}] no probability: expected 0 to 1, got {}", layer,
              p);
}

Tensor Dropout::forward(const Tensor& x) { return dropout(x, p_, is_training()); }

std::string Dropout::details() const { return fmt::format("{}", p_); }

Tensor Flatten::forward(const Tensor& x) {
  layers::check_defined(*this, "input", x);
  const int rank = std::max(x.rank(), 1);  // a tensor of rank 0 becomes [1]
  const auto from_start = [&](int dim) { return dim < 0 ? dim + rank : dim; };
  const int first = from_start(first_), last = from_start(last_);
  if (first < 0 || last >= rank || first > last) {
    base::raise(
        ErrorCode::kShapeMismatch,
        "[Flatten] no such dimensions: expected an input with dimensions {} to {}, got shape {}",
        static_cast<int>(first_), static_cast<int>(last_), patchbay::to_string(x.shape()));
  }
  Shape shape;
  for (int d = 0; d < first; ++d) shape.push_back(x.size(d));
  std::int64_t joined = 1;
  for (int d = first; d <= last && x.rank() > 0; ++d) joined *= x.size(d);
  shape.push_back(joined);
  for (int d = last + 1; d < rank; ++d) shape.push_back(x.size(d));
  return x.reshape(shape);
}

}  // namespace patchbay::nn
