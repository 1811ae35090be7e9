// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/call/arguments.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "patchbay/call.h"

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/tensor/call/signature.h"

namespace patchbay::tensor {
namespace {

// How messages name what an argument takes, and what it got.

std::string_view noun_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kTensor: return "a tensor";
    case ValueKind::kOperand: return "a tensor or a number";
    case ValueKind::kTensors: return "a list of tensors";
    case ValueKind::kScalar:
    case ValueKind::kNumber: return "a number";
    case ValueKind::kInteger: return "an integer";
    case ValueKind::kIntegers: return "a list of integers";
    case ValueKind::kBool: return "true or false";
    case ValueKind::kText: return "a text";
    case ValueKind::kWord: return "a word";
    case ValueKind::kDtype: return "a dtype, or its name";
    case ValueKind::kDevice: return "a device, or its name";
    case ValueKind::kGenerator: return "a generator";
  }
  return "";
}

template <class... Types>
bool is_one_of(const CallValue& value) {
  return (std::holds_alternative<Types>(value.variant()) || ...);
}

struct Description {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("the integer {}", value); }
  std::string operator()(double value) const { return fmt::format("the number {}", value); }
  std::string operator()(const Scalar& value) const { return "the number " + value.to_string(); }
  std::string operator()(const std::string& value) const {
    return "the text " + base::quote(value);
  }
  std::string operator()(const std::vector<std::int64_t>& values) const {
    return fmt::format("a list of {} integers", values.size());
  }
  std::string operator()(const Tensor&) const { return "a tensor"; }
  std::string operator()(const std::vector<Tensor>& values) const {
    return fmt::format("a list of {} tensors", values.size());
  }
  std::string operator()(DType value) const {
    return fmt::format("the dtype {}", to_string(value));
  }
  std::string operator()(const Device& value) const {
    return value.defined() ? "the device " + value.name() : "no device";
  }
  std::string operator()(const Generator&) const { return "a generator"; }
};

/// "a tensor", "a list of integers"; for words of an enum all of them: "none, mean or sum".
std::string describe(const Argument& argument) {
  if (argument.kind != ValueKind::kWord) return std::string(noun_of(argument.kind));
  std::string text;
  for (std::size_t i = 0; i < argument.words.size(); ++i) {
    const char* const separator = i == 0 ? "" : i + 1 == argument.words.size() ? " or " : ", ";
    text += fmt::format("{}{}", separator, argument.words[i].text);
  }
  return text;
}

/// "the number 1.5", "the text 'x'", "a list of 2 integers".
std::string describe(const CallValue& value) { return std::visit(Description(), value.variant()); }

/// Whether the argument takes the value. Words and names are not looked up.
bool takes(ValueKind kind, const CallValue& value) {
  switch (kind) {
    case ValueKind::kTensor: return is_one_of<Tensor>(value);
    case ValueKind::kOperand: return is_one_of<Tensor, bool, std::int64_t, double, Scalar>(value);
    case ValueKind::kTensors: return is_one_of<std::vector<Tensor>>(value);
    case ValueKind::kScalar: return is_one_of<bool, std::int64_t, double, Scalar>(value);
    case ValueKind::kNumber: return is_one_of<std::int64_t, double, Scalar>(value);
    case ValueKind::kInteger: return is_one_of<std::int64_t>(value);
    case ValueKind::kIntegers: return is_one_of<std::vector<std::int64_t>, std::int64_t>(value);
    case ValueKind::kBool: return is_one_of<bool>(value);
    case ValueKind::kText:
    case ValueKind::kWord: return is_one_of<std::string>(value);
    case ValueKind::kDtype: return is_one_of<DType, std::string>(value);
    case ValueKind::kDevice: return is_one_of<Device, std::string>(value);
    case ValueKind::kGenerator: return is_one_of<Generator>(value);
  }
  return false;
}

/// "sum(a, [axes], [keep])": the arguments in order, in brackets those that may be left out.
std::string describe(const Signature& signature) {
  std::string text(signature.function);
  const char* separator = "(";
  for (const Argument& argument : signature.arguments) {
    const bool is_required = argument.is_required;
    text += fmt::format("{}{}{}{}", separator, is_required ? "" : "[", argument.name,
                        is_required ? "" : "]");
    separator = ", ";
  }
  return text + (signature.arguments.empty() ? "()" : ")");
}

using Step = Misfit::Step;

/// "[call] argument 'dim' of softmax"
std::string subject(const Signature& signature, std::size_t at) {
  return fmt::format("[call] argument '{}' of {}", signature.arguments[at].name,
                     signature.function);
}

bool is_input(const Argument& argument) {
  return argument.kind == ValueKind::kTensor || argument.kind == ValueKind::kOperand;
}

/// The places of the arguments that inputs go to.
std::vector<std::size_t> input_places(const Signature& signature) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
    if (is_input(signature.arguments[i])) places.push_back(i);
  }
  return places;
}

/// The place of the only list of tensors of a function that has no other inputs.
std::optional<std::size_t> list_place(const Signature& signature) {
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
    const ValueKind kind = signature.arguments[i].kind;
    if (is_input(signature.arguments[i]) || (kind == ValueKind::kTensors && place)) return {};
    if (kind == ValueKind::kTensors) place = i;
  }
  return place;
}

std::optional<std::vector<Tensor>> listed(const std::vector<TensorOrScalar>& inputs) {
  std::vector<Tensor> tensors;
  for (const TensorOrScalar& input : inputs) {
    if (!input.is_tensor()) return {};
    tensors.push_back(input.tensor());
  }
  return tensors;
}

}  // namespace

