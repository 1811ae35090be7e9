// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Patchbay beside the BLAS library of the program.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "examples/tests/run_process.h"
#include "support/text.h"

namespace {

#if defined(__aarch64__)
#define PATCHBAY_TEST_LIB "/usr/lib/aarch64-linux-gnu/"
#else
#define PATCHBAY_TEST_LIB "/usr/lib/x86_64-linux-gnu/"
#endif
constexpr const char* kOpenBlas = PATCHBAY_TEST_LIB "openblas-pthread/libopenblas.so.0";

/// By what multiplies here: auto, own or openblas.
class BesideBlas : public testing::TestWithParam<const char*> {
 protected:
  /// What the program prints; it must end well.
  std::string run(const std::string& way, const std::string& library,
                  const std::string& patchbays = kOpenBlas) {
    const examples::ProcessResult result = examples::run_process(
        {BLAS_PROGRAM, way, library}, {{"PATCHBAY_PLUGINS", "cpu-openblas"},
                                       {"PATCHBAY_CPU_PRODUCTS", GetParam()},
                                       {"PATCHBAY_OPENBLAS_PATH", patchbays}});
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    return result.output;
  }
  bool wants_openblas() const { return std::string(GetParam()) == "openblas"; }
};
INSTANTIATE_TEST_SUITE_P(All, BesideBlas, testing::Values("auto", "own", "openblas"));

TEST_P(BesideBlas, TheProgramsOwnUseOfTheSameFileGoesOn) {
  if (!std::filesystem::exists(kOpenBlas)) GTEST_SKIP() << kOpenBlas << " is absent";
  EXPECT_EQ(run("shared", kOpenBlas), "");
}

TEST_P(BesideBlas, TheSameFileInTheGlobalScope) {
  if (!std::filesystem::exists(kOpenBlas)) GTEST_SKIP() << kOpenBlas << " is absent";
  const std::string description = run("global", kOpenBlas);
  const char* const products = wants_openblas() ? "products by OpenBLAS" : "own products";
  EXPECT_HAS(description, products);
}

TEST_P(BesideBlas, AnotherBuildInTheGlobalScope) {
  const std::string other = PATCHBAY_TEST_LIB "openblas-serial/libopenblas.so.0";
  if (!std::filesystem::exists(kOpenBlas) || !std::filesystem::exists(other)) {
    GTEST_SKIP() << kOpenBlas << " or " << other << " is absent";
  }
  const std::string description = run("global", other);
  EXPECT_HAS(description, "own products");
}

TEST_P(BesideBlas, AnotherLibraryInTheGlobalScope) {
  std::string library = PATCHBAY_TEST_LIB "blis-openmp/libblis.so.4";
  if (!std::filesystem::exists(library)) library = PATCHBAY_TEST_LIB "blis-pthread/libblis.so.4";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << library << " is absent";
  EXPECT_NE(run("global", library), "");
}

TEST_P(BesideBlas, SerialBuildIsRefused) {
  const std::string serial = PATCHBAY_TEST_LIB "openblas-serial/libopenblas.so.0";
  if (!std::filesystem::exists(serial)) GTEST_SKIP() << serial << " is absent";
  const std::string description = run("alone", "none", serial);
  EXPECT_HAS(description, "own products");
}

TEST_P(BesideBlas, ThereIsNone) {
  const std::string description = run("alone", "none", "/nowhere/libopenblas.so.0");
  EXPECT_HAS(description, "own products");
  if (wants_openblas()) {
    EXPECT_HAS(description, "(no OpenBLAS)");
  }
}

struct Factors {
  std::string output, errors;
};
Factors factor_with(const std::string& lapack, const std::string& folder = "/nowhere") {
  const examples::ProcessResult result = examples::run_process(
      {BLAS_PROGRAM, "factors", "liblapack.so"}, {{"PATCHBAY_PLUGINS", "cpu-openblas"},
                                                  {"PATCHBAY_CPU_PRODUCTS", "own"},
                                                  {"PATCHBAY_LOG", "warning:/dev/stderr"},
                                                  {"LD_LIBRARY_PATH", folder},
                                                  {"PATCHBAY_LAPACK_PATH", lapack}});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  return {result.output, result.errors};
}

/// The reference LAPACK, on the reference BLAS.
TEST(LapackPath, NamesTheLapackToUse) {
  const std::string lapack = PATCHBAY_TEST_LIB "lapack/liblapack.so.3";
  const std::string blas = PATCHBAY_TEST_LIB "blas";
  for (const std::string& file : {lapack, blas + "/libblas.so.3"}) {
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
  }
  const Factors used = factor_with(lapack, blas);
  EXPECT_HAS(used.output, ", LAPACK of liblapack.so.3, own products\nopened\n");
  EXPECT_EQ(used.errors, "");
}

TEST(LapackPath, WhatCanNotBeUsedIsNamedOnceAndOwnLoopsCompute) {
  const Factors absent = factor_with("/nowhere/liblapack.so.3");
  EXPECT_HAS(absent.output, ", no LAPACK, own products\nnot opened\n");
  EXPECT_HAS(absent.errors, "LAPACK can't be used (/nowhere/liblapack.so.3");
  EXPECT_HAS(absent.errors, "own loops compute eigenvalues and singular values");
  EXPECT_EQ(absent.errors.find("LAPACK can't"), absent.errors.rfind("LAPACK can't"));
}

TEST(LapackPath, LibrariesWithThreadsOrSharedBuffersAreRefused) {
  for (const char* const build : {"openblas-pthread", "openblas-serial"}) {
    const std::string file = PATCHBAY_TEST_LIB + std::string(build) + "/liblapack.so.3";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is absent";
    EXPECT_HAS(factor_with(file).errors,
               file + " is part of a library with threads or buffers of its own");
  }
}

TEST(LittleMemory, IsAnOrdinaryErrorOfTheProduct) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory is limited too";
#endif
  const examples::ProcessResult result = examples::run_process(
      {BLAS_PROGRAM, "limited", "none"},
      {{"PATCHBAY_PLUGINS", "cpu-openblas"}, {"PATCHBAY_CPU_PRODUCTS", "own"}});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_HAS(result.output, "bytes of scratch memory");
  EXPECT_EQ(result.output.find('\n'), result.output.size() - 1) << result.output;
}

}  // namespace
