// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/simd/selection/selection.hpp"

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::cpu {

// The build file defines the names of the builds of simd/.
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
#else
namespace base {
void fill(SimdTable& table);
}
#endif

namespace {

/// A build of the loops.
struct Build {
  const char* name;
  void (*fill)(SimdTable& table);
  std::uint32_t vector_bytes;
  bool has_fast_products, runs_here;
};

#if defined(__x86_64__)
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

SimdTable table_of(const Build& build) {
  SimdTable table;
  build.fill(table);
  table.name = build.name;
  table.vector_bytes = build.vector_bytes;
  table.has_fast_products = build.has_fast_products;
  return table;
}

}  // namespace

SimdTable choose_simd_table(const std::optional<std::string>& most) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const Build builds[] = {{"avx512", v4::fill, 64, true, has_v4()},
                          {"avx2", v3::fill, 32, true, has_v3()},
                          {"sse4.2", v2::fill, 16, false, true}};
#else
  const Build builds[] = {{"base", base::fill, 16, false, true}};
#endif
  std::string names;
  bool is_allowed = !most;
  for (const Build& build : builds) {
    is_allowed = is_allowed || *most == build.name;
    if (is_allowed && build.runs_here) return table_of(build);
    names += (names.empty() ? "" : ", ") + std::string(build.name);
  }
  plugin::refuse_setting("cpu_simd", "one of " + names, *most);
}

}  // namespace patchbay::cpu
