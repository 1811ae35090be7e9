// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operators' tables as C++ values, for the core, the kit and plugins.
#ifndef PATCHBAY_PLUGIN_KERNELS_SIGNATURES_HPP_
#define PATCHBAY_PLUGIN_KERNELS_SIGNATURES_HPP_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "patchbay/plugin/kernels/elementwise.h"
#include "patchbay/plugin/kernels/operators.h"
#include "patchbay/plugin/kernels/signature.hpp"

namespace patchbay::kernels {

#define PATCHBAY_GIVEN_REQUIRED std::nullopt
#define PATCHBAY_GIVEN_OPTIONAL(value) value
#define PATCHBAY_ROW(op, name, TYPE, given, ...) \
  rule_##TYPE(#op, #name, PATCHBAY_GIVEN_##given, __VA_ARGS__),
/// The last rule belongs to no operator.
inline constexpr auto kAttributeRules =
    std::to_array<AttributeRule>({PATCHBAY_OPERATOR_ATTRIBUTES(PATCHBAY_ROW) AttributeRule()});
#undef PATCHBAY_ROW

constexpr std::span<const AttributeRule> rules_of(std::string_view op) {
  std::size_t first = 0;
  while (first < kAttributeRules.size() && kAttributeRules[first].op != op) ++first;
  std::size_t last = first;
  while (last < kAttributeRules.size() && kAttributeRules[last].op == op) ++last;
  return {kAttributeRules.data() + first, last - first};
}

struct ElementwiseNote {
  std::string_view name;
  double ulps;
  int since;
  const char* source;
};
#define PATCHBAY_ROW(name, ulps, since, formula, source) \
  ElementwiseNote{#name, ulps, since, sizeof(source) > 1 ? formula "; " source : formula},
inline constexpr auto kElementwiseNotes =
    std::to_array<ElementwiseNote>({PATCHBAY_ELEMENTWISE_NOTES(PATCHBAY_ROW)});
#undef PATCHBAY_ROW

/// An operator without a note does not compile.
consteval Signature elementwise(const char* name, const char* kernel, const char* family,
                                std::string_view arguments, DtypeSet dtypes, Result result,
                                const char* shapes) {
  for (const ElementwiseNote& note : kElementwiseNotes) {
    if (note.name != name) continue;
    return {name,           kernel, 1,      note.since,         family, Parameters(arguments),
            rules_of(name), dtypes, result, {false, note.ulps}, shapes, "",
            note.source,    ""};
  }
  throw "an elementwise operator has no note";
}

inline constexpr const char* kBroadcast = "a, b: any that broadcast; out: the broadcast shape";
inline constexpr const char* kOneShape = "a, out: one shape";
inline constexpr const char* kChoiceShapes =
    "condition (bool), a, b: any that broadcast; out: the broadcast shape";
inline constexpr const char* kBoundedShapes = "a, out: one shape; low <= high: numbers";

#define PATCHBAY_BOUND_EXACT \
  Bound { false, 0 }
#define PATCHBAY_BOUND_RESULT(ulps) \
  Bound { false, ulps }
#define PATCHBAY_BOUND_TERMS(ulps) \
  Bound { true, ulps }
#define PATCHBAY_ROW(family, name, version, since, arguments, dtypes, result, bound, shapes, \
                     derivative, source, contract)                                           \
  Signature{#name,                                                                           \
            #name "." #version,                                                              \
            version,                                                                         \
            since,                                                                           \
            family,                                                                          \
            Parameters(arguments),                                                           \
            rules_of(#name),                                                                 \
            PATCHBAY_SET_##dtypes,                                                           \
            Result::k##result,                                                               \
            PATCHBAY_BOUND_##bound,                                                          \
            shapes,                                                                          \
            derivative,                                                                      \
            source,                                                                          \
            contract},
#define PATCHBAY_MEMORY(...) PATCHBAY_ROW("memory", __VA_ARGS__)
#define PATCHBAY_DIMENSION(...) PATCHBAY_ROW("dimension", __VA_ARGS__)
#define PATCHBAY_REDUCTION(...) PATCHBAY_ROW("reduction", __VA_ARGS__)
#define PATCHBAY_RANDOM(...) PATCHBAY_ROW("random", __VA_ARGS__)
#define PATCHBAY_MATRIX(...) PATCHBAY_ROW("matrix", __VA_ARGS__)
#define PATCHBAY_WINDOW(...) PATCHBAY_ROW("window", __VA_ARGS__)
#define PATCHBAY_WITHIN_ROWS(...) PATCHBAY_ROW("row", __VA_ARGS__)
#define PATCHBAY_FACTOR(...) PATCHBAY_ROW("factor", __VA_ARGS__)
#define PATCHBAY_TRANSFORM(...) PATCHBAY_ROW("transform", __VA_ARGS__)
#define PATCHBAY_COMPOSITE(...) PATCHBAY_ROW("composite", __VA_ARGS__)
#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient)                           \
  elementwise(#name, #name ".1", "elementwise", "out:write a:read", PATCHBAY_SET_##dtypes, \
              Result::kSame, kOneShape),
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b)  \
  elementwise(#name, #name ".1", "elementwise", "out:write a:operand b:operand", \
              PATCHBAY_SET_##dtypes, Result::kSame, kBroadcast),
#define PATCHBAY_CHOICE(name, dtypes, expression, gradient_a, gradient_b)                       \
  elementwise(#name, #name ".1", "elementwise", "out:write condition:mask a:operand b:operand", \
              PATCHBAY_SET_##dtypes, Result::kSame, kChoiceShapes),
#define PATCHBAY_BOUNDED(name, dtypes, expression, gradient)                               \
  elementwise(#name, #name ".1", "elementwise", "out:write a:read low:scalar high:scalar", \
              PATCHBAY_SET_##dtypes, Result::kSame, kBoundedShapes),
#define PATCHBAY_COMPARE(name, dtypes, expression)                              \
  elementwise(#name, #name ".1", "comparison", "out:write a:operand b:operand", \
              PATCHBAY_SET_##dtypes, Result::kBoolean, kBroadcast),
#define PATCHBAY_TEST(name, dtypes, expression)                                           \
  elementwise(#name, #name ".1", "comparison", "out:write a:read", PATCHBAY_SET_##dtypes, \
              Result::kBoolean, kOneShape),
#define PATCHBAY_LOGIC(name, num_operands, expression)                                    \
  elementwise(#name, #name ".1", "logic",                                                 \
              (num_operands) == 1 ? "out:write a:read" : "out:write a:operand b:operand", \
              PATCHBAY_SET_BOOLS, Result::kBoolean, (num_operands) == 1 ? kOneShape : kBroadcast),

/// In the order of the documentation.
inline constexpr auto kSignatures = std::to_array<Signature>({
    PATCHBAY_OPERATORS_MEMORY(PATCHBAY_MEMORY)        //
    PATCHBAY_OPERATORS_DIMENSION(PATCHBAY_DIMENSION)  //
    PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)      //
    PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY)        //
    PATCHBAY_ELEMENTWISE_CHOICE(PATCHBAY_CHOICE)      //
    PATCHBAY_ELEMENTWISE_BOUNDED(PATCHBAY_BOUNDED)    //
    PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE)    //
    PATCHBAY_ELEMENTWISE_TEST(PATCHBAY_TEST)          //
    PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)        //
    PATCHBAY_OPERATORS_REDUCTION(PATCHBAY_REDUCTION)  //
    PATCHBAY_OPERATORS_RANDOM(PATCHBAY_RANDOM)        //
    PATCHBAY_OPERATORS_MATRIX(PATCHBAY_MATRIX)        //
    PATCHBAY_OPERATORS_WINDOW(PATCHBAY_WINDOW)        //
    PATCHBAY_OPERATORS_ROW(PATCHBAY_WITHIN_ROWS)      //
    PATCHBAY_OPERATORS_FACTOR(PATCHBAY_FACTOR)        //
    PATCHBAY_OPERATORS_TRANSFORM(PATCHBAY_TRANSFORM)  //
    PATCHBAY_OPERATORS_COMPOSITE(PATCHBAY_COMPOSITE)  //
});
#undef PATCHBAY_GIVEN_REQUIRED
#undef PATCHBAY_GIVEN_OPTIONAL
#undef PATCHBAY_BOUND_EXACT
#undef PATCHBAY_BOUND_RESULT
#undef PATCHBAY_BOUND_TERMS
#undef PATCHBAY_ROW
#undef PATCHBAY_MEMORY
#undef PATCHBAY_DIMENSION
#undef PATCHBAY_REDUCTION
#undef PATCHBAY_RANDOM
#undef PATCHBAY_MATRIX
#undef PATCHBAY_WINDOW
#undef PATCHBAY_WITHIN_ROWS
#undef PATCHBAY_FACTOR
#undef PATCHBAY_TRANSFORM
#undef PATCHBAY_COMPOSITE
#undef PATCHBAY_UNARY
#undef PATCHBAY_BINARY
#undef PATCHBAY_CHOICE
#undef PATCHBAY_BOUNDED
#undef PATCHBAY_COMPARE
#undef PATCHBAY_TEST
#undef PATCHBAY_LOGIC

/// The signature of "add.1", or null. This is a linear search; don't call it for each launch.
constexpr const Signature* find_signature(std::string_view kernel) {
  for (const Signature& signature : kSignatures) {
    if (kernel == signature.kernel) return &signature;
  }
  return nullptr;
}

consteval bool attributes_belong_to_operators() {
  std::size_t found = 0;
  for (const Signature& signature : kSignatures) found += signature.attributes.size();
  return found + 1 == kAttributeRules.size();
}
static_assert(attributes_belong_to_operators(), "an attribute's operator is misspelt or split up");

}  // namespace patchbay::kernels

#endif  // PATCHBAY_PLUGIN_KERNELS_SIGNATURES_HPP_
