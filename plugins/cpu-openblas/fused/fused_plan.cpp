// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/fused/fused_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/operators/operators.hpp"

namespace patchbay::cpu {

using expression::Source;
using expression::Value;

FusedPlan::FusedPlan(expression::Program from, const SimdTable& simd)
    : program(std::move(from)),
      registers(program.values.size(), kNone),
      last_use(program.values.size(), kNone),
      product_of_(program.values.size(), kNone),
      is_in_sum_(program.values.size(), false) {
  find_pairs(simd);
  for (const std::uint8_t dtype : program.inputs) work_bytes += cpu::element_bytes(dtype);
  for (const std::uint16_t value : program.outputs) {
    work_bytes += cpu::element_bytes(program.values[value].dtype);
  }
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const Value& value = program.values[i];
    element_bytes = std::max(element_bytes, cpu::element_bytes(value.dtype));
    if (value.source == Source::kOperator) add_step(simd, static_cast<std::uint16_t>(i));
  }
  assign_registers();
  for (const std::uint16_t value : program.outputs) {  // outputs are read after the last step
    if (program.values[value].source != Source::kOperator) {
      last_use[value] = static_cast<int>(steps.size());
    }
  }
}

/// Finds products that only one sum or difference uses: both are one step, which saves a pass over
/// the registers. Products of numbers stay alone, because they are computed once for all elements.
void FusedPlan::find_pairs(const SimdTable& simd) {
  std::vector<int> num_uses(program.values.size(), 0);
  for (const std::uint16_t output : program.outputs) ++num_uses[output];
  for (const Value& value : program.values) {
    if (value.source != Source::kOperator) continue;
    for (int k = 0; k < value.num_operands; ++k) ++num_uses[value.operands[k]];
  }
  const auto is_number = [&](std::uint16_t operand) {
    const Source source = program.values[operand].source;
    return source == Source::kConstant || source == Source::kScalar;
  };
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const Value& sum = program.values[i];
    if (sum.source != Source::kOperator || (sum.op != "add.1" && sum.op != "sub.1")) continue;
    if (simd.product_sum[0][sum.dtype] == nullptr) continue;
    for (int k = 0; k < 2; ++k) {
      const std::uint16_t operand = sum.operands[k];
      const Value& product = program.values[operand];
      if (product.source != Source::kOperator || product.op != "mul.1") continue;
      if (product.dtype != sum.dtype || num_uses[operand] != 1) continue;
      if (is_number(product.operands[0]) && is_number(product.operands[1])) continue;
      product_of_[i] = operand;
      is_in_sum_[operand] = true;
      break;
    }
  }
}

/// The step of a sum together with its product. Returns false if it has none.
bool FusedPlan::add_product_sum(const SimdTable& simd, std::uint16_t number) {
  if (product_of_[number] == kNone) return false;
  const Value& sum = program.values[number];
  const Value& product = program.values[static_cast<std::size_t>(product_of_[number])];
  const bool is_first = sum.operands[0] == product_of_[number], is_plus = sum.op == "add.1";
  const ProductSum kind = is_first
                              ? (is_plus ? ProductSum::kProductPlus : ProductSum::kProductMinus)
                              : (is_plus ? ProductSum::kPlusProduct : ProductSum::kMinusProduct);
  const Step step{
      nullptr, simd.product_sum[number_of(kind)][sum.dtype],
      nullptr, number,
      3,       {product.operands[0], product.operands[1], sum.operands[is_first ? 1 : 0]}};
  work_bytes += 2;
  for (const std::uint16_t operand : step.operands) {
    last_use[operand] = static_cast<int>(steps.size());
  }
  steps.push_back(step);
  return true;
}

void FusedPlan::add_step(const SimdTable& simd, std::uint16_t number) {
  if (is_in_sum_[number] || add_product_sum(simd, number)) return;
  const Value& value = program.values[number];
  const std::uint8_t from = program.values[value.operands[value.num_operands - 1U]].dtype;
  Step step{nullptr, nullptr, nullptr, number, value.num_operands, {}};
  std::copy(value.operands.begin(), value.operands.end(), step.operands);
  int cost = 1;
  if (value.op == "cast.1") {
    step.row = value.dtype == from ? simd.copy[from] : simd.cast[value.dtype][from];
  } else {
    const ElementwiseRow found = find_row(simd, value.op, from);
    step.row = found.row;
    step.row3 = found.row3;
    if (value.op == "where.1") step.copy = simd.copy[from];
    cost = found.cost;
  }
  if (step.row == nullptr && step.row3 == nullptr) {
    plugin::unsupported("a fused expression: " + std::string(value.op) + " has no loop for " +
                        dtype_name(from) + " on cpu");
  }
  work_bytes += cost > 1 ? 4 * cost : 1;
  const int index = static_cast<int>(steps.size());
  for (int i = 0; i < value.num_operands; ++i) last_use[value.operands[i]] = index;
  steps.push_back(step);
}

/// Outputs use no registers. A register becomes free after the last use of its value, and already
/// at that step for a result of the same dtype, because loops may write what they read.
void FusedPlan::assign_registers() {
  std::vector<int> free;
  const auto is_output = [&](std::uint16_t value) {
    return std::find(program.outputs.begin(), program.outputs.end(), value) !=
           program.outputs.end();
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const auto release = [&](bool of_same_dtype) {
      for (int k = 0; k < step.num_operands; ++k) {
        const std::uint16_t operand = step.operands[k];
        const bool again =
            std::find(step.operands, step.operands + k, operand) != step.operands + k;
        const bool same = program.values[operand].dtype == program.values[step.value].dtype;
        if (again || same != of_same_dtype || registers[operand] == kNone) continue;
        if (last_use[operand] == static_cast<int>(i)) free.push_back(registers[operand]);
      }
    };
    release(true);
    if (!is_output(step.value)) {
      if (free.empty()) free.push_back(num_registers++);
      registers[step.value] = free.back();
      free.pop_back();
      if (last_use[step.value] == kNone) free.push_back(registers[step.value]);
    }
    release(false);
  }
}

}  // namespace patchbay::cpu
