// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Layers of whole vectors: products, tables, and what stands between layers.
#ifndef PATCHBAY_NN_LINEAR_H_
#define PATCHBAY_NN_LINEAR_H_

#include <optional>
#include <string>

#include "patchbay/export.h"
#include "patchbay/functional.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct LinearOptions {
  bool bias = true;
  /// Applied to the result, in one pass with the bias.
  Activation activation = Activation::kNone;
  /// Dtype and device of the parameters.
  TensorOptions tensor = {};
};

/// activation(x weight^T + bias). x: [..., in], the result: [..., out]. Parameters: `weight`, [out,
/// in], and `bias`, [out], uniform in +-1 / sqrt(in).
class PATCHBAY_API Linear : public Module {
 public:
  /// Errors: kInvalidArgument for negative sizes.
  Linear(Index in, Index out, const LinearOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;  // without a bias it is never defined, and no member

 protected:
  Linear(Index out, const LinearOptions& options);
  /// Makes the parameters that are missing for a lazy layer's first input. Errors: kShapeMismatch
  /// if those that were loaded do not fit it.
  void learn(const Tensor& x);

 private:
  void create(std::int64_t in);

  std::int64_t out_;
  bool has_bias_;
  Activation activation_;
};

/// Linear that learns `in` from the first input. Parameters that were loaded before stay.
class PATCHBAY_API LazyLinear : public Linear {
 public:
  explicit LazyLinear(Index out, const LinearOptions& options = {}) : Linear(out, options) {}
  Tensor forward(const Tensor& x) override;
};

struct EmbeddingOptions {
  /// This index gives a row of zeros at first, and its row gets no gradient. A weight decay of the
  /// optimiser changes the row all the same.
  std::optional<Index> padding = {};
  TensorOptions tensor = {};
};

/// Rows of a table, by index. x: i64 or i32, [...], the result: [..., size]. Parameter: `weight`,
/// [count, size], normal with deviation 1.
class PATCHBAY_API Embedding : public Module {
 public:
  Embedding(Index count, Index size, const EmbeddingOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight;

 private:
  std::optional<std::int64_t> padding_;
};

/// In training, sets elements to 0 with probability p and divides the others by 1 - p. Shape: any.
class PATCHBAY_API Dropout : public Module {
 public:
  /// Errors: kInvalidArgument unless 0 <= p <= 1.
  explicit Dropout(double p = 0.5) : p_(checked(p)) {}
  /// Returns p. The message of its error names the layer.
  static double checked(double p, const char* layer = "Dropout");
  Tensor forward(const Tensor& x) override;
  std::string details() const override;

 private:
  double p_;
};

/// Joins the dimensions from `first` to `last` (from the end if negative): [n, c, h, w] becomes
/// [n, c h w].
class PATCHBAY_API Flatten : public Module {
 public:
  explicit Flatten(Dim first = 1, Dim last = -1) : first_(first), last_(last) {}
  Tensor forward(const Tensor& x) override;

 private:
  Dim first_, last_;
};

/// Returns its input.
class PATCHBAY_API Identity : public Module {
 public:
  Tensor forward(const Tensor& x) override { return x; }
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_LINEAR_H_
