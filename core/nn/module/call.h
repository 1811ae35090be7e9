// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The calls of modules that a thread is in, so that an error can name its layer.
#ifndef PATCHBAY_CORE_NN_MODULE_CALL_H_
#define PATCHBAY_CORE_NN_MODULE_CALL_H_

#include <string>
#include <string_view>

#include "patchbay/error.h"
#include "patchbay/nn/module.h"

namespace patchbay::nn::module {

/// An error whose message says already where it was thrown: calls pass it on as it is.
class LayerError final : public Error {
 public:
  using Error::Error;
};

/// The text, and a full stop unless it has one.
std::string sentence(std::string_view text);

class Call {
 public:
  explicit Call(Module& module);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// "encoder.hidden (Linear)": the names from the outermost call down. A module that is called
  /// but is no member of the one that calls it has its type alone.
  std::string layer() const;
  /// The error with the name of the layer, unless it has one. That operands are on different
  /// devices, or of different dtypes, is said of input and parameter, if a parameter of the module
  /// itself is the cause.
  [[noreturn]] void rethrow(const Error& error, const Tensor& input) const;

 private:
  void check_device(const Tensor& input) const;
  void check_dtype(const Tensor& input, std::string_view message) const;
  std::string path() const;

  Module& module_;
  const Call* const outer_;
};

}  // namespace patchbay::nn::module

#endif  // PATCHBAY_CORE_NN_MODULE_CALL_H_
