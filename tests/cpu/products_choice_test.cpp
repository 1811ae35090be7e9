// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What multiplies matrices on the CPU, and what the user hears of it.
#include <filesystem>

#include "support/cpu_runtime.h"

// An application may export functions with the names that OpenBLAS calls inside.
extern "C" {
#define PATCHBAY_TEST_FOREIGN __attribute__((visibility("default"), used))
PATCHBAY_TEST_FOREIGN int sgemm_nn() { return 0; }
PATCHBAY_TEST_FOREIGN int sgemm_nt() { return 0; }
PATCHBAY_TEST_FOREIGN int sgemm_tn() { return 0; }
PATCHBAY_TEST_FOREIGN int sgemm_tt() { return 0; }
}

namespace patchbay::test {
namespace {

#if defined(__aarch64__)
#define PATCHBAY_TEST_LIB "/usr/lib/aarch64-linux-gnu/"
#else
#define PATCHBAY_TEST_LIB "/usr/lib/x86_64-linux-gnu/"
#endif
constexpr const char* kThreadedOpenBlas = PATCHBAY_TEST_LIB "openblas-pthread/libopenblas.so.0";

struct Chosen {
  std::string description;
  std::vector<std::string> warnings;
};

/// Multiplies, and gives what the device says of itself and what the log says.
Chosen choose(const std::map<std::string, std::string>& settings) {
  Chosen chosen;
  RuntimeOptions options;
  options.plugins = {"cpu-openblas"};
  options.settings = settings;
  options.read_environment = false;
  options.log = [&chosen](LogLevel level, std::string_view line) {
    if (level <= LogLevel::kWarning) chosen.warnings.emplace_back(line);
  };
  const Device cpu = Runtime(options).device("cpu");
  chosen.description = cpu.properties().driver_version;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i32}) {
    const Tensor a = ones({120, 120}, {dtype, cpu});
    EXPECT_EQ(matmul(a, a).cast(DType::f64).to_vector<double>(),
              std::vector<double>(120 * 120, 120));
  }
  return chosen;
}

bool has_fast_loops() {
  const std::string name =
      cpu_runtime({{"cpu_products", "own"}}).device("cpu").properties().driver_version;
  return name.starts_with("avx");
}

void expect_refused(const Chosen& chosen, const std::string& why) {
  EXPECT_TRUE(chosen.description.ends_with(", own products (no OpenBLAS)")) << chosen.description;
  ASSERT_EQ(chosen.warnings.size(), 1u);
  EXPECT_HAS(chosen.warnings[0], "OpenBLAS can't be used (");
  EXPECT_HAS(chosen.warnings[0], why);
  EXPECT_HAS(chosen.warnings[0],
             "Install libopenblas0-pthread, set openblas_path, or set cpu_products to own.");
}

TEST(CpuProductsChoice, OwnLoopsNeedNoLibraryAndSayNothing) {
  if (!has_fast_loops()) GTEST_SKIP() << "this processor has no AVX2";
  for (const char* choice : {"auto", "own"}) {
    const Chosen chosen =
        choose({{"cpu_products", choice}, {"openblas_path", "/nowhere/libopenblas.so.0"}});
    EXPECT_TRUE(chosen.description.ends_with(", own products")) << chosen.description;
    EXPECT_TRUE(chosen.warnings.empty()) << chosen.warnings[0];
  }
}

TEST(CpuProductsChoice, AbsentOpenBlasIsNamedOnce) {
  expect_refused(
      choose({{"cpu_products", "openblas"}, {"openblas_path", "/nowhere/libopenblas.so.0"}}),
      "/nowhere/libopenblas.so.0");
}

TEST(CpuProductsChoice, ProcessorsWithoutTunedLoopsMissOpenBlas) {
  // Each processor can do with the loops of the oldest.
#if defined(__x86_64__)
  expect_refused(choose({{"cpu_simd", "sse4.2"}, {"openblas_path", "/nowhere/libopenblas.so.0"}}),
                 "/nowhere/libopenblas.so.0");
#else
  GTEST_SKIP() << "only x86-64 has several builds of the loops";
#endif
}

/// Products would be wrong, for the dynamic linker gives the library this program's functions.
TEST(CpuProductsChoice, LibraryWhoseFunctionsTheProgramReplacesIsRefused) {
  if (!std::filesystem::exists(kThreadedOpenBlas)) {
    GTEST_SKIP() << kThreadedOpenBlas << " is absent";
  }
  expect_refused(choose({{"cpu_products", "openblas"}, {"openblas_path", kThreadedOpenBlas}}),
                 "has a function sgemm_tt too, which takes the place of the library's");
}

TEST(CpuProductsChoice, UnknownChoicesAreRefused) {
  const auto reason = [](const std::map<std::string, std::string>& settings) {
    return cpu_runtime(settings).plugins().at(0).reason;
  };
  EXPECT_HAS(
      reason({{"cpu_products", "blas"}}),
      "setting cpu_products (PATCHBAY_CPU_PRODUCTS): expected auto, own or openblas, got 'blas'");
#if defined(__x86_64__)
  EXPECT_HAS(
      reason({{"cpu_simd", "avx"}}),
      "setting cpu_simd (PATCHBAY_CPU_SIMD): expected one of avx512, avx2, sse4.2, got 'avx'");
#endif
}

}  // namespace
}  // namespace patchbay::test
