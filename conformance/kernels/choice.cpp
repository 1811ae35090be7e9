// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// where: a condition and two operands. clamp: an operand and two numbers.
#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"

namespace patchbay::conformance {
namespace {

Bool condition_at(std::size_t index) { return ordinary_value<Bool>(index * 3 + 1); }

/// Which operands of `where` are tensors.
enum class Tensors : std::uint8_t { kBoth, kFirst, kSecond };

/// The condition has the layout of the second operand.
template <class T>
void check_where_case(const Device& device, const ElementwiseCase& one, Tensors tensors) {
  const T literal = ordinary_value<T>(5);
  const Array<Bool> condition(one.b, condition_at);
  const Array<T> a(one.a, [](std::size_t i) { return mixed_value<T>(0, i); });
  const Array<T> b(one.b, [](std::size_t i) { return mixed_value<T>(1, i); });
  Array<T> out(one.out);
  Array<T> expected = out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const T x = tensors == Tensors::kSecond ? literal : a.at(i);
    const T y = tensors == Tensors::kFirst ? literal : b.at(i);
    expected.at(i) = condition.at(i) == Bool::kTrue ? x : y;
  }
  const Argument target = out.to_device(device, Access::kWrite);
  Arguments arguments = {target, condition.to_device(device, Access::kRead),
                         a.to_device(device, Access::kRead), b.to_device(device, Access::kRead)};
  if constexpr (!std::is_same_v<T, Bool>) {  // there are no scalars of dtype bool
    if (tensors == Tensors::kSecond) arguments[2] = literal_of(literal);
    if (tensors == Tensors::kFirst) arguments[3] = literal_of(literal);
  }
  run_kernel(device, "where.1", arguments);
  out.from_device(target);
  out.expect_close_to(expected, 0,
                      fmt::format("where.1 of {}, {}", to_string(dtype_of_element<T>()), one.name));
}

template <class T>
void check_where(const Device& device) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    check_where_case<T>(device, one, Tensors::kBoth);
    if constexpr (!std::is_same_v<T, Bool>) {
      check_where_case<T>(device, one, Tensors::kFirst);
      check_where_case<T>(device, one, Tensors::kSecond);
    }
  }
  for (const ElementwiseCase& one : pairs_of_layouts()) {
    check_where_case<T>(device, one, Tensors::kBoth);
  }
}

template <class T>
void check_clamp(const Device& device) {
  const T low = 2, high = 40;
  for (const ElementwiseCase& one : elementwise_cases()) {
    const Array<T> in(one.a, [](std::size_t i) { return mixed_value<T>(0, i); });
    Array<T> out(one.out);
    Array<T> expected = out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const T value = in.at(i);
      expected.at(i) = value < low ? low : (value > high ? high : value);
    }
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(device, "clamp.1",
               {target, in.to_device(device, Access::kRead), literal_of(low), literal_of(high)});
    out.from_device(target);
    out.expect_close_to(
        expected, 0, fmt::format("clamp.1 of {}, {}", to_string(dtype_of_element<T>()), one.name));
  }
}

}  // namespace

std::vector<Check> choice_checks() {
  std::vector<Check> checks;
  const auto where = PATCHBAY_OF_TYPES(check_where);
  add_numbers(checks, "where", with_bools(where));
  add_storage(checks, "where", where);
  add_numbers(checks, "clamp", PATCHBAY_OF_TYPES(check_clamp));
  return checks;
}

}  // namespace patchbay::conformance
