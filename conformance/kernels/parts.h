// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The parts of the chapter kernels, one per file of this folder.
#ifndef PATCHBAY_CONFORMANCE_KERNELS_PARTS_H_
#define PATCHBAY_CONFORMANCE_KERNELS_PARTS_H_

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/support/check.h"
#include "conformance/values/element.h"

namespace patchbay::conformance {

/// The whole chapter.
std::vector<Check> kernels_checks();

std::vector<Check> launching_checks();
std::vector<Check> creation_checks();
std::vector<Check> choice_checks();
std::vector<Check> comparison_checks();
std::vector<Check> function_checks();
std::vector<Check> reduction_checks();
std::vector<Check> gemm_checks();
std::vector<Check> random_checks();
std::vector<Check> indexing_checks();
std::vector<Check> window_checks();
std::vector<Check> ordering_checks();
std::vector<Check> row_checks();
std::vector<Check> factor_checks();
std::vector<Check> eigen_checks();
std::vector<Check> transform_checks();
std::vector<Check> composite_checks();
std::vector<Check> fused_checks();

/// check<T>(device), as the functions below take it.
#define PATCHBAY_OF_TYPES(check) \
  [](const Device& device, const std::string&, auto zero) { check<decltype(zero)>(device); }

/// Two checks of an operator: one for the dtypes that every backend has, one for f64.
template <class Required, class F64>
void add_pair(std::vector<Check>& checks, const std::string& name, Required required, F64 f64) {
  checks.push_back({"kernels", name, [=](Context& context) { required(context.device(), name); }});
  checks.push_back(
      {"kernels", name + "_f64", [=](Context& context) { f64(context.device(), name); }});
}

/// The checks of an operator that takes f32 and f64: check(device, name, value of the type).
template <class Body>
void add_wide(std::vector<Check>& checks, const std::string& name, Body check) {
  add_pair(
      checks, name,
      [=](const Device& device, const std::string& op) { check(device, op, float()); },
      [=](const Device& device, const std::string& op) { check(device, op, double()); });
}

/// A check of an operator for each 16-bit float: check(device, name, value of the type).
template <class Body>
void add_halves(std::vector<Check>& checks, const std::string& name, Body check) {
  checks.push_back(
      {"kernels", name + "_f16", [=](Context& context) { check(context.device(), name, F16()); }});
  checks.push_back({"kernels", name + "_bf16",
                    [=](Context& context) { check(context.device(), name, Bf16()); }});
}

/// The checks of an operator that takes floats: check(device, name, value of the type).
template <class Body>
void add_floats(std::vector<Check>& checks, const std::string& name, Body check) {
  add_wide(checks, name, check);
  add_halves(checks, name, check);
}

/// The checks of an operator that takes all numbers: check(device, name, value of the type).
template <class Body>
void add_numbers(std::vector<Check>& checks, const std::string& name, Body check) {
  add_pair(
      checks, name,
      [=](const Device& device, const std::string& op) {
        check(device, op, float());
        check(device, op, std::int32_t());
        check(device, op, std::int64_t());
        check(device, op, std::uint8_t());
      },
      [=](const Device& device, const std::string& op) { check(device, op, double()); });
  add_halves(checks, name, check);
}

/// The check, made to try bools beside f32.
template <class Body>
auto with_bools(Body check) {
  return [=](const Device& device, const std::string& name, auto zero) {
    check(device, name, zero);
    if constexpr (std::is_same_v<decltype(zero), float>) check(device, name, Bool());
  };
}

/// The check of the same operator for the types of storage: check(device, name, value of the type).
template <class Storage>
void add_storage(std::vector<Check>& checks, const std::string& name, Storage check) {
  checks.push_back({"kernels", name + "_storage", [=](Context& context) {
                      const Device device = context.device();
                      for_storage_types([&](auto zero) { check(device, name, zero); });
                    }});
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_KERNELS_PARTS_H_
