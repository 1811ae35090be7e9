// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The real run-time compiler, where it is installed, takes what the plugin gives it. Its code goes
// no further: the simulated driver can't load it, and says so.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "support/paths.h"
#include "support/scratch_directory.h"

namespace patchbay::sim_test {
namespace {

constexpr const char* kArchitectures[] = {"75", "80", "90", "100", "120"};

class SimNvrtc : public SimTest {
 protected:
  static Runtime runtime_for(const std::string& architecture) {
    set("ARCHITECTURE", architecture);
    RuntimeOptions with_real = options();
    with_real.settings.erase("cuda_rtc_library");
    return Runtime(with_real);
  }
  /// Runs this test in another process, whose command begins so.
  static void run_again(const std::string& before) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const char* const name = testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::string command =
        before + " '" + program + "' --gtest_filter=SimNvrtc." + name + " 2>&1";
    std::FILE* const pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string out;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << out;
    EXPECT_HAS(out, "[  PASSED  ] 1 test.");
  }
  static void expect_compiled(const Error& error, const std::string& what) {
    EXPECT_HAS(error.what(), "cuModuleLoadDataEx: CUDA_ERROR_NOT_SUPPORTED")
        << what << ": " << error.what();
  }
};

#define PATCHBAY_NEED_NVRTC(error)                                         \
  if (std::string((error).what()).find("need NVRTC") != std::string::npos) \
  GTEST_SKIP() << (error).what()

TEST_F(SimNvrtc, ExamplesCompile) {
  for (const char* architecture : kArchitectures) {
    const Runtime runtime = runtime_for(architecture);
    for (const char* name : {"saxpy", "block_sum", "tiled_gemm"}) {
      const std::string path = test::source_path("examples/kernels/" + std::string(name) + ".pbk");
      const Error error =
          test::error_of([&] { (void)KernelModule::from_file(runtime.device("cuda:0"), path); });
      PATCHBAY_NEED_NVRTC(error);
      expect_compiled(error, std::string(name) + " for sm_" + architecture);
    }
  }
}

/// Where the linker finds neither the compiler nor its built-in functions by a bare name: this test
/// runs itself below a linker without its cache, with a file to open.
TEST_F(SimNvrtc, ByAnAbsolutePath) {
  constexpr const char* kVariable = "PATCHBAY_SIM_NVRTC_FILE";
  if (const char* const file = std::getenv(kVariable)) {
    const test::ScratchDirectory cache;
    set("ARCHITECTURE", "80");
    const Runtime runtime(options({{"cuda_rtc_library", file}, {"cache_dir", cache.path()}}));
    const Error error = test::error_of([&] {
      (void)KernelModule::from_source(runtime.device("cuda:0"),
                                      kernel_text("k", "OUTPUT", "y[0] = 1.0f"));
    });
    return expect_compiled(error, file);
  }
  const char* const file = "/usr/local/cuda/lib64/libnvrtc.so";
  const char* const linker = "/lib64/ld-linux-x86-64.so.2";
  for (const char* needed : {file, linker}) {
    if (!std::filesystem::exists(needed)) GTEST_SKIP() << needed << " is not here";
  }
  run_again(std::string(kVariable) + "=" + file + " " + linker + " --inhibit-cache");
}

/// The compiler is a large library. A text whose code is in the cache does not need it: this test
/// runs itself again, in a process that must not open it.
TEST_F(SimNvrtc, IsNotOpenedForCachedTexts) {
  constexpr const char* kVariable = "PATCHBAY_SIM_NVRTC_CACHE";
  const auto compute = [](const std::string& cache) {
    const Runtime runtime(options({{"cache_dir", cache}}));
    const Tensor x = full({3}, 2, runtime.device("cuda:0"));
    EXPECT_EQ((x * x).to_vector<float>(), std::vector<float>(3, 4));
  };
  const auto has_compiler = [] {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("patchbay_sim_nvrtc") != std::string::npos) return true;
    }
    return false;
  };
  if (const char* const cache = std::getenv(kVariable)) {
    compute(cache);
    EXPECT_FALSE(has_compiler());
    return;
  }
  const test::ScratchDirectory cache;
  compute(cache.path());
  EXPECT_TRUE(has_compiler());
  run_again(std::string(kVariable) + "=" + cache.path().string());
}

