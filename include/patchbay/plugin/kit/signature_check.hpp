// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks kernel specs against the operators' signatures. The kit does this before the plugin sees a
// spec, so a plugin only refuses dtypes that it does not support.
#ifndef PATCHBAY_PLUGIN_KIT_SIGNATURE_CHECK_HPP_
#define PATCHBAY_PLUGIN_KIT_SIGNATURE_CHECK_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "patchbay/plugin/kernels/signatures.hpp"
#include "patchbay/plugin/kit/attributes.hpp"
#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {

/// "(f32, f32, scalar i32)"
inline std::string list_of(const patchbay_kernel_spec& spec) {
  std::string text = "(";
  for (std::uint32_t i = 0; i < spec.num_arguments; ++i) {
    const patchbay_argument_spec& argument = spec.arguments[i];
    if (i != 0) text += ", ";
    if (argument.kind == PATCHBAY_SCALAR) text += "scalar ";
    text += argument.kind == PATCHBAY_BYTES ? "bytes" : kernels::dtype_name(argument.dtype);
  }
  return text + ")";
}

namespace detail {

/// Compares one spec with one signature and throws the first difference.
class SignatureCheck {
 public:
  SignatureCheck(const kernels::Signature& signature, const patchbay_kernel_spec& spec)
      : signature_(signature), spec_(spec) {}

  void run() const {
    check_number();
    for (std::size_t i = 0; i < parameters().size(); ++i) check_kind(i);
    check_dtypes();
    check_attributes(signature_, spec_);
  }

 private:
  using Role = kernels::Role;

  const kernels::Parameters& parameters() const { return signature_.parameters; }
  const patchbay_argument_spec& argument(std::size_t i) const { return spec_.arguments[i]; }

  [[noreturn]] void refuse(const std::string& why) const {
    unsupported(std::string(signature_.kernel) + ": " + why);
  }
  [[noreturn]] void refuse(std::size_t i, const std::string& expected,
                           const std::string& got) const {
    refuse("argument " + std::to_string(i) + " (" + std::string(parameters()[i].name) + ") of " +
           list_of(spec_) + ": expected " + expected + ", got " + got);
  }

  void check_number() const {
    if (spec_.num_arguments == parameters().size()) return;
    std::string names;
    for (const kernels::Parameter& parameter : parameters()) {
      names += (names.empty() ? "" : ", ") + std::string(parameter.name);
    }
    refuse("expected " + std::to_string(parameters().size()) + " arguments (" + names + "), got " +
           std::to_string(spec_.num_arguments));
  }

  static std::string kind_of(Role role) {
    switch (role) {
      case Role::kWrite:
      case Role::kPlaces:
      case Role::kUpdate: return "a tensor to write";
      case Role::kOperand: return "a tensor to read or a scalar";
      case Role::kScalar:
      case Role::kInteger: return "a scalar";
      default: return "a tensor to read";
    }
  }
  static std::string kind_of(const patchbay_argument_spec& argument) {
    if (argument.kind == PATCHBAY_SCALAR) return kind_of(Role::kScalar);
    if (argument.kind != PATCHBAY_TENSOR) return "bytes";
    return kind_of((argument.access & PATCHBAY_WRITE) != 0 ? Role::kWrite : Role::kRead);
  }
  void check_kind(std::size_t i) const {
    const Role role = parameters()[i].role;
    const std::string expected = kind_of(role), got = kind_of(argument(i));
    const bool may_be_either = role == Role::kOperand && got != kind_of(Role::kWrite);
    if (got != expected && (!may_be_either || got == "bytes")) refuse(i, expected, got);
  }

  /// The dtype of the first tensor operand (a scalar u8 may stand for a bool). Without one, it is
  /// the result's dtype if that is the same, else the last argument's.
  std::uint8_t operand_dtype() const {
    for (std::size_t i = 0; i < parameters().size(); ++i) {
      const Role role = parameters()[i].role;
      const bool is_operand = role == Role::kRead || role == Role::kOperand;
      if (is_operand && argument(i).kind == PATCHBAY_TENSOR) return argument(i).dtype;
    }
    if (signature_.result == kernels::Result::kSame) return argument(0).dtype;
    return argument(parameters().size() - 1).dtype;
  }
  void check_dtypes() const {
    const std::uint8_t dtype = operand_dtype();
    for (std::size_t i = 0; i < parameters().size(); ++i) check_dtype(i, dtype);
    if (kernels::contains(signature_.dtypes, dtype)) return;
    refuse("not defined for " + kernels::dtype_name(dtype) + ": expected one of " +
           kernels::list_of(signature_.dtypes));
  }
  void check_dtype(std::size_t i, std::uint8_t operand) const {
    const Role role = parameters()[i].role;
    const std::uint8_t got = argument(i).dtype;
    const bool is_result = role == Role::kWrite || role == Role::kUpdate;
    if (is_result && signature_.result == kernels::Result::kChosen) {
      if (kernels::find_dtype(got) == nullptr) refuse(i, "a dtype", kernels::dtype_name(got));
      return;
    }
    if (role == Role::kIndex) {
      if (got != PATCHBAY_I64 && got != PATCHBAY_I32)
        refuse(i, "i64 or i32", kernels::dtype_name(got));
      return;
    }
    const std::uint8_t expected = expected_dtype(i, operand);
    if (got != expected) refuse(i, kernels::dtype_name(expected), kernels::dtype_name(got));
  }
  std::uint8_t expected_dtype(std::size_t i, std::uint8_t operand) const {
    switch (parameters()[i].role) {
      case Role::kWrite:
      case Role::kUpdate: return kernels::result_dtype(signature_.result, operand);
      case Role::kMask: return PATCHBAY_BOOL;
      case Role::kPlaces:
      case Role::kInteger: return PATCHBAY_I64;
      default: break;
    }
    return argument(i).kind == PATCHBAY_SCALAR ? kernels::scalar_dtype(operand) : operand;
  }

  const kernels::Signature& signature_;
  const patchbay_kernel_spec& spec_;
};

}  // namespace detail

/// Throws `unsupported` if arguments or attribute names don't match the operator, and
/// `invalid_argument` for the value of an attribute; the messages say what was expected.
inline void check_signature(const kernels::Signature& signature, const patchbay_kernel_spec& spec) {
  detail::SignatureCheck(signature, spec).run();
}
/// Finds the signature by the spec's name. Accepts operators that are not in the table.
inline void check_signature(const patchbay_kernel_spec& spec) {
  const kernels::Signature* const signature = kernels::find_signature(from_abi(spec.op));
  if (signature != nullptr) check_signature(*signature, spec);
}

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_SIGNATURE_CHECK_HPP_
