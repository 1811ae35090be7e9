// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The attributes that a kernel is prepared with: the kit checks them and the plugin reads them.
#ifndef PATCHBAY_PLUGIN_KIT_ATTRIBUTES_HPP_
#define PATCHBAY_PLUGIN_KIT_ATTRIBUTES_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "patchbay/plugin/kernels/signatures.hpp"
#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {
namespace detail {

using AttributeSpan = std::span<const patchbay_attribute>;

inline AttributeSpan attributes_of(const patchbay_kernel_spec& spec) {
  return {spec.attributes, spec.num_attributes};
}
/// Null if the attribute is not given.
inline const patchbay_attribute* find_attribute(AttributeSpan all, std::string_view name) {
  for (const patchbay_attribute& attribute : all) {
    if (from_abi(attribute.name) == name) return &attribute;
  }
  return nullptr;
}
inline const kernels::AttributeRule* find_rule(const kernels::Signature& signature,
                                               std::string_view name) {
  for (const kernels::AttributeRule& rule : signature.attributes) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

inline std::string shown(const patchbay_attribute& attribute) {
  switch (attribute.type) {
    case PATCHBAY_ATTRIBUTE_I64: return std::to_string(attribute.value.i64);
    case PATCHBAY_ATTRIBUTE_F64: return kernels::text_of(attribute.value.f64);
    case PATCHBAY_ATTRIBUTE_STRING:
      return "'" + std::string(from_abi(attribute.value.string)) + "'";
    default: return "type " + std::to_string(attribute.type);
  }
}

inline bool fits(const kernels::AttributeRule& rule, const patchbay_attribute& attribute) {
  if (attribute.type != rule.type) return false;
  switch (rule.type) {
    case PATCHBAY_ATTRIBUTE_I64:
      return attribute.value.i64 >= rule.i64_least && attribute.value.i64 <= rule.i64_most;
    case PATCHBAY_ATTRIBUTE_F64:
      return attribute.value.f64 >= rule.f64_least && attribute.value.f64 <= rule.f64_most;
    default: break;
  }
  for (std::size_t i = 0; i < rule.num_words; ++i) {
    if (rule.words[i] == from_abi(attribute.value.string)) return true;
  }
  return false;
}

[[noreturn]] inline void refuse_attribute(const kernels::Signature& signature,
                                          const patchbay_attribute& attribute) {
  std::string known;
  for (const kernels::AttributeRule& rule : signature.attributes) {
    known += (known.empty() ? "expected one of " : ", ") + std::string(rule.name);
  }
  unsupported(std::string(signature.kernel) + ": unknown attribute '" +
              std::string(from_abi(attribute.name)) +
              "': " + (known.empty() ? "the operator takes none" : known));
}

inline void check_attributes(const kernels::Signature& signature,
                             const patchbay_kernel_spec& spec) {
  const AttributeSpan given = attributes_of(spec);
  const auto fail = [&](std::string_view name, const std::string& why) {
    invalid_argument(std::string(signature.kernel) + ": attribute '" + std::string(name) + "' " +
                     why);
  };
  for (const patchbay_attribute& attribute : given) {
    const std::string_view name = from_abi(attribute.name);
    const kernels::AttributeRule* const rule = find_rule(signature, name);
    if (rule == nullptr) refuse_attribute(signature, attribute);
    if (find_attribute(given, name) != &attribute) fail(name, "is given twice");
    if (!fits(*rule, attribute)) {
      fail(name, "is " + shown(attribute) + ": expected " + kernels::expected_of(*rule));
    }
  }
  for (const kernels::AttributeRule& rule : signature.attributes) {
    if (!rule.is_required || find_attribute(given, rule.name) != nullptr) continue;
    fail(rule.name, "is missing: expected " + kernels::expected_of(rule));
  }
}

}  // namespace detail

/// The values of a checked spec's attributes. An attribute that is not given has its default.
class Attributes {
 public:
  explicit Attributes(const patchbay_kernel_spec& spec)
      : Attributes(spec, kernels::find_signature(from_abi(spec.op))) {}
  Attributes(const patchbay_kernel_spec& spec, const kernels::Signature* signature)
      : given_(detail::attributes_of(spec)), signature_(signature) {}

  std::int64_t integer(std::string_view name) const {
    const auto* const given = detail::find_attribute(given_, name);
    return given != nullptr ? given->value.i64 : rule(name).i64_default;
  }
  double number(std::string_view name) const {
    const auto* const given = detail::find_attribute(given_, name);
    return given != nullptr ? given->value.f64 : rule(name).f64_default;
  }
  std::string_view word(std::string_view name) const {
    const auto* const given = detail::find_attribute(given_, name);
    if (given != nullptr) return from_abi(given->value.string);
    return rule(name).words[rule(name).word_default];
  }

 private:
  const kernels::AttributeRule& rule(std::string_view name) const {
    const auto* const found =
        signature_ == nullptr ? nullptr : detail::find_rule(*signature_, name);
    if (found == nullptr) {
      throw StatusError(PATCHBAY_INTERNAL, "no attribute is named '" + std::string(name) + "'");
    }
    return *found;
  }

  detail::AttributeSpan given_;
  const kernels::Signature* signature_;
};

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_ATTRIBUTES_HPP_
