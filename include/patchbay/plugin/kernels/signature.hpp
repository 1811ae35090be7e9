// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The arguments, attributes and result of an operator. signatures.hpp has all operators.
#ifndef PATCHBAY_PLUGIN_KERNELS_SIGNATURE_HPP_
#define PATCHBAY_PLUGIN_KERNELS_SIGNATURE_HPP_

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "patchbay/plugin/kernels/dtypes.hpp"
#include "patchbay/plugin/kernels/operators.h"

namespace patchbay::kernels {

// Every dtype belongs to a set of operators.h, which decides what is computed in it.
static_assert(PATCHBAY_SET_FLOATS ==
              (all_of_kind(DtypeKind::kFloat) | all_of_kind(DtypeKind::kHalf)));
static_assert((PATCHBAY_SET_INTEGERS | PATCHBAY_SET_STORAGE) ==
              (all_of_kind(DtypeKind::kSigned) | all_of_kind(DtypeKind::kUnsigned)));
static_assert(PATCHBAY_SET_BOOLS == all_of_kind(DtypeKind::kBool));

/// The role of an argument, as named in operators.h and in the same order.
enum class Role : char {
  kWrite = 'o',
  kUpdate = 'u',
  kRead = 't',
  kOperand = 'a',
  kMask = 'c',
  kIndex = 'x',
  kPlaces = 'p',
  kScalar = 's',
  kInteger = 'i'
};

/// The dtype of the result, as described in operators.h.
enum class Result : std::uint8_t { kSame, kBoolean, kTotal, kIndex, kChosen };

struct Bound {
  bool of_terms;  // in units of the sum of the terms' magnitudes, else of the result
  double ulps;    // 0: correctly rounded
};

struct Parameter {
  std::string_view name;
  Role role{};
};

/// The largest numbers of arguments, attributes and words of an attribute.
inline constexpr std::size_t kMostParameters = 12, kMostAttributes = 12, kMostWords = 8;

class Parameters {
 public:
  /// Parses "out:write a:read". An unknown role does not compile.
  consteval explicit Parameters(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find(' ');
      add(text.substr(0, end));
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
  }

  constexpr std::size_t size() const { return size_; }
  constexpr const Parameter& operator[](std::size_t i) const { return all_[i]; }
  constexpr const Parameter* begin() const { return all_.data(); }
  constexpr const Parameter* end() const { return all_.data() + size_; }

 private:
  consteval void add(std::string_view word) {
    const std::size_t colon = word.find(':');
    all_.at(size_++) = {word.substr(0, colon), role_of(word.substr(colon + 1))};
  }
  static consteval Role role_of(std::string_view word) {
    if (word == "write") return Role::kWrite;
    if (word == "update") return Role::kUpdate;
    if (word == "read") return Role::kRead;
    if (word == "operand") return Role::kOperand;
    if (word == "mask") return Role::kMask;
    if (word == "index") return Role::kIndex;
    if (word == "places") return Role::kPlaces;
    if (word == "scalar") return Role::kScalar;
    if (word == "i64") return Role::kInteger;
    throw "an argument has an unknown role";
  }

  std::array<Parameter, kMostParameters> all_{};
  std::size_t size_ = 0;
};

/// The values that an attribute may have.
struct AttributeRule {
  std::string_view op, name;
  std::uint8_t type = 0;  // patchbay_attribute_type
  bool is_required = true;
  std::int64_t i64_default = 0, i64_least = 0, i64_most = 0;
  double f64_default = 0, f64_least = 0, f64_most = 0;
  std::array<std::string_view, kMostWords> words{};  // the possible values of a string
  std::size_t num_words = 0;
  std::size_t word_default = 0;  // the index of the default word
};

constexpr AttributeRule rule_I64(std::string_view op, std::string_view name,
                                 std::optional<std::int64_t> given, std::int64_t least,
                                 std::int64_t most) {
  AttributeRule rule{op, name, PATCHBAY_ATTRIBUTE_I64, !given.has_value()};
  rule.i64_default = given.value_or(0);
  rule.i64_least = least;
  rule.i64_most = most;
  return rule;
}
constexpr AttributeRule rule_F64(std::string_view op, std::string_view name,
                                 std::optional<double> given, double least, double most) {
  AttributeRule rule{op, name, PATCHBAY_ATTRIBUTE_F64, !given.has_value()};
  rule.f64_default = given.value_or(0);
  rule.f64_least = least;
  rule.f64_most = most;
  return rule;
}
template <class... Words>
constexpr AttributeRule rule_WORD(std::string_view op, std::string_view name,
                                  std::optional<std::string_view> given, Words... words) {
  AttributeRule rule{op, name, PATCHBAY_ATTRIBUTE_STRING, !given.has_value()};
  for (const std::string_view word : {std::string_view(words)...}) {
    if (word == given) rule.word_default = rule.num_words;
    rule.words.at(rule.num_words++) = word;
  }
  return rule;
}

struct Signature {
  const char* name;    // "add"
  const char* kernel;  // "add.1"
  int version;
  int since;  // the minor version of the boundary that added the operator
  const char* family;
  Parameters parameters;
  std::span<const AttributeRule> attributes;
  DtypeSet dtypes;  // of the operands
  Result result;
  Bound bound;
  const char* shapes;
  const char* derivative;  // "" if there is none, or if elementwise.h has it
  const char* source;      // of the formula
  const char* contract;    // further rules that a kernel follows
};

/// The result's dtype for operands of this dtype. For kChosen it is the same dtype.
constexpr std::uint8_t result_dtype(Result result, std::uint8_t operand) {
  switch (result) {
    case Result::kBoolean: return PATCHBAY_BOOL;
    case Result::kIndex: return PATCHBAY_I64;
    case Result::kTotal:
      return contains(PATCHBAY_SET_FLOATS | PATCHBAY_BIT(U64), operand)
                 ? operand
                 : std::uint8_t{PATCHBAY_I64};
    case Result::kSame:
    case Result::kChosen: break;
  }
  return operand;
}
/// Scalars are never bool: a bool travels as u8.
constexpr std::uint8_t scalar_dtype(std::uint8_t dtype) {
  return dtype == PATCHBAY_BOOL ? std::uint8_t{PATCHBAY_U8} : dtype;
}

/// The shortest text from which the same number can be read, in any locale.
inline std::string text_of(double value) {
  if (value != value) return "nan";  // its sign has no meaning
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// For example "an integer from 0 to 7", for messages and documents.
inline std::string expected_of(const AttributeRule& rule) {
  if (rule.type == PATCHBAY_ATTRIBUTE_STRING) {
    std::string text = "one of";
    for (std::size_t i = 0; i < rule.num_words; ++i) {
      text += (i == 0 ? " '" : ", '") + std::string(rule.words[i]) + "'";
    }
    return text;
  }
  if (rule.type == PATCHBAY_ATTRIBUTE_I64) {
    return "an integer from " + std::to_string(rule.i64_least) + " to " +
           std::to_string(rule.i64_most);
  }
  return "a number from " + text_of(rule.f64_least) + " to " + text_of(rule.f64_most);
}

/// The default value of an attribute, as text.
inline std::string default_of(const AttributeRule& rule) {
  if (rule.type == PATCHBAY_ATTRIBUTE_I64) return std::to_string(rule.i64_default);
  if (rule.type == PATCHBAY_ATTRIBUTE_F64) return text_of(rule.f64_default);
  return "'" + std::string(rule.words[rule.word_default]) + "'";
}

}  // namespace patchbay::kernels

#endif  // PATCHBAY_PLUGIN_KERNELS_SIGNATURE_HPP_
