// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Kernel texts and values for the tests of users' kernels.
#ifndef PATCHBAY_TESTS_SUPPORT_KERNELS_H_
#define PATCHBAY_TESTS_SUPPORT_KERNELS_H_

#include "support/paths.h"
#include "support/runtime_fixture.h"

namespace patchbay::test {

inline constexpr const char* kScale = R"(
PATCHBAY_KERNEL(scale)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y), PATCHBAY_VALUE(f32, a),
                       PATCHBAY_VALUE(i64, n)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  const i64 i = PATCHBAY_GLOBAL_ID64(0);
  if (i < n) y[i] = a * x[i];
}
)";

/// The kernel that every device has.
inline KernelSpec fill_spec(DType dtype = DType::f32) {
  return {"fill.1", {ArgumentSpec::tensor(dtype, Access::kWrite), ArgumentSpec::scalar(dtype)}, {}};
}

/// A kernel of one output and some inputs.
inline KernelSpec kernel_spec(std::string op, DType dtype, std::size_t num_inputs) {
  std::vector<ArgumentSpec> all(1 + num_inputs, ArgumentSpec::tensor(dtype, Access::kRead));
  all[0] = ArgumentSpec::tensor(dtype, Access::kWrite);
  return {std::move(op), std::move(all), {}};
}

/// Values with a prime period, small enough for exact sums.
inline Floats values(std::int64_t count) {
  Floats result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<float>(i % 23) - 11;
  return result;
}

inline std::string example_path(const std::string& name) {
  return source_path("examples/kernels/" + name + ".pbk");
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_KERNELS_H_
