// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Users' texts and the portable operators' in the languages whose devices are not here: OpenCL C by
// clang, CUDA by NVRTC.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kit/portable_texts.h"
#include "support/kernels.h"

namespace patchbay::test {
namespace {

constexpr const char* kExamples[] = {"saxpy", "block_sum", "tiled_gemm"};

/// Uses every macro of the dialect.
constexpr const char* kEverything = R"(
PATCHBAY_TABLE(f32, weights, 2) = {0.5f, 2.0f};
PATCHBAY_FUNCTION f32 first(PATCHBAY_GLOBAL const f32* PATCHBAY_RESTRICT x) { return x[0]; }
PATCHBAY_FUNCTION f32 second(PATCHBAY_LOCAL f32* x) { return x[1]; }
PATCHBAY_FUNCTION f32 third(PATCHBAY_CONSTANT f32* x) { return x[1]; }
PATCHBAY_KERNEL(everything)(PATCHBAY_INPUT(f32, a), PATCHBAY_OUTPUT(f32, b), PATCHBAY_INOUT(i32, c),
                            PATCHBAY_INPUT(bool, d), PATCHBAY_OUTPUT(u8, e), PATCHBAY_INOUT(i64, f),
                            PATCHBAY_VALUE(f32, g), PATCHBAY_VALUE(i32, h), PATCHBAY_VALUE(i64, i),
                            PATCHBAY_VALUE(u8, j)) {
  PATCHBAY_BIND_INPUT(f32, a);
  PATCHBAY_BIND(f32, b);
  PATCHBAY_BIND(i32, c);
  PATCHBAY_BIND_INPUT(bool, d);
  PATCHBAY_BIND(u8, e);
  PATCHBAY_BIND(i64, f);
  PATCHBAY_SHARED(f32, row, 64);
  PATCHBAY_SHARED_2D(i32, tile, 4, 4);
  const i32 me = PATCHBAY_LOCAL_ID(0) + PATCHBAY_GROUP_ID(1) + PATCHBAY_GROUP_SIZE(2) +
                 PATCHBAY_NUM_GROUPS(0) + PATCHBAY_GLOBAL_ID(1) + PATCHBAY_SUB_GROUP_WIDTH;
  const i64 at = PATCHBAY_GLOBAL_ID64(0) + PATCHBAY_GLOBAL_ID64(1) + PATCHBAY_GLOBAL_ID64(2);
  row[me & 63] = g;
  tile[me & 3][h & 3] = me;
  PATCHBAY_BARRIER();
  const u32 bits = PATCHBAY_BITS(a[at]);
  const u64 wide = (u64)bits * (u64)bits + PATCHBAY_MUL_HIGH_U32(bits, bits);
  b[at] = PATCHBAY_FROM_BITS(bits) + first(a) + second(row) + third(weights) + PATCHBAY_INFINITY +
          PATCHBAY_NAN + (f32)wide;
  e[at] = d[at] ? j : (u8)0;
  f[at] += i + tile[0][0];
  PATCHBAY_ATOMIC_ADD_I32(&c[0], 1);
  PATCHBAY_ATOMIC_MIN_I32(&c[1], me);
  PATCHBAY_ATOMIC_MAX_I32(&c[2], me);
  PATCHBAY_ATOMIC_CAS_I32(&c[3], 0, me);
  PATCHBAY_ATOMIC_ADD_F32(&b[0], 1.0f);
  PATCHBAY_ATOMIC_ADD_SHARED_F32(&row[0], 1.0f);
  const f32 x = a[0], y = a[1];
  b[1] = sqrt(x) + rsqrt(x) + exp(x) + exp2(x) + log(x) + log2(x) + log10(x) + expm1(x) + log1p(x) +
         sin(x) + cos(x) + tan(x) + asin(x) + acos(x) + atan(x) + sinh(x) + cosh(x) + tanh(x) +
         erf(x) + erfc(x) + fabs(x) + floor(x) + ceil(x) + trunc(x) + rint(x) + pow(x, y) + fmin(x, y) +
         fmax(x, y) + fmod(x, y) + atan2(x, y) + copysign(x, y) + fma(x, y, x);
}
)";

std::vector<std::pair<std::string, std::string>> texts() {
  std::vector<std::pair<std::string, std::string>> result = {{"everything", kEverything}};
  for (const char* name : kExamples) result.emplace_back(name, read_text(example_path(name)));
  return result;
}

/// Enough for all forms of a text.
const std::vector<std::uint8_t> kFewDtypes = {PATCHBAY_F32, PATCHBAY_F16, PATCHBAY_I64,
                                              PATCHBAY_BOOL};

std::string with_dialect(const std::string& text) {
  return read_text(std::string(PATCHBAY_TEST_SOURCE_DIR) +
                   "/include/patchbay/plugin/kernels/dialect.h") +
         "#line 1 \"text\"\n" + text;
}

/// Whether clang takes the text as OpenCL C of that standard.
bool is_opencl(const std::string& name, const std::string& text, const std::string& standard,
               const std::string& flags = "") {
  const auto folder = std::filesystem::path(PATCHBAY_TEST_BINARY_DIR) / "dialect-test";
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
  for (const auto& [name, text] : late) {
    EXPECT_TRUE(is_opencl(name, text, "CL1.2", kMade)) << text;
  }
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

/// The entries of NVRTC that the test needs.
struct RuntimeCompiler {
  int (*create)(void** program, const char* source, const char* name, int, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(void* program, int num_options, const char* const* options) = nullptr;
  int (*log_size)(void* program, std::size_t* size) = nullptr;
  int (*log)(void* program, char* text) = nullptr;
  int (*destroy)(void** program) = nullptr;

  bool open() {
    void* library = nullptr;
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return library != nullptr && find(library, "nvrtcCreateProgram", create) &&
           find(library, "nvrtcCompileProgram", compile) &&
           find(library, "nvrtcGetProgramLogSize", log_size) &&
           find(library, "nvrtcGetProgramLog", log) &&
           find(library, "nvrtcDestroyProgram", destroy);
  }
  template <class Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
  /// Empty, or what the compiler says.
  std::string failure(const std::string& source, const std::string& architecture) const {
    void* program = nullptr;
    if (create(&program, source.c_str(), "text", 0, nullptr, nullptr) != 0) return "no program";
    const std::string option = "--gpu-architecture=" + architecture;
    const char* const options[] = {option.c_str(), "--fmad=false"};
    std::string text;
    if (const int code = compile(program, 2, options); code != 0) {
      std::size_t size = 0;
      log_size(program, &size);
      text.resize(size);
      log(program, text.data());
      text += "code " + std::to_string(code);
    }
    destroy(&program);
    return text;
  }
};

TEST(DialectTest, IsCuda) {
  RuntimeCompiler compiler;
  if (!compiler.open()) GTEST_SKIP() << "no NVRTC here: libnvrtc.so can't be opened";
  for (const auto& [name, text] : texts()) {
    for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
      EXPECT_EQ(compiler.failure(with_dialect(text), architecture), "")
          << name << ' ' << architecture;
    }
  }
}

class PortableCudaTest : public testing::TestWithParam<const char*> {};

/// PATCHBAY_TEST_ALL: for every architecture, not for the oldest alone.
TEST_P(PortableCudaTest, EveryOperatorCompiles) {
  const std::string architecture = GetParam();
  RuntimeCompiler compiler;
  if (!compiler.open()) GTEST_SKIP() << "no NVRTC here: libnvrtc.so can't be opened";
  const bool is_first = architecture == "sm_75";
  if (!is_first && std::getenv("PATCHBAY_TEST_ALL") == nullptr) {
    GTEST_SKIP() << "takes minutes: PATCHBAY_TEST_ALL=1 runs it";
  }
  const auto dtypes =
      is_first ? std::vector<std::uint8_t>{PATCHBAY_F32, PATCHBAY_BF16, PATCHBAY_I64, PATCHBAY_BOOL}
               : std::vector<std::uint8_t>{PATCHBAY_F32};
  portable::Traits traits;
  traits.sub_group_width = is_first ? 1 : 32;
  for (const auto& [name, text] : portable_texts(traits, dtypes)) {
    const std::string compiled = is_first ? text : with_wide_indices(text);
    EXPECT_EQ(compiler.failure(with_dialect(compiled), architecture), "") << name << '\n' << text;
  }
  if (!is_first) return;
  for (const auto& [name, text] : late_texts(traits)) {
    EXPECT_EQ(compiler.failure(with_dialect(text), architecture), "") << name << '\n' << text;
  }
}
INSTANTIATE_TEST_SUITE_P(, PortableCudaTest,
                         testing::Values("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"),
                         [](const auto& test) { return std::string(test.param); });

/// That none is left out silently: creation, functions and arithmetic, where and clamp, comparison
/// and logic, reductions, products, random elements, windows, rows.
TEST(DialectTest, EveryOperatorHasItsTexts) {
  EXPECT_EQ(portable_texts({}, {PATCHBAY_F32}).size(),
            4U + 26 + 11 + 2 + 6 + 1 + 2 + 2 + 5 + 3 + 5);
  // None of scatter_add, cumsum and normalization.
  for (const std::uint8_t small : {PATCHBAY_F16, PATCHBAY_BF16}) {
    EXPECT_EQ(portable_texts({}, {small}).size(),
              portable_texts({}, {PATCHBAY_F32}).size() - 2 - 3);
  }
  EXPECT_EQ(portable_texts({}, {PATCHBAY_I64}).size(), 4U + 9 + 7 + 2 + 6 + 1 + 2 + 2 + 3);
  EXPECT_EQ(portable_texts({}, {PATCHBAY_U8}).size(), 4U + 9 + 7 + 2 + 2 + 1 + 2 + 2);
  EXPECT_EQ(portable_texts({}, {PATCHBAY_BOOL}).size(), 3U + 1 + 6 + 3 + 2 + 1 + 1 + 1);
  portable::Traits without_f64;
  without_f64.has_f64 = false;
  EXPECT_TRUE(portable_texts(without_f64, {PATCHBAY_F64}).empty());
}

}  // namespace
}  // namespace patchbay::test
