// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Every text that the elementwise table gives, run by the executor, against the CPU's own loops.
#include "common/elementwise_text.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "kernels/kernels.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);

#define PATCHBAY_REFERENCE(name) \
  { #name, &patchbay::name }
const std::map<std::string_view, Unary> kUnary = {
    PATCHBAY_REFERENCE(neg),        PATCHBAY_REFERENCE(abs), PATCHBAY_REFERENCE(square),
    PATCHBAY_REFERENCE(sqrt),       PATCHBAY_REFERENCE(exp), PATCHBAY_REFERENCE(log),
    PATCHBAY_REFERENCE(logical_not)};
const std::map<std::string_view, Binary> kBinary = {
    PATCHBAY_REFERENCE(add),         PATCHBAY_REFERENCE(sub),       PATCHBAY_REFERENCE(mul),
    PATCHBAY_REFERENCE(div),         PATCHBAY_REFERENCE(maximum),   PATCHBAY_REFERENCE(minimum),
    PATCHBAY_REFERENCE(eq),          PATCHBAY_REFERENCE(ne),        PATCHBAY_REFERENCE(lt),
    PATCHBAY_REFERENCE(le),          PATCHBAY_REFERENCE(gt),        PATCHBAY_REFERENCE(ge),
    PATCHBAY_REFERENCE(logical_and), PATCHBAY_REFERENCE(logical_or)};
#undef PATCHBAY_REFERENCE

constexpr DType kDtypes[] = {DType::f32, DType::f64, DType::i32,
                             DType::i64, DType::u8,  DType::boolean};

/// Extremes, zeros and ordinary values, in an order that differs with `step`; [5, 7].
Tensor operand(DType dtype, std::size_t step, const Device& device) {
  std::vector<double> all = {0, 1, 2, 3, 7, 100, 255, 12.5};
  if (is_floating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    all.insert(all.end(), {-0.0, -1, -2.5, 1e-3, infinity, -infinity, std::nan("")});
  } else if (dtype == DType::i32 || dtype == DType::i64) {
    const bool narrow = dtype == DType::i32;
    all.insert(all.end(), {-1, -2, -7, narrow ? -0x1p31 : -0x1p63, narrow ? 0x7ffffffe : 0x1p62});
  }
  std::vector<double> picked(35);
  for (std::size_t i = 0; i < picked.size(); ++i) picked[i] = all[(i * step) % all.size()];
  return from_host(picked, {5, 7}, device).cast(dtype);
}

/// Equal, or within a few units in the last place where libraries differ.
void expect_equal(const Tensor& got, const Tensor& expected, bool exact) {
  const auto x = got.cast(DType::f64).to_vector<double>();
  const auto y = expected.cast(DType::f64).to_vector<double>();
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(y[i])) {
      ASSERT_TRUE(std::isnan(x[i])) << i << ": " << x[i];
    } else if (exact || std::isinf(y[i])) {
      ASSERT_EQ(x[i], y[i]) << i;
    } else {
      ASSERT_NEAR(x[i], y[i], 1e-6 * std::abs(y[i])) << i;
    }
  }
}

class ElementwiseTextTest : public testing::Test {
 protected:
  /// Runs the text for these tensors (any strides) and returns the result.
  Tensor run(std::string_view op, const std::vector<Tensor>& operands, DType result, bool flat) {
    const elementwise::TextSpec spec{op, static_cast<std::uint8_t>(operands[0].dtype()),
                                     std::vector<bool>(operands.size(), false), 2, flat};
    const std::string text = elementwise::make_text(spec);
    const Tensor out = empty(operands[0].shape(), {device_, result});
    const std::int64_t n = out.num_elements();
    std::vector<KernelArgument> arguments = {out};
    for (const Tensor& tensor : operands) arguments.emplace_back(storage_of(tensor));
    arguments.emplace_back(n);
    if (!flat) {
      for (const std::int64_t extent : out.shape()) arguments.emplace_back(extent);
      for (const std::int64_t stride : out.strides()) arguments.emplace_back(stride);
      for (const Tensor& tensor : operands) {
        for (const std::int64_t stride : tensor.strides()) arguments.emplace_back(stride);
      }
    }
    KernelModule::from_source(device_, text, {.name = std::string(op)})
        .kernel(elementwise::kKernelName)
        .launch({.groups = {(n + 63) / 64}, .group_size = {64}}, arguments);
    return out;
  }
  /// The tensor itself, or what a transposed one is a view of.
  static Tensor storage_of(const Tensor& tensor) {
    return tensor.is_contiguous() ? tensor : tensor.t();
  }

  const Device device_ = test_device("cpu:0");
};

TEST_F(ElementwiseTextTest, EveryOperatorForEveryDtype) {
  int num_texts = 0;
  for (const elementwise::Operator& op : elementwise::operators()) {
    for (const DType dtype : kDtypes) {
      const elementwise::TextSpec spec{
          op.name, static_cast<std::uint8_t>(dtype),
          std::vector<bool>(static_cast<std::size_t>(op.num_operands))};
      if (elementwise::make_text(spec).empty()) continue;
      SCOPED_TRACE(std::string(op.name) + " of " + std::string(to_string(dtype)));
      const Tensor a = operand(dtype, 1, device_), b = operand(dtype, 4, device_);
      const Tensor expected =
          op.num_operands == 1 ? kUnary.at(op.name)(a) : kBinary.at(op.name)(a, b);
      std::vector<Tensor> flat = {a}, strided = {a.t().contiguous().t()};
      if (op.num_operands == 2) {
        flat.push_back(b);
        strided.push_back(b);
      }
      const bool exact = op.name != "exp" && op.name != "log";
      expect_equal(run(op.name, flat, expected.dtype(), true), expected, exact);
      expect_equal(run(op.name, strided, expected.dtype(), false), expected, exact);
      num_texts += 2;
    }
  }
  EXPECT_EQ(num_texts, 2 * (3 * 5 + 3 * 2 + 6 * 5 + 6 * 6 + 3));
}

TEST_F(ElementwiseTextTest, NumbersMayStandForTensors) {
  const std::string text = elementwise::make_text({"sub", 5, {true, false}});
  const Tensor x = arange(0, 10, 1, {device_, DType::i32}), out = empty_like(x);
  KernelModule::from_source(device_, text)
      .kernel("elementwise")
      .launch({.group_size = {16}}, {out, 3, x, 10});
  EXPECT_EQ(out.to_vector<std::int32_t>(), (3 - x).to_vector<std::int32_t>());
}

TEST_F(ElementwiseTextTest, WhatTheTableLacksGivesNoText) {
  EXPECT_EQ(elementwise::make_text({"cube", 1, {false}}), "");
  EXPECT_EQ(elementwise::make_text({"sqrt", 5, {false}}), "");
  EXPECT_EQ(elementwise::make_text({"neg", 8, {false}}), "");
  EXPECT_EQ(elementwise::make_text({"neg", 3, {false}}), "");
  EXPECT_EQ(elementwise::make_text({"logical_and", 1, {false, false}}), "");
  EXPECT_EQ(elementwise::make_text({"add", 1, {false}}), "");
  EXPECT_EQ(elementwise::make_text({"add", 1, {false, false}, 9, false}), "");
}

}  // namespace
}  // namespace patchbay::test