std::optional<Misfit> Arguments::bind(const std::vector<TensorOrScalar>& inputs,
                                      const CallOptions& options) {
  for (const auto& [name, value] : options) {
    if (auto misfit = bind_option(name, value)) return misfit;
  }
  if (auto misfit = bind_inputs(inputs)) return misfit;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Argument& argument = signature_.arguments[i];
    if (has(i) && !takes(argument.kind, *values_[i])) {
      return Misfit{Step::kKind, fmt::format("{}: expected {}, got {}.", subject(signature_, i),
                                             describe(argument), describe(*values_[i]))};
    }
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Argument& argument = signature_.arguments[i];
    if (!has(i) && argument.is_required) {
      return Misfit{Step::kMissing,
                    fmt::format("{} is missing, {}. It is {}.", subject(signature_, i),
                                describe(argument), describe(signature_))};
    }
  }
  return {};
}

std::optional<Misfit> Arguments::bind_option(std::string_view name, const CallValue& value) {
  const std::span<const Argument> arguments = signature_.arguments;
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const Argument& one) { return one.name == name; });
  if (found == arguments.end()) {
    std::vector<std::string> names;
    for (const Argument& argument : arguments) names.emplace_back(argument.name);
    return Misfit{Step::kName, fmt::format("[call] {} has no argument {}{}. It is {}.",
                                           signature_.function, base::quote(name),
                                           base::hint_nearest(name, names), describe(signature_))};
  }
  values_[static_cast<std::size_t>(found - arguments.begin())] = value;
  return {};
}

std::optional<Misfit> Arguments::bind_inputs(const std::vector<TensorOrScalar>& inputs) {
  if (const auto place = list_place(signature_); place && !inputs.empty()) {
    if (has(*place)) {
      return Misfit{Step::kTwice, subject(signature_, *place) +
                                      " is given twice: as inputs and by "
                                      "name."};
    }
    if (auto tensors = listed(inputs)) {
      values_[*place] = std::move(*tensors);
      return {};
    }
    return Misfit{Step::kKind,
                  fmt::format("{}: expected {}, got a number among the inputs.",
                              subject(signature_, *place), describe(signature_.arguments[*place]))};
  }
  const std::vector<std::size_t> places = input_places(signature_);
  if (inputs.size() > places.size()) {
    return Misfit{
        Step::kInputs,
        fmt::format("[call] too many inputs of {}: expected {} at most, got {}. Give "
                    "what is no tensor, and lists, by name. It is {}.",
                    signature_.function, places.size(), inputs.size(), describe(signature_))};
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (has(places[i])) {
      return Misfit{Step::kTwice, fmt::format("{} is given twice: as input {} and by name.",
                                              subject(signature_, places[i]), i)};
    }
    values_[places[i]] = CallValue(inputs[i]);
  }
  return {};
}

const Tensor& Arguments::tensor(std::size_t at) const {
  static const Tensor undefined;
  return has(at) ? held<Tensor>(at) : undefined;
}

const std::vector<Tensor>& Arguments::tensors(std::size_t at) const {
  static const std::vector<Tensor> none;
  return has(at) ? held<std::vector<Tensor>>(at) : none;
}

Scalar Arguments::scalar(std::size_t at) const {
  if (holds<bool>(at)) return held<bool>(at);
  if (holds<std::int64_t>(at)) return held<std::int64_t>(at);
  return holds<double>(at) ? Scalar(held<double>(at)) : held<Scalar>(at);
}

std::vector<std::int64_t> Arguments::integers(std::size_t at) const {
  if (holds<std::int64_t>(at)) return {held<std::int64_t>(at)};
  return held<std::vector<std::int64_t>>(at);
}

std::int64_t Arguments::integer(std::size_t at, std::int64_t lowest, std::int64_t highest) const {
  const auto value = held<std::int64_t>(at);
  if (value < lowest || value > highest) {
    base::raise(ErrorCode::kInvalidArgument, "{}: expected {} to {}, got {}.",
                subject(signature_, at), lowest, highest, value);
  }
  return value;
}

std::int64_t Arguments::word(std::size_t at) const {
  const Argument& argument = signature_.arguments[at];
  const auto& text = held<std::string>(at);
  for (const Word& word : argument.words) {
    if (word.text == text) return word.value;
  }
  base::raise(ErrorCode::kInvalidArgument, "{}: expected {}, got {}.", subject(signature_, at),
              describe(argument), base::quote(text));
}

DType Arguments::dtype(std::size_t at) const {
  return holds<DType>(at) ? held<DType>(at) : parse_dtype(held<std::string>(at));
}

Device Arguments::device(std::size_t at) const {
  return holds<Device>(at) ? held<Device>(at) : Device(held<std::string>(at));
}

Pair Arguments::pair(std::size_t at) const {
  const std::vector<std::int64_t> values = integers(at);
  if (values.size() == 1) return values[0];
  if (values.size() == 2) return {values[0], values[1]};
  base::raise(ErrorCode::kInvalidArgument, "{}: expected 1 or 2 integers, got {}.",
              subject(signature_, at), values.size());
}

Axes Arguments::axes(std::size_t at) const {
  Axes axes;
  for (const std::int64_t value : integers(at)) axes.dims.push_back(Dim(value));
  return axes;
}

void Arguments::check_multiple(std::size_t at, std::size_t count, std::size_t of) const {
  if (count % of == 0) return;
  base::raise(ErrorCode::kInvalidArgument, "{}: expected a multiple of {} values, got {}.",
              subject(signature_, at), of, count);
}

void Arguments::refuse_numbers() const {
  base::raise(ErrorCode::kInvalidArgument, "[call] no operand of {} is a tensor. It is {}.",
              signature_.function, describe(signature_));
}

}  // namespace patchbay::tensor
