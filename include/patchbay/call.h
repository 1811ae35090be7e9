// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Functions by name, for interpreters, models in files and other languages:
// docs/operators.md#by-name. docs/functions.md marks the names.
//
//   call("softmax", {x}, {{"dim", -1}})[0]
//   call("conv2d", {x, weight}, {{"stride", {2, 1}}, {"bias", bias}})[0]
#ifndef PATCHBAY_CALL_H_
#define PATCHBAY_CALL_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/dtype.h"
#include "patchbay/export.h"
#include "patchbay/integer.h"
#include "patchbay/random.h"
#include "patchbay/scalar.h"
#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"

namespace patchbay {

/// The value of an argument of `call`. A text is also the name of a dtype or a device, or a word of
/// an enum: "mean" for LossReduction::kMean. An integer is also a list of one.
class CallValue {
 public:
  using Variant =
      std::variant<bool, std::int64_t, double, Scalar, std::string, std::vector<std::int64_t>,
                   Tensor, std::vector<Tensor>, DType, Device, Generator>;

  // NOLINTBEGIN(google-explicit-constructor): {{"dim", -1}, {"keep", true}}
  CallValue(std::same_as<bool> auto value) : value_(value) {}
  template <AnyInteger N>
  CallValue(N value) : value_(static_cast<std::int64_t>(value)) {
    if (!std::in_range<std::int64_t>(+value)) value_ = Scalar(value);
  }
  CallValue(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  CallValue(const Scalar& value) : value_(value) {}
  CallValue(const char* value) : value_(std::string(value != nullptr ? value : "")) {}
  CallValue(std::string_view value) : value_(std::string(value)) {}
  CallValue(std::string value) : value_(std::move(value)) {}
  CallValue(std::initializer_list<std::int64_t> values)
      : value_(std::vector<std::int64_t>(values)) {}
  CallValue(std::vector<std::int64_t> values) : value_(std::move(values)) {}
  CallValue(Tensor value) : value_(std::move(value)) {}
  CallValue(std::vector<Tensor> values) : value_(std::move(values)) {}
  CallValue(DType value) : value_(value) {}
  CallValue(Device value) : value_(std::move(value)) {}
  CallValue(Generator value) : value_(std::move(value)) {}
  CallValue(const TensorOrScalar& value) {
    if (value.is_tensor()) {
      value_ = value.tensor();
    } else {
      value_ = value.scalar();
    }
  }
  // NOLINTEND(google-explicit-constructor)

  const Variant& variant() const { return value_; }

 private:
  Variant value_;
};

using CallOptions = std::map<std::string, CallValue, std::less<>>;

/// Calls a function of this library by its name: "add", "conv2d"; a method of Tensor as
/// "Tensor.reshape". `inputs` are its tensors, and numbers in place of tensors, in the order of its
/// parameters; the only list of a function, as of concat, takes all of them. `options` are other
/// parameters, and the fields of its options, by name; tensors may be among them. Gives the
/// function's results; nothing for one that returns nothing. Blocks, queues and records as the
/// function does. Errors: kInvalidArgument for an unknown name, with the nearest one, for arguments
/// that are missing, superfluous or of another kind, and for a function that call does not take,
/// with the reason; those of the function.
PATCHBAY_API std::vector<Tensor> call(std::string_view name,
                                      const std::vector<TensorOrScalar>& inputs = {},
                                      const CallOptions& options = {});

/// The names that `call` takes, in alphabetical order. Valid until the process ends.
PATCHBAY_API std::vector<std::string_view> callable_names();

}  // namespace patchbay

#endif  // PATCHBAY_CALL_H_
