// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The arguments of one call, as the types of a function's parameters.
#ifndef PATCHBAY_CORE_TENSOR_CALL_ARGUMENTS_H_
#define PATCHBAY_CORE_TENSOR_CALL_ARGUMENTS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/call.h"
#include "patchbay/convolution.h"
#include "patchbay/ops.h"

#include "core/tensor/call/signature.h"

namespace patchbay::tensor {

/// Why a call does not fit a signature. Of several signatures the one that the call fits furthest
/// says what is wrong.
struct Misfit {
  enum class Step : std::uint8_t { kName, kInputs, kTwice, kKind, kMissing };
  Step step;
  std::string text;
};

/// The values of a call for a signature, in the order of its arguments; those left out are empty.
class Arguments {
 public:
  explicit Arguments(const Signature& signature)
      : signature_(signature), values_(signature.arguments.size()) {}

  /// Finds the argument of each input and option, and checks their kinds.
  std::optional<Misfit> bind(const std::vector<TensorOrScalar>& inputs, const CallOptions& options);

  bool has(std::size_t at) const { return values_[at].has_value(); }
  bool is_tensor(std::size_t at) const { return has(at) && holds<Tensor>(at); }
  /// Undefined if it was left out.
  const Tensor& tensor(std::size_t at) const;
  const std::vector<Tensor>& tensors(std::size_t at) const;

  /// The value as a parameter's type. Errors: kInvalidArgument for a value that the type can't
  /// have.
  template <class T>
  T get(std::size_t at) const;
  template <class T>
  T get(std::size_t at, T otherwise) const {
    return has(at) ? get<T>(at) : std::move(otherwise);
  }
  /// Sets a field of options unless the argument was left out.
  template <class T>
  void set(std::size_t at, T& field) const {
    if (has(at)) field = get<T>(at);
  }
  /// Structs from a list: the fields of each of them, one after the other.
  template <class Struct, class Field>
  std::vector<Struct> structs(std::size_t at, std::initializer_list<Field Struct::*> fields) const {
    const auto values = get<std::vector<Field>>(at);
    check_multiple(at, values.size(), fields.size());
    std::vector<Struct> made(values.size() / fields.size());
    std::size_t i = 0;
    for (Struct& one : made) {
      for (Field Struct::*const field : fields) one.*field = values[i++];
    }
    return made;
  }

  /// Errors: kInvalidArgument, always: none of the operands is a tensor.
  [[noreturn]] void refuse_numbers() const;

 private:
  template <class T>
  bool holds(std::size_t at) const {
    return std::holds_alternative<T>(values_[at]->variant());
  }
  template <class T>
  const T& held(std::size_t at) const {
    return std::get<T>(values_[at]->variant());
  }
  std::optional<Misfit> bind_inputs(const std::vector<TensorOrScalar>& inputs);
  std::optional<Misfit> bind_option(std::string_view name, const CallValue& value);
  Scalar scalar(std::size_t at) const;
  std::vector<std::int64_t> integers(std::size_t at) const;
  std::int64_t integer(std::size_t at, std::int64_t lowest, std::int64_t highest) const;
  std::int64_t word(std::size_t at) const;
  DType dtype(std::size_t at) const;
  Device device(std::size_t at) const;
  Pair pair(std::size_t at) const;
  Axes axes(std::size_t at) const;
  void check_multiple(std::size_t at, std::size_t count, std::size_t of) const;

  const Signature& signature_;
  std::vector<std::optional<CallValue>> values_;
};

/// The one result of a function.
inline std::vector<Tensor> one(Tensor result) { return {std::move(result)}; }

template <class T>
struct Optional : std::false_type {};
template <class T>
struct Optional<std::optional<T>> : std::true_type {
  using Value = T;
};

template <class T>
T Arguments::get(std::size_t at) const {
  if constexpr (Optional<T>::value)
    return get<typename Optional<T>::Value>(at);
  else if constexpr (std::same_as<T, Tensor>)
    return tensor(at);
  else if constexpr (std::same_as<T, std::vector<Tensor>>)
    return tensors(at);
  else if constexpr (std::same_as<T, bool> || std::same_as<T, Generator>)
    return held<T>(at);
  else if constexpr (std::same_as<T, double>)
    return scalar(at).to_double();
  else if constexpr (std::same_as<T, Scalar>)
    return scalar(at);
  else if constexpr (std::is_enum_v<T> && !std::same_as<T, DType>)
    return static_cast<T>(word(at));
  else if constexpr (std::integral<T>)
    return static_cast<T>(integer(at,
                                  std::in_range<std::int64_t>(std::numeric_limits<T>::min())
                                      ? std::numeric_limits<T>::min()
                                      : INT64_MIN,
                                  std::in_range<std::int64_t>(std::numeric_limits<T>::max())
                                      ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                      : INT64_MAX));
  else if constexpr (std::same_as<T, Dim> || std::same_as<T, Index>)
    return integer(at, INT64_MIN, INT64_MAX);
  else if constexpr (std::same_as<T, DType>)
    return dtype(at);
  else if constexpr (std::same_as<T, Device>)
    return device(at);
  else if constexpr (std::same_as<T, Pair>)
    return pair(at);
  else if constexpr (std::same_as<T, Axes>)
    return axes(at);
  else if constexpr (std::same_as<T, Shape> || std::same_as<T, std::vector<std::int64_t>>)
    return T(integers(at));
  else if constexpr (std::same_as<T, const char*>)
    return held<std::string>(at).c_str();
  else
    return T(held<std::string>(at));
}

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_CALL_ARGUMENTS_H_
