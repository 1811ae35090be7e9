// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// fill copy cast arange: operators that create and move elements.
#include <cmath>
#include <utility>

#include "conformance/kernels/elementwise.h"
#include "conformance/kernels/parts.h"
#include "conformance/support/expect.h"

namespace patchbay::conformance {
namespace {

template <class T>
void check_fill(const Device& device, const std::string& name) {
  for (const ElementwiseCase& one : elementwise_cases()) {
    for (const T value : special_values<T>()) {
      if (one.out.num_elements() > kFew && value != T(1)) continue;
      Array<T> out(one.out);
      Array<T> expected = out;
      for (std::size_t i = 0; i < out.size(); ++i) expected.at(i) = value;
      const Argument target = out.to_device(device, Access::kWrite);
      run_kernel(device, name + ".1", {target, literal_of(value)});
      out.from_device(target);
      out.expect_close_to(expected, 0,
                          fmt::format("fill.1 of {} with {}, {}", to_string(dtype_of_element<T>()),
                                      show_element(value), one.name));
    }
  }
}

template <class T>
void check_copy(const Device& device, const std::string& name) {
  check_unary<T, T>(device, name + ".1", [](T a) { return a; });
}

/// Counts in steps of a quarter (floats) or 3, which are exact in the type of the computation.
template <class T>
void check_arange(const Device& device, const std::string& name) {
  const bool is_float = kIsFloat<T>;
  const T start = is_float ? static_cast<T>(-1.5) : T(2);
  const T step = is_float ? static_cast<T>(0.25) : T(3);
  for (const Layout& layout : {contiguous({1}), contiguous({0}), contiguous({70}),
                               contiguous({70001}), spread({257}, 3, 5)}) {
    if (sizeof(T) == 1 && layout.num_elements() > 80) continue;  // larger than a u8
    Array<T> out(layout);
    Array<T> expected = out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      expected.at(i) = static_cast<T>(start + step * static_cast<Computed<T>>(i));
    }
    const Argument target = out.to_device(device, Access::kWrite);
    run_kernel(device, name + ".1", {target, literal_of(start), literal_of(step)});
    out.from_device(target);
    out.expect_close_to(expected, 0,
                        fmt::format("arange.1 of {}", to_string(dtype_of_element<T>())));
  }
}

/// Casts from one dtype to another; for equal dtypes copy.1 is checked instead.
template <class Out, class In>
void check_cast(const Device& device) {
  if (std::is_same_v<In, Out>) return;
  if (std::is_same_v<Out, double> && !device.properties().f64) return;
  check_unary<Out, In>(device, "cast.1", converted<Out, In>, 0, [](int operand, std::size_t index) {
    if constexpr (kIsFloat<In>) {
      // Includes numbers at and beyond the ends of the integers' ranges.
      const In value = mixed_value<In>(operand, index);
      if (index % 3 != 0) return value;
      return static_cast<In>(std::ldexp(value, static_cast<int>(index % 70)));
    } else {
      return mixed_value<In>(operand, index);
    }
  });
}

template <class In>
void cast_from(const Device& device) {
  check_cast<float, In>(device);
  check_cast<std::int32_t, In>(device);
  check_cast<std::int64_t, In>(device);
  check_cast<std::uint8_t, In>(device);
  check_cast<Bool, In>(device);
  check_cast<double, In>(device);
}

/// Casts from T to each of the others, and back.
template <class T, class... Others>
void cast_both_ways(const Device& device) {
  (check_cast<T, Others>(device), ...);
  (check_cast<Others, T>(device), ...);
}

/// Casts between a 16-bit float and the dtypes that every device has, f64, and the other 16-bit
/// float.
template <class T>
void cast_half(const Device& device) {
  cast_both_ways<T, float, std::int32_t, std::int64_t, std::uint8_t, Bool>(device);
  const DeviceProperties& can = device.properties();
  if (can.f64) cast_both_ways<T, double>(device);
  if (std::is_same_v<T, F16> && can.f16 && can.bf16) cast_both_ways<T, Bf16>(device);
}

/// Casts between the storage types, and between them and some dtypes that every device has.
template <class T>
void cast_storage(const Device& device) {
  cast_both_ways<T, float, std::int64_t, std::uint8_t, Bool>(device);
  for_storage_types([&](auto other) { check_cast<T, decltype(other)>(device); });
}

/// A plugin must not report a dtype for which it has no kernel.
void claimed_dtypes(Context& context) {
  const Device device = context.device();
  const DeviceProperties& can = device.properties();
  const std::pair<DType, bool> claims[] = {
      {DType::f64, can.f64}, {DType::f16, can.f16}, {DType::bf16, can.bf16}};
  for (const auto& [dtype, is_claimed] : claims) {
    if (!is_claimed) continue;
    for (const char* op : {"fill", "copy", "cast"}) {
      const std::string why = why_unsupported(device, find_operator(op), dtype);
      expect(why.empty(), "the device says that it has {}, yet: {}", to_string(dtype), why);
    }
    const KernelSpec from_f32{"cast.1",
                              {ArgumentSpec::tensor(dtype, Access::kWrite),
                               ArgumentSpec::tensor(DType::f32, Access::kRead)},
                              {}};
    std::string why;
    expect(!is_unsupported([&] { (void)Kernel::prepare(device, from_f32); }, &why),
           "the device says that it has {}, yet: {}", to_string(dtype), why);
  }
}

}  // namespace

std::vector<Check> creation_checks() {
  std::vector<Check> checks;
  const auto fill = [](const Device& device, const std::string& name, auto zero) {
    check_fill<decltype(zero)>(device, name);
  };
  const auto copy = [](const Device& device, const std::string& name, auto zero) {
    check_copy<decltype(zero)>(device, name);
  };
  add_numbers(checks, "fill", with_bools(fill));
  add_numbers(checks, "copy", with_bools(copy));
  add_numbers(checks, "arange", [](const Device& device, const std::string& name, auto zero) {
    check_arange<decltype(zero)>(device, name);
  });
  add_numbers(checks, "cast", with_bools([](const Device& device, const std::string&, auto zero) {
                if constexpr (kIsHalf<decltype(zero)>)
                  cast_half<decltype(zero)>(device);
                else
                  cast_from<decltype(zero)>(device);
              }));
  add_storage(checks, "fill", fill);
  add_storage(checks, "copy", copy);
  add_storage(checks, "cast", PATCHBAY_OF_TYPES(cast_storage));
  checks.push_back({"kernels", "claimed_dtypes", claimed_dtypes});
  return checks;
}

}  // namespace patchbay::conformance
