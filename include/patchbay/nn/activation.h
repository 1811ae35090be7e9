// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Elementwise functions and softmax as modules, for Sequential. Shape: any; formulas and errors:
// elementwise.h and functional.h.
#ifndef PATCHBAY_NN_ACTIVATION_H_
#define PATCHBAY_NN_ACTIVATION_H_

#include "patchbay/functional.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

class ReLU : public Module {
 public:
  Tensor forward(const Tensor& x) override { return relu(x); }
};

class GELU : public Module {
 public:
  Tensor forward(const Tensor& x) override { return gelu(x); }
};

class SiLU : public Module {
 public:
  Tensor forward(const Tensor& x) override { return silu(x); }
};

class Sigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override { return sigmoid(x); }
};

class Tanh : public Module {
 public:
  Tensor forward(const Tensor& x) override { return tanh(x); }
};

class Softplus : public Module {
 public:
  Tensor forward(const Tensor& x) override { return softplus(x); }
};

class LeakyReLU : public Module {
 public:
  explicit LeakyReLU(double slope = 0.01) : slope_(slope) {}
  Tensor forward(const Tensor& x) override { return leaky_relu(x, slope_); }

 private:
  double slope_;
};

class ELU : public Module {
 public:
  explicit ELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& x) override { return elu(x, alpha_); }

 private:
  double alpha_;
};

class Softmax : public Module {
 public:
  explicit Softmax(Dim dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& x) override { return softmax(x, dim_); }

 private:
  Dim dim_;
};

class LogSoftmax : public Module {
 public:
  explicit LogSoftmax(Dim dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& x) override { return log_softmax(x, dim_); }

 private:
  Dim dim_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_ACTIVATION_H_
