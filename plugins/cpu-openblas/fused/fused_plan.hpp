// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A fused expression as a list of loops over registers, independent of the launch.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_PLAN_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_PLAN_HPP_

#include <cstdint>
#include <vector>

#include "cpu-openblas/simd/table.hpp"
#include "kit/expression/program.hpp"

namespace patchbay::cpu {

/// A register is a tile of elements in the first-level cache.
struct FusedPlan {
  /// Throws unsupported for an operator that has no loop in this plugin.
  FusedPlan(expression::Program from, const SimdTable& simd);

  struct Step {
    Row row;    // for one or two operands
    Row3 row3;  // for three operands, or a product of the first two and a sum with the third
    Row copy;   // for a choice with the same condition for all elements
    std::uint16_t value;
    std::uint8_t num_operands;
    std::uint16_t operands[3];
  };
  static constexpr int kNone = -1;

  const expression::Program program;
  std::vector<Step> steps;
  std::vector<int> registers;  // per value; kNone for inputs, cells and outputs
  std::vector<int> last_use;   // per value: the last step that reads it, or kNone
  int num_registers = 0;
  std::int64_t element_bytes = 1;  // of the largest dtype
  std::int64_t work_bytes = 0;     // cost of an element, as bytes of memory traffic

 private:
  void find_pairs(const SimdTable& simd);
  void add_step(const SimdTable& simd, std::uint16_t value);
  bool add_product_sum(const SimdTable& simd, std::uint16_t value);
  void assign_registers();

  // Per value: the product that the sum computes with it, or kNone; whether it is such a product.
  std::vector<int> product_of_;
  std::vector<bool> is_in_sum_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_PLAN_HPP_
