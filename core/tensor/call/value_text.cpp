// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/call/value_text.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"

namespace patchbay::tensor {

namespace {

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
    return "the text " + runtime::quote(value);
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

}  // namespace

std::string describe(const Argument& argument) {
  if (argument.kind != ValueKind::kWord) return std::string(noun_of(argument.kind));
  std::string text;
  for (std::size_t i = 0; i < argument.words.size(); ++i) {
    const char* const separator = i == 0 ? "" : i + 1 == argument.words.size() ? " or " : ", ";
    text += fmt::format("{}{}", separator, argument.words[i].text);
  }
  return text;
}

std::string describe(const CallValue& value) { return std::visit(Description(), value.variant()); }

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

}  // namespace patchbay::tensor
