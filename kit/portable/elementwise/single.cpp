// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Single elementwise operators, as programs of one step.
#include <span>
#include <vector>

#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/elementwise/elementwise.hpp"
#include "kit/portable/elementwise/expressions.hpp"

namespace patchbay::portable {
namespace {

using expression::Program;
using expression::Source;
using expression::Value;

/// The dtype of the computation: that of the first input tensor, because a scalar u8 may stand for
/// a bool.
std::uint8_t input_dtype(const Expression& expression, Specs specs) {
  if (expression.rule == Rule::kSame || expression.rule == Rule::kChoice) return specs[0].dtype;
  for (const auto& spec : specs.subspan(1)) {
    if (spec.kind == PATCHBAY_TENSOR) return spec.dtype;
  }
  return specs[1].dtype;
}

std::uint8_t dtype_of_first(const Expression& expression, std::uint8_t in) {
  return expression.rule == Rule::kChoice ? std::uint8_t{PATCHBAY_BOOL} : in;
}

std::uint16_t add_value(Program& program, const Value& value) {
  program.values.push_back(value);
  return static_cast<std::uint16_t>(program.values.size() - 1);
}

std::uint16_t add_operator(Program& program, std::string_view op, std::uint8_t dtype,
                           std::initializer_list<std::uint16_t> operands) {
  Value value;
  value.source = Source::kOperator;
  value.dtype = dtype;
  value.op = op;
  for (const std::uint16_t operand : operands) value.operands[value.num_operands++] = operand;
  return add_value(program, value);
}

/// Adds an argument as an operand of this dtype; a scalar for a bool is a u8.
std::uint16_t add_operand(Program& program, const patchbay_argument_spec& spec,
                          std::uint8_t dtype) {
  const bool is_tensor = spec.kind == PATCHBAY_TENSOR;
  std::vector<std::uint8_t>& dtypes = is_tensor ? program.inputs : program.scalars;
  Value value;
  value.source = is_tensor ? Source::kInput : Source::kScalar;
  value.dtype = spec.dtype;
  value.bits = dtypes.size();
  dtypes.push_back(spec.dtype);
  const std::uint16_t operand = add_value(program, value);
  return spec.dtype == dtype ? operand : add_operator(program, "cast.1", dtype, {operand});
}

/// Copy and fill become programs without an operator.
Program program_of(const Expression& expression, Specs specs, std::uint8_t in) {
  Program program;
  Value result;
  result.source = Source::kOperator;
  result.dtype = specs[0].dtype;
  result.op = expression.name;
  for (std::size_t i = 1; i < specs.size(); ++i) {
    const std::uint8_t dtype = i == 1 ? dtype_of_first(expression, in) : in;
    result.operands[result.num_operands++] = add_operand(program, specs[i], dtype);
  }
  const bool is_copy = expression.of_floats == "a";
  program.outputs.push_back(is_copy ? result.operands[0] : add_value(program, result));
  return program;
}

std::uint8_t unsigned_of(std::uint8_t dtype) {
  switch (element_bytes(dtype)) {
    case 1: return PATCHBAY_U8;
    case 2: return PATCHBAY_U16;
    case 4: return PATCHBAY_U32;
    default: return PATCHBAY_U64;
  }
}

/// Where integers are moved or keep their low bits, the sign does not count: such kernels share
/// their text, and are compiled once.
void drop_signs(std::span<patchbay_argument_spec> specs) {
  const std::uint8_t out = specs[0].dtype, in = specs[1].dtype;
  const bool widens = element_bytes(out) > element_bytes(in);
  if (is_integer(out) && !is_float(in)) specs[0].dtype = unsigned_of(out);
  if (is_integer(in) && !is_float(out) && !widens) specs[1].dtype = unsigned_of(in);
}

}  // namespace

std::unique_ptr<plugin::Kernel> prepare_elementwise(Backend& backend,
                                                    const patchbay_kernel_spec& spec) {
  const std::string_view name = plugin::from_abi(spec.op);
  const Expression& expression = *find_expression(name);
  std::vector<patchbay_argument_spec> specs(spec.arguments, spec.arguments + spec.num_arguments);
  if (name == "cast.1" || name == "copy.1" || name == "fill.1") drop_signs(specs);
  const std::uint8_t in = input_dtype(expression, specs);
  if (expression_text(expression, specs[0].dtype, in).empty()) refuse(name, specs);
  return std::make_unique<ElementwiseKernel>(
      backend, std::string(name), program_of(expression, specs, in), expression.uses_index);
}

}  // namespace patchbay::portable
