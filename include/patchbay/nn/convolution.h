// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions as modules. Formulas, shapes and errors: convolution.h of the tensors.
#ifndef PATCHBAY_NN_CONVOLUTION_H_
#define PATCHBAY_NN_CONVOLUTION_H_

#include <cstdint>
#include <string>

#include "patchbay/convolution.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

/// What convolutions share: their parameters. A lazy one makes those that are missing at its first
/// input, and keeps those that were loaded.
class PATCHBAY_API Convolution : public Module {
 public:
  void members(Members& each) override;
  std::string details() const override;

  Parameter weight, bias;  // without a bias it is never defined, and no member

 protected:
  struct Settings {
    const char* layer;  // for messages
    int num_dims;       // 1: the pairs are equal
    bool is_transposed;
    std::int64_t out;
    Pair kernel, stride, padding, dilation;
    std::int64_t groups;
    bool bias;
  };
  /// Errors: kInvalidArgument for negative sizes.
  Convolution(const Settings& settings, const TensorOptions& options);
  /// Makes the parameters that are missing. Errors: kInvalidArgument unless the groups divide `in`
  /// and `out`; kShapeMismatch if those that are there do not fit.
  void create(std::int64_t in);
  /// Makes the parameters that are missing for the channels of a lazy layer's first input.
  void learn(const Tensor& x);

 private:
  Settings settings_;
};

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
class PATCHBAY_API Conv2d : public Convolution {
 public:
  /// Errors: kInvalidArgument for negative sizes, and unless groups divide `in` and `out`.
  Conv2d(Index in, Index out, Pair kernel, const Conv2dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;

 protected:
  Conv2d(Index out, Pair kernel, const Conv2dLayerOptions& options);

 private:
  Conv2dOptions options_;
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
class PATCHBAY_API Conv1d : public Convolution {
 public:
  /// Errors: as Conv2d.
  Conv1d(Index in, Index out, Index kernel, const Conv1dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;

 protected:
  Conv1d(Index out, Index kernel, const Conv1dLayerOptions& options);

 private:
  Conv1dOptions options_;
};

/// Conv1d that learns `in` from the first input.
class PATCHBAY_API LazyConv1d : public Conv1d {
 public:
  LazyConv1d(Index out, Index kernel, const Conv1dLayerOptions& options = {})
      : Conv1d(out, kernel, options) {}
  Tensor forward(const Tensor& x) override;
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
class PATCHBAY_API ConvTranspose2d : public Convolution {
 public:
  /// Errors: as Conv2d.
  ConvTranspose2d(Index in, Index out, Pair kernel,
                  const ConvTranspose2dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;

 protected:
  ConvTranspose2d(Index out, Pair kernel, const ConvTranspose2dLayerOptions& options);

 private:
  ConvTranspose2dOptions options_;
};

/// ConvTranspose2d that learns `in` from the first input.
class PATCHBAY_API LazyConvTranspose2d : public ConvTranspose2d {
 public:
  LazyConvTranspose2d(Index out, Pair kernel, const ConvTranspose2dLayerOptions& options = {})
      : ConvTranspose2d(out, kernel, options) {}
  Tensor forward(const Tensor& x) override;
};

struct ConvTranspose1dLayerOptions {
  Index stride = 1, padding = 0, output_padding = 0, groups = 1, dilation = 1;
  bool bias = true;
  TensorOptions tensor = {};
};
/// The adjoint of Conv1d. x: [n, in, l] or [in, l]. Parameters: `weight`, [in, out / groups, k],
/// and `bias`, [out], uniform in +-1 / sqrt(out / groups k).
class PATCHBAY_API ConvTranspose1d : public Convolution {
 public:
  /// Errors: as Conv2d.
  ConvTranspose1d(Index in, Index out, Index kernel,
                  const ConvTranspose1dLayerOptions& options = {});
  Tensor forward(const Tensor& x) override;

 protected:
  ConvTranspose1d(Index out, Index kernel, const ConvTranspose1dLayerOptions& options);

 private:
  ConvTranspose1dOptions options_;
};

/// ConvTranspose1d that learns `in` from the first input.
class PATCHBAY_API LazyConvTranspose1d : public ConvTranspose1d {
 public:
  LazyConvTranspose1d(Index out, Index kernel, const ConvTranspose1dLayerOptions& options = {})
      : ConvTranspose1d(out, kernel, options) {}
  Tensor forward(const Tensor& x) override;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_CONVOLUTION_H_
