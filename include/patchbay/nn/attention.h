// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Attention and transformers as modules. Formulas and errors: attention.h of the tensors.
#ifndef PATCHBAY_NN_ATTENTION_H_
#define PATCHBAY_NN_ATTENTION_H_

#include <cstdint>
#include <string>

#include "patchbay/attention.h"
#include "patchbay/export.h"
#include "patchbay/functional.h"
#include "patchbay/integer.h"
#include "patchbay/nn/linear.h"
#include "patchbay/nn/module.h"
#include "patchbay/nn/normalization.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct MultiheadAttentionOptions {
  bool bias = true;
  /// Of the softmax, in training.
  double dropout = 0;
  /// Dtype and device of the parameters.
  TensorOptions tensor = {};
};
/// scaled_dot_product_attention of `heads` parts of the features, each after products of its own.
/// query: [..., queries, size], key and value: [..., keys, size], the result: [..., queries, size].
/// Parameters: `in_proj_weight`, [3 size, size], the products of query, key and value,
/// Xavier-uniform; `in_proj_bias`, [3 size], 0; `out_proj`, a Linear whose bias is 0.
class PATCHBAY_API MultiheadAttention : public Module {
 public:
  /// Errors: kInvalidArgument unless `heads` divides `size`, and unless 0 <= dropout <= 1.
  MultiheadAttention(Index size, Index heads, const MultiheadAttentionOptions& options = {});
  /// Of a sequence with itself.
  Tensor forward(const Tensor& x) override;
  using Module::operator();
  /// A mask of the options broadcasts to [..., heads, queries, keys]. In training the dropout is
  /// that of the layer, in evaluation there is none.
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionOptions& options = {});
  void members(Members& each) override;
  std::string details() const override;

  Parameter in_proj_weight, in_proj_bias;
  Linear out_proj;

 private:
  Tensor run(const Tensor& query, const Tensor& key, const Tensor& value,
             const AttentionOptions& options);
  Tensor split(const Tensor& x) const;

  std::int64_t size_, heads_;
  double dropout_;
};

struct TransformerEncoderOptions {
  Index feed_forward = 2048;
  /// Of the attention's softmax, between the products, and of what is added.
  double dropout = 0.1;
  Activation activation = Activation::kRelu;
  /// Whether each part normalizes its input instead of its sum.
  bool norm_first = false;
  double epsilon = 1e-5;
  TensorOptions tensor = {};
};
/// Attention and two products, each added to its input, with dropout, and normalized (Vaswani et
/// al., Attention Is All You Need, 2017). x: [..., steps, size], and so the result. Members:
/// `self_attn`, `linear1`, `linear2`, `norm1`, `norm2`.
class PATCHBAY_API TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(Index size, Index heads, const TransformerEncoderOptions& options = {});
  Tensor forward(const Tensor& x) override;
  using Module::operator();
  Tensor operator()(const Tensor& x, const AttentionOptions& options);
  void members(Members& each) override;

  MultiheadAttention self_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2;

 private:
  Tensor run(const Tensor& x, const AttentionOptions& options);

  double dropout_;
  bool norm_first_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_ATTENTION_H_
