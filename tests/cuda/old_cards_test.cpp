// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cards for which new libraries have no code.
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "support/environment_variable.h"
#include "support/scratch_directory.h"

namespace patchbay::sim_test {
namespace {

namespace fs = std::filesystem;
using test::EnvironmentVariable;

class SimOldCards : public SimTest {
 protected:
  /// The texts of an older card, which the compiler must know.
  static void set_card(const std::string& architecture) {
    set("ARCHITECTURE", architecture);
    set("RTC_OLDEST", architecture);
  }
  RuntimeOptions noisy(const Settings& settings = {}) {
    RuntimeOptions result = options(settings);
    result.log = [this](LogLevel, std::string_view line) { log_.append(line).append("\n"); };
    return result;
  }
  static std::vector<float> product(const Device& device, DType dtype) {
    const Tensor a = full({2, 2}, 3, device).cast(dtype);
    return matmul(a, a).cast(DType::f32).to_vector<float>();
  }

  std::string log_;
};

TEST_F(SimOldCards, AreRefusedByCublas13) {
  set_card("70");
  const Runtime runtime(noisy());
  EXPECT_EQ(product(runtime.device("cuda:0"), DType::f32), std::vector<float>(4, 18));
  EXPECT_EQ(counters().blas_handles, 0u);
  EXPECT_HAS(log_,
             "products run on the portable kernel: this cuBLAS is not for sm_70: cublasCreate_v2 "
             "gives status 8. Install one of CUDA 12, or name it by the setting cuda_blas_library");
}

/// Where both are installed.
TEST_F(SimOldCards, GetCublas12) {
  if (dlopen("libcublas.so.12", RTLD_LAZY | RTLD_LOCAL) != nullptr) {
    GTEST_SKIP() << "the real one is installed, and comes first";
  }
  set("BLAS_MAJOR", "12");
  const test::ScratchDirectory root;
  const EnvironmentVariable home("CUDA_HOME", root.path());
  for (const char* name : {"libcublas.so.13", "libcublas.so.12"}) {  // two libraries to the linker
    fs::copy_file(library("cublas"), root.file("lib64", name));
  }
  fs::create_symlink(library("cuda"), root.file("lib64", "libpatchbay_sim_cuda.so"));
  for (const char* architecture : {"61", "70"}) {
    SCOPED_TRACE(architecture);
    set_card(architecture);
    RuntimeOptions found = noisy({{"log", "info"}});
    found.settings.erase("cuda_blas_library");
    log_.clear();
    const Runtime runtime(found);
    EXPECT_EQ(product(runtime.device("cuda:0"), DType::f32), std::vector<float>(4, 18));
    EXPECT_EQ(counters().blas_handles, 1u);
    EXPECT_HAS(log_, "/lib64/libcublas.so.12\n");
  }
}

/// The library does not multiply it before sm_70.
TEST_F(SimOldCards, MultiplyBf16Themselves) {
  set("BLAS_MAJOR", "12");
  for (const char* architecture : {"61", "70"}) {
    SCOPED_TRACE(architecture);
    set_card(architecture);
    const Device device = new_card({{"cuda_convolutions", "own"}});
    EXPECT_EQ(product(device, DType::bf16), std::vector<float>(4, 18));
    const bool has_bf16 = architecture == std::string("70");
    EXPECT_EQ(counters().blas_handles, has_bf16 ? 1u : 0u);
    const Tensor x = full({2, 3}, 2, device).cast(DType::bf16);
    const Tensor weight = full({2, 3}, 1, device).cast(DType::bf16);
    const Tensor bias = full({2}, 1, device).cast(DType::bf16);
    EXPECT_EQ(linear(x, weight, bias).cast(DType::f32).to_vector<float>(),
              std::vector<float>(4, 7));
    const Tensor images = full({1, 8, 8, 8}, 2, device).cast(DType::bf16);
    const Tensor filters = full({8, 8, 2, 2}, 1, device).cast(DType::bf16);
    EXPECT_EQ(conv2d(images, filters).cast(DType::f32).to_vector<float>(),
              std::vector<float>(8 * 49, 64));
    if (has_bf16) continue;
    EXPECT_EQ(counters().blas_handles, 0u);
    EXPECT_EQ(product(device, DType::f16), std::vector<float>(4, 18));
    EXPECT_EQ(counters().blas_handles, 1u) << "which multiplies f16";
  }
}

}  // namespace
}  // namespace patchbay::sim_test
