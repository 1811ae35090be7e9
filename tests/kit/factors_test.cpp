// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which tensors the kernels of factorizations take.
#include "kit/factors.hpp"

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay {
namespace {

/// By rows, unless strides are given.
patchbay_argument tensor(const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& strides = {}) {
  patchbay_argument argument{};
  argument.kind = PATCHBAY_TENSOR;
  argument.rank = static_cast<std::uint8_t>(shape.size());
  std::int64_t dense = 1;
  for (std::size_t d = shape.size(); d-- > 0; dense *= shape[d]) {
    argument.shape[d] = shape[d];
    argument.strides[d] = strides.empty() ? dense : strides[d];
  }
  return argument;
}

using Operands = std::vector<patchbay_argument>;

FactorPlan plan_of(std::string_view op, std::initializer_list<const char*> attributes = {}) {
  std::vector<patchbay_attribute> all;
  for (const char* const name : attributes) {
    patchbay_attribute& attribute = all.emplace_back();
    attribute.name = plugin::to_abi(name);
    attribute.type = PATCHBAY_ATTRIBUTE_I64;
    attribute.value.i64 = 1;
  }
  patchbay_kernel_spec spec{};
  spec.size = sizeof spec;
  spec.op = plugin::to_abi(op);
  spec.attributes = all.data();
  spec.num_attributes = static_cast<std::uint32_t>(all.size());
  return FactorPlan(spec);
}

/// What is wrong with the operands, or nothing.
std::string fault_of(const FactorPlan& plan, const Operands& operands) {
  try {
    static_cast<void>(plan.sizes_of(operands));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// Operands of 4 matrices, and one of them in another form.
struct Fault {
  std::size_t place;
  patchbay_argument other;
  const char* message;
};
void expect_faults(const FactorPlan& plan, const Operands& good, const std::vector<Fault>& faults) {
  EXPECT_EQ(fault_of(plan, good), "");
  for (const Fault& fault : faults) {
    Operands operands = good;
    operands[fault.place] = fault.other;
    EXPECT_EQ(fault_of(plan, operands), plan.name() + ": " + fault.message) << fault.place;
  }
}

TEST(FactorPlanTest, RefusesOtherMatrices) {
  expect_faults(plan_of("cholesky.1"), {tensor({4, 3, 3}), tensor({4})},
                {{0, tensor({3, 3}), "a matrix has another rank"},
                 {0, tensor({4, 3, 3, 2}), "a matrix has another rank"},
                 {0, tensor({4, 0, 0}), "an extent is 0"},
                 {0, tensor({4, 3, 2}), "the matrix is not square"},
                 {0, tensor({4, 3, 3}, {9, 1, 3}), "the elements of a row are no neighbours"},
                 {0, tensor({4, 3, 3}, {18, 6, 2}), "the elements of a row are no neighbours"},
                 {1, tensor({5}), "the operands have different numbers of matrices"},
                 {1, tensor({4, 1}), "an operand has another rank"}});
  expect_faults(plan_of("svd.1"),
                {tensor({4, 2, 3}), tensor({4, 2}), tensor({4, 2, 2}), tensor({4})},
                {{0, tensor({4, 3, 2}), "there are more rows than columns"},
                 {0, tensor({4, 2, 0}), "an extent is 0"},
                 {1, tensor({4, 3}), "a vector has another length"},
                 {2, tensor({4, 3, 3}), "a matrix has another shape"}});
  expect_faults(plan_of("eigh.1"),
                {tensor({4, 3, 3}), tensor({4, 3}), tensor({4, 3, 3}), tensor({4, 6}),
                 tensor({4, 9}), tensor({4})},
                {{0, tensor({4, 2, 3}), "the matrix is not square"},
                 {1, tensor({4, 3}, {6, 2}), "the elements of a row are no neighbours"},
                 {2, tensor({4, 3, 2}), "a matrix has another shape"},
                 {3, tensor({4, 3}), "a vector has another length"},
                 {4, tensor({4, 6}), "a vector has another length"},
                 {5, tensor({3}), "the operands have different numbers of matrices"}});
}

TEST(FactorPlanTest, RefusesOtherOperandsBesideThem) {
  expect_faults(plan_of("lu.1"), {tensor({4, 3, 2}), tensor({4, 3}), tensor({4}), tensor({4})},
                {{0, tensor({4, 0, 2}), "an extent is 0"},
                 {1, tensor({4, 2}), "a vector has another length"},
                 {2, tensor({4, 3}), "an operand has another rank"},
                 {3, tensor({1}), "the operands have different numbers of matrices"}});
  expect_faults(plan_of("triangular.1"), {tensor({4, 3, 2}), tensor({4, 3, 3})},
                {{1, tensor({4, 2, 2}), "a matrix has another shape"},
                 {1, tensor({1, 3, 3}), "the operands have different numbers of matrices"},
                 {1, tensor({4, 3, 3}, {9, 1, 3}), "the elements of a row are no neighbours"}});
  expect_faults(plan_of("qr.1"), {tensor({4, 3, 5}), tensor({4, 3}), tensor({4, 5})},
                {{1, tensor({4, 5}), "a vector has another length"},
                 {2, tensor({4, 3}), "a vector has another length"},
                 {2, tensor({4, 5}, {10, 2}), "the elements of a row are no neighbours"}});
}

TEST(FactorPlanTest, RefusesPairsThatLieApart) {
  expect_faults(
      plan_of("qr.1", {"pairs"}), {tensor({4, 3, 2, 2}), tensor({4, 2, 2}), tensor({4, 2, 2})},
      {{0, tensor({4, 3, 2}), "a matrix has another rank"},
       {0, tensor({4, 3, 2, 1}), "the parts of a pair are no neighbours"},
       {0, tensor({4, 3, 2, 2}, {24, 8, 4, 2}), "the parts of a pair are no neighbours"},
       {0, tensor({4, 3, 2, 2}, {21, 7, 2, 1}), "a stride divides a pair"},
       {0, tensor({4, 3, 2, 2}, {13, 4, 2, 1}), "a stride divides a pair"},
       {0, tensor({4, 3, 2, 2}, {24, 8, 4, 1}), "the elements of a row are no neighbours"},
       {1, tensor({4, 2}), "an operand has another rank"}});
  // Values are never pairs.
  expect_faults(plan_of("svd.1", {"pairs"}),
                {tensor({4, 2, 3, 2}), tensor({4, 2}), tensor({4, 2, 2, 2}), tensor({4})},
                {{1, tensor({4, 2, 2}), "an operand has another rank"}});
}

TEST(FactorPlanTest, TakesRowsThatLieApart) {
  const FactorSizes sizes = plan_of("lu.1").sizes_of(Operands{
      tensor({4, 3, 2}, {50, 7, 1}), tensor({4, 3}, {5, 1}), tensor({4}, {2}), tensor({4}, {-3})});
  EXPECT_EQ(std::vector({sizes.count, sizes.m, sizes.n}), std::vector<std::int64_t>({4, 3, 2}));
  EXPECT_EQ(sizes.row[0], 7);
  EXPECT_EQ(std::vector(sizes.step, sizes.step + 4), std::vector<std::int64_t>({50, 5, 2, -3}));
  // The strides of pairs count pairs; those of one element say nothing.
  const FactorSizes of_pairs =
      plan_of("cholesky.1", {"pairs"})
          .sizes_of(Operands{tensor({4, 2, 2, 2}, {60, 10, 2, 1}), tensor({4})});
  EXPECT_EQ(of_pairs.step[0], 30);
  EXPECT_EQ(of_pairs.row[0], 5);
  EXPECT_EQ(fault_of(plan_of("cholesky.1"), {tensor({1, 1, 1}, {7, 5, 3}), tensor({1}, {9})}), "");
}

TEST(FactorPlanTest, HasTheAttributes) {
  const Operands solve = {tensor({2, 3, 1}), tensor({2, 3, 3})};
  const FactorSizes lower = plan_of("triangular.1").sizes_of(solve);
  EXPECT_EQ(lower.upper + lower.adjoint + lower.unit, 0);
  const FactorSizes upper = plan_of("triangular.1", {"upper", "unit"}).sizes_of(solve);
  EXPECT_EQ(upper.upper, 1);
  EXPECT_EQ(upper.adjoint, 0);
  EXPECT_EQ(upper.unit, 1);
  EXPECT_EQ(plan_of("triangular.1", {"adjoint"}).sizes_of(solve).adjoint, 1);
  const Operands matrix = {tensor({1, 1, 1}), tensor({1, 1}), tensor({1, 1, 1}), tensor({1})};
  EXPECT_EQ(plan_of("svd.1").sizes_of(matrix).vectors, 1);
}

TEST(FactorPlanTest, AMatrixIsAGroupAndSoIsAStripOfColumns) {
  const auto groups = [](std::string_view op, std::int64_t columns) {
    FactorSizes sizes;
    sizes.count = 3;
    sizes.n = columns;
    return plan_of(op).num_groups(sizes);
  };
  EXPECT_EQ(groups("qr.1", 200), 3);
  EXPECT_EQ(groups("triangular.1", 1), 3);
  EXPECT_EQ(groups("triangular.1", 64), 3);
  EXPECT_EQ(groups("triangular.1", 65), 6);
  EXPECT_EQ(groups("triangular.1", 129), 9);
}

}  // namespace
}  // namespace patchbay
