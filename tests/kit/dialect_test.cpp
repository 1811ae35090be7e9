// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Users' texts and the portable operators' as OpenCL C, by clang.
#include "kit/dialect_texts.h"
#include "kit/portable_texts.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

/// Whether clang takes the text as OpenCL C of that standard.
bool is_opencl(const std::string& name, const std::string& text, const std::string& standard,
               const std::string& flags = "") {
  const auto folder = std::filesystem::path(built_path("dialect-test"));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / (name + ".cl")).string();
  std::ofstream(path) << with_dialect(text);
  const std::string command = "clang-14 -x cl -cl-std=" + standard +
                              " -Xclang -finclude-default-header -target spir64 -Wall -Werror"
                              " -Wno-unused-function " +
                              flags + " -fsyntax-only '" + path + "'";
  return std::system(command.c_str()) == 0;
}

TEST(DialectTest, IsOpenClC) {
  if (std::system("clang-14 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no clang-14 here";
  for (const auto& [name, text] : texts()) {
    ASSERT_FALSE(text.empty()) << name;
    for (const char* standard : {"CL1.2", "CL2.0", "CL3.0"}) {
      EXPECT_TRUE(is_opencl(name, text, standard)) << name << ' ' << standard;
    }
  }
}

/// A text that is made of pieces has conditions that are always true and values that nobody wants.
constexpr const char* kMade =
    "-Wno-unused-variable -Wno-tautological-compare -Wno-constant-logical-operand";

TEST(DialectTest, PortableOperatorsAreOpenClC) {
  if (std::system("clang-14 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no clang-14 here";
  for (const auto& [name, text] : portable_texts({}, kFewDtypes)) {
    EXPECT_TRUE(is_opencl(name, text, "CL1.2", kMade)) << text;
  }
  const std::vector<PortableText> late = late_texts({});
  EXPECT_GT(late.size(), 2U);
  for (const auto& [name, text] : late) EXPECT_TRUE(is_opencl(name, text, "CL1.2", kMade)) << text;
  portable::Traits cpu;
  cpu.is_cpu = cpu.has_vectors = true;
  for (const auto& [name, text] : portable_texts(cpu, {PATCHBAY_F64, PATCHBAY_BF16})) {
    EXPECT_TRUE(is_opencl(name, with_wide_indices(text), "CL1.2", kMade)) << text;
  }
}

/// Without correctly rounded division of its own a device has f64 help.
TEST(DialectTest, QuotientsByF64AreOpenClC) {
  if (std::system("clang-14 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no clang-14 here";
  EXPECT_TRUE(is_opencl("quotients", R"(
PATCHBAY_KERNEL(f)(PATCHBAY_INOUT(f32, x), PATCHBAY_INOUT(f64, y)) {
  PATCHBAY_BIND(f32, x);
  PATCHBAY_BIND(f64, y);
  x[0] = PATCHBAY_DIVIDE(x[1], x[2]) + PATCHBAY_SQRT(x[3]);
  y[0] = PATCHBAY_DIVIDE(y[1], y[2]) + PATCHBAY_SQRT(y[3]);
}
)",
                        "CL1.2", "-DPATCHBAY_ROUNDS_TWICE=1"));
}

/// That none is left out silently: creation, functions and arithmetic, where and clamp, comparison
/// and logic, reductions, products, random elements, windows, rows, composite operators,
/// factorizations, transforms.
TEST(DialectTest, EveryOperatorHasItsTexts) {
  // Running sums and sorting have two, of which one is for accelerators.
  EXPECT_EQ(portable_texts({}, {PATCHBAY_F32}).size(),
            4U + 26 + 11 + 2 + 6 + 1 + 2 + 2 + 5 + 3 + 5 + 2 + 1 + 1 + 7 + 1);
  // None of scatter_add, cumsum, normalization, moments, factorizations and transforms.
  for (const std::uint8_t small : {PATCHBAY_F16, PATCHBAY_BF16}) {
    EXPECT_EQ(portable_texts({}, {small}).size(),
              portable_texts({}, {PATCHBAY_F32}).size() - 3 - 3 - 1 - 7 - 1);
  }
  EXPECT_EQ(portable_texts({}, {PATCHBAY_I64}).size(), 4U + 9 + 7 + 2 + 6 + 1 + 2 + 2 + 3 + 2);
  EXPECT_EQ(portable_texts({}, {PATCHBAY_U8}).size(), 4U + 9 + 7 + 2 + 2 + 1 + 2 + 2 + 2);
  EXPECT_EQ(portable_texts({}, {PATCHBAY_BOOL}).size(), 3U + 1 + 6 + 3 + 2 + 1 + 1 + 1 + 1);
  portable::Traits without_f64;
  without_f64.has_f64 = false;
  EXPECT_TRUE(portable_texts(without_f64, {PATCHBAY_F64}).empty());
}

}  // namespace
}  // namespace patchbay::test
