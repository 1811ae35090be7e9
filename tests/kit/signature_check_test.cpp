// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the kit says of a kernel that is not asked for as its operator's signature has it.
#include "patchbay/plugin/kit/signature_check.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::plugin {
namespace {

using kernels::AttributeRule;
using kernels::Parameters;
using kernels::Signature;

patchbay_argument_spec tensor(std::uint8_t dtype, std::uint8_t access) {
  patchbay_argument_spec spec{};
  spec.kind = PATCHBAY_TENSOR;
  spec.dtype = dtype;
  spec.rank = PATCHBAY_ANY_RANK;
  spec.access = access;
  return spec;
}
patchbay_argument_spec out(std::uint8_t dtype) { return tensor(dtype, PATCHBAY_WRITE); }
patchbay_argument_spec in(std::uint8_t dtype) { return tensor(dtype, PATCHBAY_READ); }
patchbay_argument_spec scalar(std::uint8_t dtype) {
  patchbay_argument_spec spec{};
  spec.kind = PATCHBAY_SCALAR;
  spec.dtype = dtype;
  return spec;
}
patchbay_argument_spec bytes() {
  patchbay_argument_spec spec{};
  spec.kind = PATCHBAY_BYTES;
  return spec;
}

patchbay_attribute attribute(std::string_view name, std::uint8_t type) {
  patchbay_attribute result{};
  result.name = to_abi(name);
  result.type = type;
  return result;
}
patchbay_attribute integer(std::string_view name, std::int64_t value) {
  patchbay_attribute result = attribute(name, PATCHBAY_ATTRIBUTE_I64);
  result.value.i64 = value;
  return result;
}
patchbay_attribute number(std::string_view name, double value) {
  patchbay_attribute result = attribute(name, PATCHBAY_ATTRIBUTE_F64);
  result.value.f64 = value;
  return result;
}
patchbay_attribute word(std::string_view name, std::string_view value) {
  patchbay_attribute result = attribute(name, PATCHBAY_ATTRIBUTE_STRING);
  result.value.string = to_abi(value);
  return result;
}

/// A spec and what it points to.
struct Request {
  Request(std::string_view op, std::vector<patchbay_argument_spec> arguments_given,
          std::vector<patchbay_attribute> attributes_given = {})
      : arguments(std::move(arguments_given)), attributes(std::move(attributes_given)) {
    spec.size = sizeof(spec);
    spec.op = to_abi(op);
    spec.arguments = arguments.data();
    spec.num_arguments = static_cast<std::uint32_t>(arguments.size());
    spec.attributes = attributes.data();
    spec.num_attributes = static_cast<std::uint32_t>(attributes.size());
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  std::vector<patchbay_argument_spec> arguments;
  std::vector<patchbay_attribute> attributes;
  patchbay_kernel_spec spec{};
};

struct Fault {
  std::int32_t code;
  std::string message;
  bool operator==(const Fault&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Fault& fault) {
  return stream << fault.code << ' ' << fault.message;
}
const Fault kNone{0, ""};
Fault unsupported(std::string message) { return {PATCHBAY_UNSUPPORTED, std::move(message)}; }
Fault invalid(std::string message) { return {PATCHBAY_INVALID_ARGUMENT, std::move(message)}; }

template <class Check>
Fault fault(Check check) {
  try {
    check();
    return kNone;
  } catch (const StatusError& error) {
    return {error.code(), error.what()};
  }
}
Fault fault(std::string_view op, std::vector<patchbay_argument_spec> arguments,
            std::vector<patchbay_attribute> attributes = {}) {
  const Request request(op, std::move(arguments), std::move(attributes));
  return fault([&] { check_signature(request.spec); });
}

constexpr std::uint8_t kF32 = PATCHBAY_F32, kI32 = PATCHBAY_I32, kI64 = PATCHBAY_I64;
constexpr std::uint8_t kU8 = PATCHBAY_U8, kBool = PATCHBAY_BOOL;

TEST(SignatureCheckTest, TakesWhatTheTableHas) {
  EXPECT_EQ(fault("add.1", {out(kF32), in(kF32), in(kF32)}), kNone);
  EXPECT_EQ(fault("add.1", {out(kF32), in(kF32), scalar(kF32)}), kNone);
  EXPECT_EQ(fault("add.1", {out(kF32), scalar(kF32), in(kF32)}), kNone);
  EXPECT_EQ(fault("fill.1", {out(kBool), scalar(kU8)}), kNone);
  EXPECT_EQ(fault("lt.1", {out(kBool), in(kI32), in(kI32)}), kNone);
  EXPECT_EQ(fault("eq.1", {out(kBool), scalar(kU8), in(kBool)}), kNone);
  EXPECT_EQ(fault("cast.1", {out(kU8), in(kF32)}), kNone);
  EXPECT_EQ(fault("where.1", {out(kF32), in(kBool), in(kF32), scalar(kF32)}), kNone);
  EXPECT_EQ(fault("sum.1", {out(kI64), in(kU8)}), kNone);
  EXPECT_EQ(fault("sum.1", {out(kF32), in(kF32)}), kNone);
  EXPECT_EQ(fault("argmax.1", {out(kI64), in(kF32)}), kNone);
  EXPECT_EQ(fault("gather.1", {out(kF32), in(kF32), in(kI32)}, {integer("dim", 7)}), kNone);
}

TEST(SignatureCheckTest, LeavesAPluginItsOwnOperators) {
  EXPECT_EQ(fault("my_operator.1", {bytes()}, {word("mode", "any")}), kNone);
}

TEST(SignatureCheckTest, SaysWhichArgumentIsWrong) {
  EXPECT_EQ(fault("add.1", {out(kF32), in(kF32)}),
            unsupported("add.1: expected 3 arguments (out, a, b), got 2"));
  EXPECT_EQ(fault("add.1", {in(kF32), in(kF32), in(kF32)}),
            unsupported("add.1: argument 0 (out) of (f32, f32, f32): expected a tensor to write, "
                        "got a tensor to read"));
  EXPECT_EQ(fault("add.1", {out(kF32), in(kF32), out(kF32)}),
            unsupported("add.1: argument 2 (b) of (f32, f32, f32): expected a tensor to read or a "
                        "scalar, got a tensor to write"));
  EXPECT_EQ(fault("add.1", {out(kF32), bytes(), in(kF32)}),
            unsupported("add.1: argument 1 (a) of (f32, bytes, f32): expected a tensor to read or "
                        "a scalar, got bytes"));
  EXPECT_EQ(
      fault("neg.1", {out(kF32), scalar(kF32)}),
      unsupported(
          "neg.1: argument 1 (a) of (f32, scalar f32): expected a tensor to read, got a scalar"));
  EXPECT_EQ(fault("clamp.1", {out(kF32), in(kF32), in(kF32), scalar(kF32)}),
            unsupported("clamp.1: argument 2 (low) of (f32, f32, f32, scalar f32): expected a "
                        "scalar, got a tensor to read"));
}

TEST(SignatureCheckTest, SaysWhichDtypeIsWrong) {
  EXPECT_EQ(fault("add.1", {out(kI32), in(kI32), in(kF32)}),
            unsupported("add.1: argument 2 (b) of (i32, i32, f32): expected i32, got f32"));
  EXPECT_EQ(fault("lt.1", {out(kF32), in(kF32), in(kF32)}),
            unsupported("lt.1: argument 0 (out) of (f32, f32, f32): expected bool, got f32"));
  EXPECT_EQ(fault("sum.1", {out(kU8), in(kU8)}),
            unsupported("sum.1: argument 0 (out) of (u8, u8): expected i64, got u8"));
  EXPECT_EQ(
      fault("fill.1", {out(kBool), scalar(kBool)}),
      unsupported("fill.1: argument 1 (value) of (bool, scalar bool): expected u8, got bool"));
  EXPECT_EQ(
      fault("where.1", {out(kF32), in(kU8), in(kF32), in(kF32)}),
      unsupported("where.1: argument 1 (condition) of (f32, u8, f32, f32): expected bool, got u8"));
  EXPECT_EQ(
      fault("gather.1", {out(kF32), in(kF32), in(kU8)}, {integer("dim", 0)}),
      unsupported("gather.1: argument 2 (index) of (f32, f32, u8): expected i64 or i32, got u8"));
  EXPECT_EQ(
      fault("cast.1", {out(77), in(kF32)}),
      unsupported("cast.1: argument 0 (out) of (dtype 77, f32): expected a dtype, got dtype 77"));
  EXPECT_EQ(fault("exp.1", {out(kI32), in(kI32)}),
            unsupported("exp.1: not defined for i32: expected one of f32, f64, f16, bf16"));
}

TEST(SignatureCheckTest, SaysWhichAttributeIsWrong) {
  const auto gather = [](std::vector<patchbay_attribute> attributes) {
    return fault("gather.1", {out(kF32), in(kF32), in(kI64)}, std::move(attributes));
  };
  EXPECT_EQ(fault("add.1", {out(kF32), in(kF32), in(kF32)}, {integer("axis", 0)}),
            unsupported("add.1: unknown attribute 'axis': the operator takes none"));
  EXPECT_EQ(gather({integer("axis", 0)}),
            unsupported("gather.1: unknown attribute 'axis': expected one of dim"));
  EXPECT_EQ(gather({}),
            invalid("gather.1: attribute 'dim' is missing: expected an integer from 0 to 7"));
  EXPECT_EQ(gather({integer("dim", 0), integer("dim", 0)}),
            invalid("gather.1: attribute 'dim' is given twice"));
  EXPECT_EQ(gather({integer("dim", 8)}),
            invalid("gather.1: attribute 'dim' is 8: expected an integer from 0 to 7"));
  EXPECT_EQ(gather({integer("dim", -1)}),
            invalid("gather.1: attribute 'dim' is -1: expected an integer from 0 to 7"));
  EXPECT_EQ(gather({word("dim", "0")}),
            invalid("gather.1: attribute 'dim' is '0': expected an integer from 0 to 7"));
  EXPECT_EQ(gather({attribute("dim", 9)}),
            invalid("gather.1: attribute 'dim' is type 9: expected an integer from 0 to 7"));
}

/// An operator with an attribute of each type, as later ones have.
constexpr AttributeRule kRules[] = {
    kernels::rule_I64("pool", "stride", 1, 1, 1 << 20),
    kernels::rule_F64("pool", "epsilon", 1e-5, 0, 1),
    kernels::rule_WORD("pool", "padding", "zeros", "none", "zeros", "reflect"),
    kernels::rule_F64("pool", "power", std::nullopt, 1, 8)};
constexpr Signature kPool{"pool",
                          "pool.1",
                          1,
                          1,
                          "network",
                          Parameters("out:write a:read"),
                          kRules,
                          PATCHBAY_SET_FLOATS,
                          kernels::Result::kSame,
                          {false, 0},
                          "shapes",
                          "",
                          "",
                          ""};

Fault pool_fault(std::vector<patchbay_attribute> attributes) {
  const Request request("pool.1", {out(kF32), in(kF32)}, std::move(attributes));
  return fault([&] { check_signature(kPool, request.spec); });
}

TEST(SignatureCheckTest, ChecksNumbersAndWords) {
  EXPECT_EQ(pool_fault({number("power", 2), number("epsilon", 1)}), kNone);
  EXPECT_EQ(pool_fault({number("power", 2), word("padding", "reflect")}), kNone);
  EXPECT_EQ(pool_fault({}),
            invalid("pool.1: attribute 'power' is missing: expected a number from 1 to 8"));
  EXPECT_EQ(pool_fault({number("power", 9)}),
            invalid("pool.1: attribute 'power' is 9: expected a number from 1 to 8"));
  EXPECT_EQ(pool_fault({number("power", std::nan(""))}),
            invalid("pool.1: attribute 'power' is nan: expected a number from 1 to 8"));
  EXPECT_EQ(pool_fault({number("power", 2), integer("epsilon", 0)}),
            invalid("pool.1: attribute 'epsilon' is 0: expected a number from 0 to 1"));
  EXPECT_EQ(
      pool_fault({number("power", 2), word("padding", "zero")}),
      invalid("pool.1: attribute 'padding' is 'zero': expected one of 'none', 'zeros', 'reflect'"));
  EXPECT_EQ(
      pool_fault({number("power", 2), word("pad", "none")}),
      unsupported(
          "pool.1: unknown attribute 'pad': expected one of stride, epsilon, padding, power"));
}

TEST(AttributesTest, AreThoseOfTheSpecOrTheDefaults) {
  const Request request("pool.1", {}, {number("power", 2.5), word("padding", "none")});
  const Attributes attributes(request.spec, &kPool);
  EXPECT_EQ(attributes.number("power"), 2.5);
  EXPECT_EQ(attributes.word("padding"), "none");
  EXPECT_EQ(attributes.integer("stride"), 1);
  EXPECT_EQ(attributes.number("epsilon"), 1e-5);
  EXPECT_EQ(Attributes(Request("pool.1", {}).spec, &kPool).word("padding"), "zeros");
  EXPECT_EQ(fault([&] { return attributes.integer("size"); }),
            (Fault{PATCHBAY_INTERNAL, "no attribute is named 'size'"}));
}

TEST(DtypeTableTest, HasTheNumbersOfTheBoundary) {
  EXPECT_EQ(kernels::find_dtype(0), nullptr);
  EXPECT_EQ(kernels::find_dtype(kernels::kNumDtypeNumbers), nullptr);
  EXPECT_EQ(kernels::find_dtype(PATCHBAY_BF16)->name, "bf16");
  EXPECT_EQ(kernels::dtype_name(PATCHBAY_BOOL), "bool");
  EXPECT_EQ(kernels::dtype_name(77), "dtype 77");
  EXPECT_EQ(kernels::element_bytes(PATCHBAY_F64), 8U);
  EXPECT_EQ(kernels::element_bytes(77), 0U);
  EXPECT_EQ(kernels::list_of(PATCHBAY_SET_INTEGERS), "i32, i64, u8");
  EXPECT_FALSE(kernels::contains(~0U, 0) && kernels::contains(~0U, 31));
}

/// The sets are written out, so that a new dtype enters an operator on purpose; this test names
/// the dtypes that no set has.
TEST(DtypeTableTest, SetsHaveAllDtypes) {
  kernels::DtypeSet all = 0;
  for (const kernels::Dtype& dtype : kernels::kDtypes) all |= kernels::bit_of(dtype.number);
  EXPECT_EQ(kernels::list_of(all & ~PATCHBAY_SET_ALL), "");
}

}  // namespace
}  // namespace patchbay::plugin
