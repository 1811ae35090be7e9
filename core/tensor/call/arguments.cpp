// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/call/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/tensor/call/value_text.h"

namespace patchbay::tensor {

namespace {

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
    return Misfit{Step::kName,
                  fmt::format("[call] {} has no argument {}{}. It is {}.", signature_.function,
                              runtime::quote(name), runtime::hint_nearest(name, names),
                              describe(signature_))};
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
    runtime::raise(ErrorCode::kInvalidArgument, "{}: expected {} to {}, got {}.",
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
  runtime::raise(ErrorCode::kInvalidArgument, "{}: expected {}, got {}.", subject(signature_, at),
                 describe(argument), runtime::quote(text));
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
  runtime::raise(ErrorCode::kInvalidArgument, "{}: expected 1 or 2 integers, got {}.",
                 subject(signature_, at), values.size());
}

Axes Arguments::axes(std::size_t at) const {
  Axes axes;
  for (const std::int64_t value : integers(at)) axes.dims.push_back(Dim(value));
  return axes;
}

void Arguments::check_multiple(std::size_t at, std::size_t count, std::size_t of) const {
  if (count % of == 0) return;
  runtime::raise(ErrorCode::kInvalidArgument, "{}: expected a multiple of {} values, got {}.",
                 subject(signature_, at), of, count);
}

void Arguments::refuse_numbers() const {
  runtime::raise(ErrorCode::kInvalidArgument, "[call] no operand of {} is a tensor. It is {}.",
                 signature_.function, describe(signature_));
}

}  // namespace patchbay::tensor
