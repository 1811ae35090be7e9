// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/attention.h"

#include "patchbay/nn/init.h"

#include "core/base/error.h"
#include "core/nn/layers/sizes.h"

namespace patchbay::nn {

using base::raise;
using layers::checked_size;
using layers::create_parameter;

MultiheadAttention::MultiheadAttention(Index size, Index heads,
                                       const MultiheadAttentionOptions& options)
    : in_proj_weight(options.tensor),
      in_proj_bias(options.tensor),
      out_proj(checked_size("MultiheadAttention", "size", size), size,
               {.bias = options.bias, .tensor = options.tensor}),
      size_(size),
      heads_(heads),
      dropout_(Dropout::checked(options.dropout, "MultiheadAttention")) {
  if (heads_ < 1 || size_ % heads_ != 0) {
    raise(ErrorCode::kInvalidArgument,
          "[MultiheadAttention] wrong heads: expected a divisor of size {}, got {}", size_, heads_);
  }
  create_parameter(in_proj_weight, {3 * size_, size_},
                   [](const Tensor& tensor) { init::xavier_uniform(tensor); });
  if (!options.bias) return;
  create_parameter(in_proj_bias, {3 * size_},
                   [](const Tensor& tensor) { init::constant(tensor, 0); });
  init::constant(out_proj.bias, 0);
}

Tensor MultiheadAttention::forward(const Tensor& x) { return run(x, x, x, {}); }

Tensor MultiheadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const AttentionOptions& options) {
  Tensor result;
  call(query, [&] { result = run(query, key, value, options); });
  return result;
}

/// [..., steps, n size] as [..., n heads, steps, size / heads].
Tensor MultiheadAttention::split(const Tensor& x) const {
  Shape shape = x.shape();
  shape[shape.rank() - 1] = x.size(-1) / size_ * heads_;
  shape.push_back(size_ / heads_);
  return x.reshape(shape).transpose(-3, -2);
}

Tensor MultiheadAttention::run(const Tensor& query, const Tensor& key, const Tensor& value,
                               const AttentionOptions& options) {
  layers::check_defined(*this, "query", query);
  layers::check_defined(*this, "key", key);
  layers::check_defined(*this, "value", value);
  if (query.rank() < 2 || query.size(-1) != size_) {
    raise(ErrorCode::kShapeMismatch,
          "[MultiheadAttention] a wrong query: expected [..., queries, {}], got {}", size_,
          patchbay::to_string(query.shape()));
  }
  const auto check_operand = [&](const char* name, const Tensor& operand) {
    if (operand.device() != query.device()) {
      raise(ErrorCode::kDeviceMismatch,
            "[MultiheadAttention] query and {0} are on different devices ({1} and {2}). Copy {0} "
            "first: {0}.to(query.device()).",
            name, query.device().name(), operand.device().name());
    }
    if (operand.rank() == query.rank() && operand.size(-1) == size_) return;
    raise(ErrorCode::kShapeMismatch,
          "[MultiheadAttention] a wrong {}: expected [..., keys, {}], got {} (query: {})", name,
          size_, patchbay::to_string(operand.shape()), patchbay::to_string(query.shape()));
  };
  check_operand("key", key);
  check_operand("value", value);
  const auto part = [&](const Parameter& parameter, std::int64_t first, std::int64_t count) {
    return parameter.defined() ? parameter->slice(0, first * size_, (first + count) * size_)
                               : Tensor();
  };
  const auto project = [&](const Tensor& x, std::int64_t first, std::int64_t count) {
    return linear(x, part(in_proj_weight, first, count), part(in_proj_bias, first, count));
  };
  Tensor q, k, v;
  if (query.is_same(key) && key.is_same(value)) {
    const Tensor all = split(project(query, 0, 3));  // split first, so that the parts are views
    q = all.slice(-3, 0, heads_);
    k = all.slice(-3, heads_, 2 * heads_);
    v = all.slice(-3, 2 * heads_);
  } else {
    q = split(project(query, 0, 1));
    k = split(project(key, 1, 1));
    v = split(project(value, 2, 1));
  }
  AttentionOptions settings = options;
  settings.dropout = is_training() ? dropout_ : 0;
  const Tensor heads = scaled_dot_product_attention(q, k, v, settings);
  return out_proj(heads.transpose(-3, -2).reshape(query.shape()));
}

void MultiheadAttention::members(Members& each) {
  each("in_proj_weight", in_proj_weight);
  if (in_proj_bias.defined()) each("in_proj_bias", in_proj_bias);
  each("out_proj", out_proj);
}

std::string MultiheadAttention::details() const { return fmt::format("{}, {}", size_, heads_); }

namespace {

constexpr const char* kEncoder = "TransformerEncoderLayer";

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(Index size, Index heads,
                                                 const TransformerEncoderOptions& options)
    : self_attn(checked_size(kEncoder, "size", size), heads,
                {.dropout = Dropout::checked(options.dropout, kEncoder), .tensor = options.tensor}),
      linear1(size, checked_size(kEncoder, "feed_forward", options.feed_forward),
              {.activation = options.activation, .tensor = options.tensor}),
      linear2(options.feed_forward, size, {.tensor = options.tensor}),
      norm1({size}, {.epsilon = options.epsilon, .tensor = options.tensor}),
      norm2({size}, {.epsilon = options.epsilon, .tensor = options.tensor}),
      dropout_(options.dropout),
      norm_first_(options.norm_first) {}

Tensor TransformerEncoderLayer::forward(const Tensor& x) { return run(x, {}); }

Tensor TransformerEncoderLayer::operator()(const Tensor& x, const AttentionOptions& options) {
  Tensor result;
  call(x, [&] { result = run(x, options); });
  return result;
}

Tensor TransformerEncoderLayer::run(const Tensor& x, const AttentionOptions& options) {
  layers::check_defined(*this, "input", x);
  const auto drop = [&](const Tensor& a) { return dropout(a, dropout_, is_training()); };
  const auto attend = [&](const Tensor& a) { return drop(self_attn(a, a, a, options)); };
  const auto feed = [&](const Tensor& a) { return drop(linear2(drop(linear1(a)))); };
  if (norm_first_) {
    const Tensor attended = x + attend(norm1(x));
    return attended + feed(norm2(attended));
  }
  const Tensor attended = norm1(x + attend(x));
  return norm2(attended + feed(attended));
}

void TransformerEncoderLayer::members(Members& each) {
  each("self_attn", self_attn);
  each("linear1", linear1);
  each("linear2", linear2);
  each("norm1", norm1);
  each("norm2", norm2);
}

}  // namespace patchbay::nn
