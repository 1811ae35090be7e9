// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Attention and the positions that it is given: docs/layers.md. Dtypes: floats; f16 and bf16 are
// computed in f32 and rounded at the end. Queued. Errors, before any work: kDeviceMismatch,
// kDtypeMismatch, kShapeMismatch; kUnsupported if the device's plugin fuses nothing.
#ifndef PATCHBAY_ATTENTION_H_
#define PATCHBAY_ATTENTION_H_

#include <cstdint>
#include <optional>

#include "patchbay/export.h"
#include "patchbay/random.h"
#include "patchbay/tensor.h"

namespace patchbay {

struct AttentionOptions {
  /// Broadcasts to [..., queries, keys]. bool: a query attends to the keys with true. Of the
  /// query's dtype: added to the scores; gets a gradient. Undefined: every key.
  Tensor mask = {};
  /// Query i attends only to the keys 0 to i. A mask restricts them further.
  bool is_causal = false;
  /// Multiplies the scores; 1 / sqrt(features) unless given.
  std::optional<double> scale = {};
  /// Sets elements of the softmax to 0 with this probability and divides the others by 1 - dropout,
  /// with draws of the generator, one for 64 queries, which backward repeats; unless given, of the
  /// default generator.
  double dropout = 0;
  std::optional<Generator> generator = {};
  /// Dimension -3 holds heads, and key and value may have fewer heads than the query. If the query
  /// has n times as many, its heads n j to n j + n - 1 use head j of key and value (Ainslie et al.,
  /// GQA: Training Generalized Multi-Query Transformer Models, 2023).
  bool grouped_heads = false;
};
/// softmax(query key^T scale + mask) value (Vaswani et al., Attention Is All You Need, 2017).
/// query: [..., queries, features], key: [..., keys, features], value: [..., keys, n]; the result:
/// [..., queries, n]. Leading dimensions broadcast. A query that may attend to no key gives 0.
/// Blocks of queries are computed one after the other, and again in backward (Dao et al.,
/// FlashAttention, 2022), so memory grows with the number of keys, not with its square. Gradients
/// flow to query, key, value and a float mask. Errors: kInvalidArgument for a scale that is not
/// finite, and unless 0 <= dropout <= 1; kUnsupported in a backward with create_graph.
[[nodiscard]] PATCHBAY_API Tensor
scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const AttentionOptions& options = {});

struct RotaryOptions {
  /// The position of each step (i64, i32); broadcasts to the input's shape without the features.
  /// Undefined: offset, offset + 1, ...
  Tensor positions = {};
  std::int64_t offset = 0;
  double base = 10000;
  /// Pairs are the features 2 j and 2 j + 1. Else they are j and j + features / 2.
  bool is_interleaved = false;
};
/// Rotates pair j of the features of a step by position base^(-2 j / features) (Su et al.,
/// RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021). `input`: [..., steps,
/// features], an even number of features. Angles are computed in f64 if the device has it. Can be
/// differentiated twice. Errors: kInvalidArgument unless base > 0.
[[nodiscard]] PATCHBAY_API Tensor rotary_embedding(const Tensor& input,
                                                   const RotaryOptions& options = {});

}  // namespace patchbay

#endif  // PATCHBAY_ATTENTION_H_
