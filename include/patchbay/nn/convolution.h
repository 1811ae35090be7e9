// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions and pooling as modules. Formulas, shapes and errors: convolution.h and pooling.h of
// the tensors.
#ifndef PATCHBAY_NN_CONVOLUTION_H_
#define PATCHBAY_NN_CONVOLUTION_H_

#include <optional>
#include <string>

#include "patchbay/convolution.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/pooling.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

struct Conv2dLayerOptions {
  Pair stride = 1;
  Pair padding = 0;
  Pair dilation = 1;
  Index groups = 1;
  bool bias = true;
  /// Dtype and device of the parameters.
  TensorOptions tensor = {};
};
/// x: [n, in, h, w] or [in, h, w], the result: [n, out, h', w'] or [out, h', w']. Parameters:
/// `weight`, [out, in / groups, kh, kw], and `bias`, [out], uniform in +-1 / sqrt(in / groups kh
/// kw).
class PATCHBAY_API Conv2d : public Module {
 public:
  /// Errors: kInvalidArgument for negative sizes, and unless groups divide `in` and `out`.
  Conv2d(Index in, Index out, Pair kernel, const Conv2dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;  // without a bias it is never defined, and no member

 protected:
  Conv2d(Index out, Pair kernel, const Conv2dLayerOptions& options);
  void create(std::int64_t in);

 private:
  std::int64_t in_ = -1, out_;
  Pair kernel_;
  Conv2dOptions options_;
  bool has_bias_;
};

/// Conv2d that learns `in` from the first input.
class PATCHBAY_API LazyConv2d : public Conv2d {
 public:
  LazyConv2d(Index out, Pair kernel, const Conv2dLayerOptions& options = {})
      : Conv2d(out, kernel, options) {}
  Tensor forward(const Tensor& x) override;
};

struct Conv1dLayerOptions {
  Index stride = 1, padding = 0, dilation = 1, groups = 1;
  bool bias = true;
  TensorOptions tensor = {};
};
/// x: [n, in, l] or [in, l], the result: [n, out, l'] or [out, l']. Parameters: `weight`, [out, in
/// / groups, k], and `bias`, [out], uniform in +-1 / sqrt(in / groups k).
class PATCHBAY_API Conv1d : public Module {
 public:
  /// Errors: as Conv2d.
  Conv1d(Index in, Index out, Index kernel, const Conv1dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;

 private:
  Conv1dOptions options_;
  bool has_bias_;
};

struct ConvTranspose2dLayerOptions {
  Pair stride = 1;
  Pair padding = 0;
  Pair output_padding = 0;
  Index groups = 1;
  Pair dilation = 1;
  bool bias = true;
  TensorOptions tensor = {};
};
/// The adjoint of Conv2d. x: [n, in, h, w] or [in, h, w]. Parameters: `weight`, [in, out / groups,
/// kh, kw], and `bias`, [out], uniform in +-1 / sqrt(out / groups kh kw).
class PATCHBAY_API ConvTranspose2d : public Module {
 public:
  /// Errors: as Conv2d.
  ConvTranspose2d(Index in, Index out, Pair kernel,
                  const ConvTranspose2dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;

 private:
  ConvTranspose2dOptions options_;
  bool has_bias_;
};

/// x: [n, c, h, w] or [c, h, w].
class PATCHBAY_API MaxPool2d : public Module {
 public:
  explicit MaxPool2d(Pair kernel, const MaxPool2dOptions& options = {})
      : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& x) override { return max_pool2d(x, kernel_, options_); }
  std::string details() const override;

 private:
  Pair kernel_;
  MaxPool2dOptions options_;
};

/// x: [n, c, h, w] or [c, h, w].
class PATCHBAY_API AvgPool2d : public Module {
 public:
  explicit AvgPool2d(Pair kernel, const AvgPool2dOptions& options = {})
      : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& x) override { return avg_pool2d(x, kernel_, options_); }
  std::string details() const override;

 private:
  Pair kernel_;
  AvgPool2dOptions options_;
};

/// Windows that give images of `size`. x: [n, c, h, w] or [c, h, w].
class PATCHBAY_API AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(Pair size) : size_(size) {}
  Tensor forward(const Tensor& x) override { return adaptive_avg_pool2d(x, size_); }
  std::string details() const override;

 private:
  Pair size_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_CONVOLUTION_H_
