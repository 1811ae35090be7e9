// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// eq ne lt le gt ge, and logic on bools.
#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

Bool to_bool(bool value) { return value ? Bool::kTrue : Bool::kFalse; }

template <class T>
std::function<Bool(T, T)> reference_of(const std::string& name) {
  if (name == "eq") return [](T a, T b) { return to_bool(a == b); };
  if (name == "ne") return [](T a, T b) { return to_bool(a != b); };
  if (name == "lt") return [](T a, T b) { return to_bool(a < b); };
  if (name == "le") return [](T a, T b) { return to_bool(a <= b); };
  if (name == "gt") return [](T a, T b) { return to_bool(a > b); };
  return [](T a, T b) { return to_bool(a >= b); };
}

template <class T>
void check_one(const Device& device, const std::string& name) {
  check_binary<Bool, T>(device, name + ".1", reference_of<T>(name));
}

void logical_and(Context& context) {
  check_binary<Bool, Bool>(context.device(), "logical_and.1", [](Bool a, Bool b) {
    return to_bool(a == Bool::kTrue && b == Bool::kTrue);
  });
}

void logical_or(Context& context) {
  check_binary<Bool, Bool>(context.device(), "logical_or.1", [](Bool a, Bool b) {
    return to_bool(a == Bool::kTrue || b == Bool::kTrue);
  });
}

void logical_not(Context& context) {
  check_unary<Bool, Bool>(context.device(), "logical_not.1",
                          [](Bool a) { return to_bool(a == Bool::kFalse); });
}

}  // namespace

std::vector<Check> comparison_checks() {
  std::vector<Check> checks;
  for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    const auto one = [](const Device& device, const std::string& op, auto zero) {
      check_one<decltype(zero)>(device, op);
    };
    add_numbers(checks, name, with_bools(one));
    add_storage(checks, name, one);
  }
  checks.push_back({"kernels", "logical_and", logical_and});
  checks.push_back({"kernels", "logical_or", logical_or});
  checks.push_back({"kernels", "logical_not", logical_not});
  return checks;
}

}  // namespace patchbay::conformance