TEST_F(SimNvrtc, TablesMayHoldInfinities) {
  const Runtime runtime = runtime_for("90");
  const Error error = test::error_of([&] {
    (void)KernelModule::from_source(
        runtime.device("cuda:0"),
        "PATCHBAY_TABLE(f32, ends, 2) = {PATCHBAY_INFINITY, PATCHBAY_NAN};\n" +
            kernel_text("k", "OUTPUT", "y[0] = ends[0]"));
  });
  PATCHBAY_NEED_NVRTC(error);
  expect_compiled(error, "a table");
}

TEST_F(SimNvrtc, ErrorsHaveTheUsersLines) {
  const Runtime runtime = runtime_for("80");
  const Error error = test::error_of([&] {
    (void)KernelModule::from_source(runtime.device("cuda:0"),
                                    kernel_text("k", "OUTPUT", "y[0] = nonsense"),
                                    {.name = "mine.pbk"});
  });
  PATCHBAY_NEED_NVRTC(error);
  EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kBuildFailed));
  const std::string why = error.what();
  EXPECT_HAS(why, "mine.pbk(3): error: identifier \"nonsense\" is undefined");
}

ArgumentSpec out(DType dtype) { return ArgumentSpec::tensor(dtype, Access::kWrite); }
ArgumentSpec in(DType dtype) { return ArgumentSpec::tensor(dtype, Access::kRead); }

/// One spec for each kind of text that the portable operators make.
std::vector<KernelSpec> operators() {
  std::vector<KernelSpec> specs;
  for (const DType dtype : {DType::f32, DType::f64, DType::i32, DType::i64, DType::u8}) {
    const ArgumentSpec scalar = ArgumentSpec::scalar(dtype);
    specs.push_back({"fill.1", {out(dtype), scalar}, {}});
    specs.push_back({"arange.1", {out(dtype), scalar, scalar}, {}});
    specs.push_back({"cast.1", {out(dtype), in(DType::f32)}, {}});
    for (const char* name : {"add.1", "sub.1", "mul.1", "div.1", "maximum.1"}) {
      specs.push_back({name, {out(dtype), in(dtype), scalar}, {}});
    }
    specs.push_back({"le.1", {out(DType::boolean), in(dtype), in(dtype)}, {}});
    specs.push_back({"abs.1", {out(dtype), in(dtype)}, {}});
    specs.push_back({"argmax.1", {out(DType::i64), in(dtype)}, {}});
    specs.push_back({"min.1", {out(dtype), in(dtype)}, {}});
  }
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const char* name : {"sqrt.1", "exp.1", "log.1", "sum.1", "sum_squares.1", "max_abs.1"}) {
      specs.push_back({name, {out(dtype), in(dtype)}, {}});
    }
  }
  const std::vector<Attribute> dim = {{"dim", std::int64_t{0}}};
  for (const DType dtype : {DType::f32, DType::i64}) {
    const ArgumentSpec sums = ArgumentSpec::tensor(dtype, Access::kReadWrite);
    specs.push_back({"gather.1", {out(dtype), in(dtype), in(DType::i32)}, dim});
    specs.push_back({"scatter_add.1", {sums, in(DType::i64), in(dtype)}, dim});
  }
  specs.push_back({"logical_not.1", {out(DType::boolean), in(DType::boolean)}, {}});
  const ArgumentSpec scalar = ArgumentSpec::scalar(DType::i32);
  specs.push_back(
      {"gemm.1", {out(DType::i32), in(DType::i32), in(DType::i32), scalar, scalar}, {}});
  return specs;
}

TEST_F(SimNvrtc, PortableOperatorsCompile) {
  const Runtime runtime = runtime_for("75");
  for (const KernelSpec& spec : operators()) {
    const Error error =
        test::error_of([&] { (void)Kernel::prepare(runtime.device("cuda:0"), spec); });
    PATCHBAY_NEED_NVRTC(error);
    expect_compiled(error, spec.op);
  }
}

}  // namespace
}  // namespace patchbay::sim_test
