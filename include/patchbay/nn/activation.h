// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise functions and softmax as modules, for Sequential. Shape: any; formulas and errors:
// elementwise.h and functional.h. What is made of several functions is rounded after each.
#ifndef PATCHBAY_NN_ACTIVATION_H_
#define PATCHBAY_NN_ACTIVATION_H_

#include <string>

#include "patchbay/export.h"
#include "patchbay/functional.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

/// relu(x).
class PATCHBAY_API ReLU : public Module {
 public:
  Tensor forward(const Tensor& x) override { return relu(x); }
};

/// gelu(x).
class PATCHBAY_API GELU : public Module {
 public:
  Tensor forward(const Tensor& x) override { return gelu(x); }
};

/// silu(x).
class PATCHBAY_API SiLU : public Module {
 public:
  Tensor forward(const Tensor& x) override { return silu(x); }
};

/// sigmoid(x).
class PATCHBAY_API Sigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override { return sigmoid(x); }
};

/// tanh(x).
class PATCHBAY_API Tanh : public Module {
 public:
  Tensor forward(const Tensor& x) override { return tanh(x); }
};

/// log(1 + exp(beta x)) / beta.
class PATCHBAY_API Softplus : public Module {
 public:
  explicit Softplus(double beta = 1) : beta_(beta) {}
  Tensor forward(const Tensor& x) override {
    return beta_ == 1 ? softplus(x) : softplus(x * beta_) / beta_;
  }

 private:
  double beta_;
};

/// x limited to [low, high].
class PATCHBAY_API Hardtanh : public Module {
 public:
  explicit Hardtanh(double low = -1, double high = 1) : low_(low), high_(high) {}
  Tensor forward(const Tensor& x) override { return clamp(x, low_, high_); }

 private:
  double low_, high_;
};

/// x limited to [0, 6].
class PATCHBAY_API ReLU6 : public Hardtanh {
 public:
  ReLU6() : Hardtanh(0, 6) {}
};

/// x / 6 + 1 / 2, limited to [0, 1]. Of f16 and bf16 it is computed in f32, as Hardswish, Mish,
/// Softsign and Tanhshrink are.
class PATCHBAY_API Hardsigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// x Hardsigmoid(x).
class PATCHBAY_API Hardswish : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// x tanh(softplus(x)) (Misra, 2019).
class PATCHBAY_API Mish : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// log(sigmoid(x)).
class PATCHBAY_API LogSigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override { return -softplus(-x); }
};

/// x / (1 + |x|). Errors: kDtypeMismatch for integers.
class PATCHBAY_API Softsign : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// x - tanh(x).
class PATCHBAY_API Tanhshrink : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// x where |x| > lambda, else 0.
class PATCHBAY_API Hardshrink : public Module {
 public:
  explicit Hardshrink(double lambda = 0.5) : lambda_(lambda) {}
  Tensor forward(const Tensor& x) override { return where(le(abs(x), lambda_), 0, x); }

 private:
  double lambda_;
};

/// x drawn towards 0 by lambda, which it does not pass.
class PATCHBAY_API Softshrink : public Module {
 public:
  explicit Softshrink(double lambda = 0.5) : lambda_(lambda) {}
  Tensor forward(const Tensor& x) override { return x - clamp(x, -lambda_, lambda_); }

 private:
  double lambda_;
};

/// 1.0507 ELU(x) with alpha 1.6733 (Klambauer et al., Self-Normalizing Neural Networks, 2017).
class PATCHBAY_API SELU : public Module {
 public:
  Tensor forward(const Tensor& x) override {
    return elu(x, 1.6732632423543772848) * 1.0507009873554804934;
  }
};

/// alpha ELU(x / alpha).
class PATCHBAY_API CELU : public Module {
 public:
  explicit CELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& x) override { return elu(x / alpha_) * alpha_; }

 private:
  double alpha_;
};

/// leaky_relu(x, slope).
class PATCHBAY_API LeakyReLU : public Module {
 public:
  explicit LeakyReLU(double slope = 0.01) : slope_(slope) {}
  Tensor forward(const Tensor& x) override { return leaky_relu(x, slope_); }

 private:
  double slope_;
};

/// elu(x, alpha).
class PATCHBAY_API ELU : public Module {
 public:
  explicit ELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& x) override { return elu(x, alpha_); }

 private:
  double alpha_;
};

/// softmax(x, dim).
class PATCHBAY_API Softmax : public Module {
 public:
  explicit Softmax(Dim dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& x) override { return softmax(x, dim_); }

 private:
  Dim dim_;
};

/// log_softmax(x, dim).
class PATCHBAY_API LogSoftmax : public Module {
 public:
  explicit LogSoftmax(Dim dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& x) override { return log_softmax(x, dim_); }

 private:
  Dim dim_;
};

/// softmax(-x).
class PATCHBAY_API Softmin : public Module {
 public:
  explicit Softmin(Dim dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& x) override { return softmax(-x, dim_); }

 private:
  Dim dim_;
};

/// The first half along a dimension times the sigmoid of the second (Dauphin et al., 2017).
class PATCHBAY_API GLU : public Module {
 public:
  explicit GLU(Dim dim = -1) : dim_(dim) {}
  /// Errors: kShapeMismatch unless the extent is even.
  Tensor forward(const Tensor& x) override;

 private:
  Dim dim_;
};

struct PReLUOptions {
  double slope = 0.25;  // the first value
  TensorOptions tensor = {};
};
/// x where x > 0, else weight x (He et al., Delving Deep into Rectifiers, 2015). x: any shape if
/// there is one weight, else [n, count, ...]. Parameter: `weight`, [count].
class PATCHBAY_API PReLU : public Module {
 public:
  /// Errors: kInvalidArgument for a negative count.
  explicit PReLU(Index count = 1, const PReLUOptions& options = {});
  Tensor forward(const Tensor& x) override;
  void members(Members& each) override { each("weight", weight); }
  std::string details() const override;

  Parameter weight;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_ACTIVATION_H_
