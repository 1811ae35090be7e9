// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "simd/table.hpp"

namespace patchbay::cpu {

// Made by the build file: the names of the builds of simd/, best first.
#if defined(__x86_64__)
namespace v2 {
void fill(SimdTable& table);
}
namespace v3 {
void fill(SimdTable& table);
}
namespace v4 {
void fill(SimdTable& table);
}

SimdTable choose_simd_table() {
  SimdTable table;
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) {
    v4::fill(table);
    table.name = "avx512";
    table.vector_bytes = 64;
  } else if (has_v3) {
    v3::fill(table);
    table.name = "avx2";
    table.vector_bytes = 32;
  } else {
    v2::fill(table);
    table.name = "sse4.2";
  }
  return table;
}
#else
namespace base {
void fill(SimdTable& table);
}

SimdTable choose_simd_table() {
  SimdTable table;
  base::fill(table);
  table.name = "base";
  return table;
}
#endif

}  // namespace patchbay::cpu
