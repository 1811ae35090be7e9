// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Pooling as modules. x: [n, c, h, w] or [c, h, w]; in one dimension [n, c, l] or [c, l]. Formulas,
// shapes and errors: pooling.h of the tensors.
#ifndef PATCHBAY_NN_POOLING_H_
#define PATCHBAY_NN_POOLING_H_

#include <cstdint>
#include <string>

#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/nn/module.h"
#include "patchbay/pooling.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

/// The largest element of each window.
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

/// The mean of each window.
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

/// The largest elements of windows that give images of `size`.
class PATCHBAY_API AdaptiveMaxPool2d : public Module {
 public:
  explicit AdaptiveMaxPool2d(Pair size) : size_(size) {}
  Tensor forward(const Tensor& x) override { return adaptive_max_pool2d(x, size_); }
  std::string details() const override;

 private:
  Pair size_;
};

/// The means of windows that give images of `size`.
class PATCHBAY_API AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(Pair size) : size_(size) {}
  Tensor forward(const Tensor& x) override { return adaptive_avg_pool2d(x, size_); }
  std::string details() const override;

 private:
  Pair size_;
};

/// The largest element of each window.
class PATCHBAY_API MaxPool1d : public Module {
 public:
  explicit MaxPool1d(Index kernel, const MaxPool1dOptions& options = {})
      : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& x) override { return max_pool1d(x, kernel_, options_); }
  std::string details() const override;

 private:
  std::int64_t kernel_;
  MaxPool1dOptions options_;
};

/// The mean of each window.
class PATCHBAY_API AvgPool1d : public Module {
 public:
  explicit AvgPool1d(Index kernel, const AvgPool1dOptions& options = {})
      : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& x) override { return avg_pool1d(x, kernel_, options_); }
  std::string details() const override;

 private:
  std::int64_t kernel_;
  AvgPool1dOptions options_;
};

/// The largest elements of windows that give signals of `size`.
class PATCHBAY_API AdaptiveMaxPool1d : public Module {
 public:
  explicit AdaptiveMaxPool1d(Index size) : size_(size) {}
  Tensor forward(const Tensor& x) override { return adaptive_max_pool1d(x, size_); }
  std::string details() const override;

 private:
  std::int64_t size_;
};

/// The means of windows that give signals of `size`.
class PATCHBAY_API AdaptiveAvgPool1d : public Module {
 public:
  explicit AdaptiveAvgPool1d(Index size) : size_(size) {}
  Tensor forward(const Tensor& x) override { return adaptive_avg_pool1d(x, size_); }
  std::string details() const override;

 private:
  std::int64_t size_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_POOLING_H_
