// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which compiler is taken, what it lacks, and a driver that refuses what it made.
#include <filesystem>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "support/environment_variable.h"
#include "support/paths.h"
#include "support/scratch_directory.h"

namespace patchbay::sim_test {
namespace {

namespace fs = std::filesystem;

using test::EnvironmentVariable;

class SimCompiler : public SimTest {
 protected:
  /// A text that no cache knows yet if `salt` is new.
  static std::vector<float> run(const Device& device, const std::string& salt) {
    const KernelModule module = KernelModule::from_source(
        device, "// " + salt + "\n" + kernel_text("k", "OUTPUT", "y[0] = 7.0f"));
    const Tensor y = zeros({1}, device);
    module.kernel("k").launch({.groups = {1}, .group_size = {1}}, {y});
    return y.to_vector<float>();
  }
  /// With nothing in the cache but what this test puts there.
  RuntimeOptions fresh() const { return options({{"cache_dir", cache_.path()}}); }
  RuntimeOptions without(const std::string& setting) const {
    RuntimeOptions result = fresh();
    result.settings.erase(setting);
    return result;
  }

 private:
  const test::ScratchDirectory cache_;
};

TEST_F(SimCompiler, BuiltinsLieBesideTheCompiler) {
  const Runtime runtime(fresh());
  EXPECT_EQ(run(runtime.device("cuda:0"), "beside"), std::vector<float>{7});
}

TEST_F(SimCompiler, WithoutBuiltins) {
  set("RTC_MINOR", "1");
  const Runtime runtime(fresh());
  EXPECT_ERROR(run(runtime.device("cuda:0"), "without"), ErrorCode::kLaunchFailed,
               "nvrtcCompileProgram: NVRTC gives error 7: nvrtc: error: failed to open "
               "libnvrtc-builtins.so.99.1.   Make sure that libnvrtc-builtins.so.99.1 is installed "
               "correctly.");
}

/// Where a toolkit can be that the linker knows nothing of. The card is one that only this
/// compiler knows, whichever others are installed here.
TEST_F(SimCompiler, IsFoundInTheToolkitsFolders) {
  set("ARCHITECTURE", "60");
  set("RTC_OLDEST", "60");
  const struct {
    const char *variable, *folder, *name;
  } kPlaces[] = {
      {"CUDA_HOME", "lib64", "libnvrtc.so.12"},
      {"CUDA_PATH", "lib", "libnvrtc.so.13"},
      {"CONDA_PREFIX", "lib", "libnvrtc.so.12"},
      {"VIRTUAL_ENV", "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc.so.12"},
      {"VIRTUAL_ENV", "lib/python3.13/site-packages/nvidia/cu13/lib", "libnvrtc.so.13"},
      {"HOME", ".local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib", "libnvrtc.so.11.2"}};
  for (const auto& [variable, folder, name] : kPlaces) {
    const test::ScratchDirectory root;
    const EnvironmentVariable set_variable(variable, root.path());
    fs::create_symlink(library("nvrtc"), root.file(folder, name));
    const Runtime runtime(without("cuda_rtc_library"));
    EXPECT_EQ(run(runtime.device("cuda:0"), variable), std::vector<float>{7});
  }
}

TEST_F(SimCompiler, BlasIsFoundThereToo) {
  set("DRIVER_VERSION", "11080");  // one that knows no newer library, if any is installed here
  const test::ScratchDirectory root;
  const EnvironmentVariable home("CUDA_HOME", root.path());
  fs::create_symlink(library("cublas"), root.file("lib64", "libcublas.so.11"));
  RuntimeOptions found = without("cuda_blas_library");
  std::string log;
  found.log = [&](LogLevel, std::string_view line) { log.append(line).append("\n"); };
  const Runtime runtime(found);
  const Tensor a = full({2, 2}, 3, runtime.device("cuda:0"));
  EXPECT_EQ(matmul(a, a).to_vector<float>(), std::vector<float>(4, 18));
  EXPECT_EQ(counters().blas_handles, 1u) << log;
}

/// An image of the cache that the driver does not take is made anew.
TEST_F(SimCompiler, RefusedImageOfTheCache) {
  for (const char* code : {"200", "209", "218", "222", "303"}) {
    set("REFUSE_LOADS", "0");
    const std::string salt = std::string("cached ") + code;
    { EXPECT_EQ(run(Runtime(fresh()).device("cuda:0"), salt), std::vector<float>{7}); }
    set("REFUSE_LOADS", "1");
    set("REFUSAL", code);
    EXPECT_EQ(run(Runtime(fresh()).device("cuda:0"), salt), std::vector<float>{7}) << code;
  }
}

TEST_F(SimCompiler, RefusedImageGivesTheDriversLog) {
  set("REFUSE_LOADS", "9");
  set("REFUSAL", "222");
  const Runtime runtime(fresh());
  EXPECT_ERROR(run(runtime.device("cuda:0"), "refused"), ErrorCode::kLaunchFailed,
               "cuModuleLoadDataEx: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (simulated): simulated: "
               "this image is not taken");
}

/// The first compiler's assembly is newer than the driver: the next one's is not.
TEST_F(SimCompiler, NextCompilerForAnOlderDriver) {
  const test::ScratchDirectory root;
  const EnvironmentVariable home("CUDA_HOME", root.path());
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {  // two libraries to the linker
    fs::copy_file(library("nvrtc"), root.file("lib64", name));
  }
  fs::create_symlink(test::built_path("tests/sim/lib/libnvrtc-builtins.so.99.0"),
                     root.file("lib64", "libnvrtc-builtins.so.99.0"));
  set("ARCHITECTURE", "60");
  set("RTC_OLDEST", "60");
  set("REFUSE_LOADS", "1");
  set("REFUSAL", "222");
  const Runtime runtime(without("cuda_rtc_library"));
  EXPECT_EQ(run(runtime.device("cuda:0"), "older"), std::vector<float>{7});
}

}  // namespace
}  // namespace patchbay::sim_test
