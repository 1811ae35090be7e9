// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/operators.h"

#include <bit>
#include <string>

#include "patchbay/kernel.h"

#include "core/base/error.h"

namespace patchbay::tensor {

std::string to_string(DTypes set, std::string_view between) {
  std::string text;
  for (const DType dtype : kDTypes) {
    if (!contains(set, dtype)) continue;
    if (!text.empty()) text += between;
    text += patchbay::to_string(dtype);
  }
  return text;
}

namespace {

using kernels::Role;

ArgumentSpec argument_spec(Role role, DType out, DType dtype, bool scalar) {
  switch (role) {
    case Role::kWrite: return ArgumentSpec::tensor(out, Access::kWrite);
    case Role::kUpdate: return ArgumentSpec::tensor(out, Access::kReadWrite);
    case Role::kMask: return ArgumentSpec::tensor(DType::boolean, Access::kRead);
    case Role::kIndex: return ArgumentSpec::tensor(scalar ? DType::i32 : DType::i64, Access::kRead);
    case Role::kPlaces: return ArgumentSpec::tensor(DType::i64, Access::kWrite);
    case Role::kInteger: return ArgumentSpec::scalar(DType::i64);
    case Role::kScalar: return ArgumentSpec::scalar(scalar_dtype(dtype));
    case Role::kRead:
    case Role::kOperand: break;
  }
  return scalar ? ArgumentSpec::scalar(scalar_dtype(dtype))
                : ArgumentSpec::tensor(dtype, Access::kRead);
}

Attribute attribute_of(const kernels::AttributeRule& rule, std::uint64_t word) {
  Attribute attribute{std::string(rule.name), static_cast<std::int64_t>(word)};
  if (rule.type == PATCHBAY_ATTRIBUTE_F64) attribute.value = std::bit_cast<double>(word);
  if (rule.type == PATCHBAY_ATTRIBUTE_STRING) attribute.value = std::string(rule.words.at(word));
  return attribute;
}

std::uint64_t word_of(const kernels::AttributeRule& rule) {
  if (rule.type == PATCHBAY_ATTRIBUTE_F64) {
    return std::bit_cast<std::uint64_t>(rule.is_required ? rule.f64_least : rule.f64_default);
  }
  if (rule.type == PATCHBAY_ATTRIBUTE_STRING) return rule.word_default;
  return static_cast<std::uint64_t>(rule.is_required ? rule.i64_least : rule.i64_default);
}

}  // namespace

void raise_attributes(const Operator& op, std::size_t num_given) {
  base::raise(ErrorCode::kInternal,
              "[{}] a kernel is asked for with {} attributes: expected {}, got {}.", op.name,
              num_given, op.num_attributes, num_given);
}

std::vector<std::uint64_t> any_attributes(const Operator& op) {
  std::vector<std::uint64_t> words;
  for (const kernels::AttributeRule& rule : op.signature->attributes)
    words.push_back(word_of(rule));
  return words;
}

KernelSpec make_spec(const Operator& op, DType out, DType dtype, unsigned scalars,
                     AttributeWords attributes) {
  KernelSpec spec;
  spec.op = op.signature->kernel;
  const kernels::Parameters& parameters = op.signature->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool scalar = i > 0 && (scalars >> (i - 1) & 1u) != 0;
    spec.arguments.push_back(argument_spec(parameters[i].role, out, dtype, scalar));
  }
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    spec.attributes.push_back(attribute_of(op.signature->attributes[i], attributes[i]));
  }
  return spec;
}

}  // namespace patchbay::tensor
