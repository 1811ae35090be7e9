// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Versions of ROCm, and parts of it that are missing.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "support/environment_variable.h"
#include "support/scratch_directory.h"

namespace patchbay::sim_test {
namespace {

namespace fs = std::filesystem;
using test::EnvironmentVariable;

class SimHip : public SimTest {};

constexpr const char* kText =
    "PATCHBAY_KERNEL(k)(PATCHBAY_OUTPUT(f32, y)) {\n"
    "  PATCHBAY_BIND(f32, y);\n"
    "  y[0] = 7.0f;\n"
    "}\n";

std::vector<float> run(const Device& device, const std::string& text = kText) {
  const KernelModule module = KernelModule::from_source(device, text);
  const Tensor y = zeros({1}, device);
  module.kernel("k").launch({.groups = {1}, .group_size = {1}}, {y});
  return y.to_vector<float>();
}

/// The structure of a device's properties differs from version 6 on; both have the architecture.
TEST_F(SimHip, Versions) {
  for (const auto& [version, text] :
       {std::pair{"50221151", "5.2.21151"}, {"60241134", "6.2.41134"}, {"70051831", "7.0.51831"}}) {
    set("DRIVER_VERSION", version);
    const Runtime runtime(options());
    const DeviceProperties& properties = runtime.device("hip:0").properties();
    EXPECT_EQ(properties.driver_version, text);
    EXPECT_EQ(properties.vendor, "AMD");
    EXPECT_EQ(properties.architecture, "gfx90a:sramecc+:xnack-");
    EXPECT_EQ(run(runtime.device("hip:0")), std::vector<float>{7});
  }
}

/// Drivers before 6.0 have the entries, and do not record every launch. Replays of 7.2 gave wrong
/// values.
TEST_F(SimHip, OldDriversReplayNoGraphs) {
  for (const auto& [version, runs] :
       {std::pair{"50221151", 0u}, {"60241134", 2u}, {"70151831", 2u}, {"70226015", 0u}}) {
    set("DRIVER_VERSION", version);
    const Runtime runtime(options());
    const Tensor x = full({4}, 1, runtime.device("hip:0"));
    const Graph graph = record_graph([&] {
      add_out(x, x, 1);
      mul_out(x, x, 2);
    });
    graph.replay();
    graph.replay();
    EXPECT_EQ(x.to_vector<float>(), std::vector<float>(4, 10));
    EXPECT_EQ(counters().graph_runs, runs) << version;
  }
}

/// The code that says that an image is not taken is also that of a full device. Of 64 MiB the
/// buffer leaves 6.
TEST_F(SimHip, NoMemoryForAModule) {
  set("MEMORY_BYTES", "67108864");
  set("REFUSE_LOADS", "1");
  set("REFUSAL", "303");
  const test::ScratchDirectory cache;  // so that one refusal is not that of a cached image
  const Runtime runtime(options({{"cache_dir", cache.path()}}));
  const Device device = runtime.device("hip:0");
  (void)Buffer::allocate(device, std::size_t{58} << 20);  // kept by the runtime, used by nobody
  EXPECT_EQ(run(device), std::vector<float>{7});
}

TEST_F(SimHip, NoMemoryForAModuleAtAll) {
  set("MEMORY_BYTES", "67108864");
  set("REFUSE_LOADS", "9");
  set("REFUSAL", "303");
  const Runtime runtime(options());
  const Device device = runtime.device("hip:0");
  const Buffer most = Buffer::allocate(device, std::size_t{58} << 20);
  const Error error = test::error_of([&] { (void)KernelModule::from_source(device, kText); });
  EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory)) << error.what();
  EXPECT_TRUE(error.is_retryable());
  EXPECT_HAS(error.what(),
             "hipModuleLoadDataEx gives 303, as on a full device: 6291456 of 67108864 "
             "bytes are free");
}

/// The driver frees nothing of what an update takes, so a graph that changes is made again, when
/// its last replay is over.
TEST_F(SimHip, GraphsAreMadeAgain) {
  set("LAZY", "1");  // so that the first replay is pending when the graph changes
  const Runtime runtime(options());
  const Tensor x = full({4}, 1, runtime.device("hip:0"));
  Scalar slot = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(2);
    mul_out(x, x, slot);
    add_out(x, x, 1);
  });
  graph.replay();  // 3
  graph.set(slot, 10);
  graph.replay();
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(4, 31));
  EXPECT_EQ(counters().graphs_made, 2u);
  EXPECT_EQ(counters().graph_updates, 0u);
}

TEST_F(SimHip, NoListOfArchitectures) {
  const test::ScratchDirectory cache;  // code that is cached needs no compiler
  const Runtime runtime(
      options({{"hip_comgr_library", "/nowhere/libamd_comgr.so"}, {"cache_dir", cache.path()}}));
  EXPECT_ERROR(run(runtime.device("hip:0")), ErrorCode::kUnsupported,
               "kernels need the list of hipRTC's architectures: /nowhere/libamd_comgr.so");
}

constexpr const char* kKernels = "ROCBLAS_TENSILE_LIBPATH";

/// A folder with kernels of rocBLAS. Without the variable they would lie beside the file by which
/// an earlier test loaded the library.
std::string kernels_in(const test::ScratchDirectory& root) {
  std::ofstream(root.file("kernels", "TensileLibrary_lazy_gfx90a.dat"));
  return root.folder("kernels");
}

/// Where ROCm can be that the linker knows nothing of.
TEST_F(SimHip, IsFoundInTheToolkitsFolders) {
  set("DRIVER_VERSION", "70051831");
  const test::ScratchDirectory root;
  for (const auto& [library, file] : {std::pair{"hip", "libamdhip64.so.7"},
                                      {"hiprtc", "libhiprtc.so.7"},
                                      {"rocblas", "librocblas.so.5"}}) {
    fs::create_symlink(sim_test::library(library), root.file("lib", file));
  }
  fs::create_symlink(library("hiprtc"), root.file("lib", "libamd_comgr.so.3"));
  const EnvironmentVariable kernels(kKernels, kernels_in(root)), rocm("ROCM_PATH", root.path());
  {
    RuntimeOptions found = options();
    for (const char* setting :
         {"hip_library", "hip_rtc_library", "hip_blas_library", "hip_comgr_library"}) {
      found.settings.erase(setting);
    }
    const Runtime runtime(found);
    EXPECT_EQ(run(runtime.device("hip:0"), std::string("// found\n") + kText),
              std::vector<float>{7});
    const Tensor a = full({2, 2}, 3, runtime.device("hip:0"));
    EXPECT_EQ(matmul(a, a).to_vector<float>(), std::vector<float>(4, 18));
    EXPECT_EQ(counters().blas_handles, 1u);
  }
}

/// The libraries of the driver that is loaded come before those of another ROCm.
TEST_F(SimHip, CompanionsBesideTheDriverComeFirst) {
  set("DRIVER_VERSION", "60241134");
  const test::ScratchDirectory root, cache;
  const std::string driver = root.file("driver", "libamdhip64.so.6");
  fs::copy_file(library("hip"), driver);  // a link would be the file that earlier tests have loaded
  fs::create_symlink(library("hiprtc"), root.file("driver", "libhiprtc.so.6"));
  fs::create_symlink(library("bare_driver"), root.file("lib", "libhiprtc.so.6"));
  const EnvironmentVariable rocm("ROCM_PATH", root.path());
  RuntimeOptions found = options({{"hip_library", driver}, {"cache_dir", cache.path()}});
  found.settings.erase("hip_rtc_library");
  const Runtime runtime(found);
  EXPECT_EQ(run(runtime.device("hip:0")), std::vector<float>{7});
}

/// A rocBLAS of another version than the driver's brings a second driver into the process.
TEST_F(SimHip, OnlyTheDriversOwnRocBlasIsOpened) {
  set("DRIVER_VERSION", "60241134");
  const test::ScratchDirectory root;
  for (const auto& [library, file] : {std::pair{"hip", "libamdhip64.so.6"},
                                      {"rocblas", "librocblas.so.4"},
                                      {"bare_driver", "librocblas.so.5"},
                                      {"bare_driver", "librocblas.so"}}) {
    fs::create_symlink(sim_test::library(library), root.file("lib", file));
  }
  const EnvironmentVariable kernels(kKernels, kernels_in(root)), rocm("ROCM_PATH", root.path());
  {
    RuntimeOptions found = options();
    for (const char* setting : {"hip_library", "hip_blas_library"}) found.settings.erase(setting);
    const Runtime runtime(found);
    const Tensor a = full({2, 2}, 3, runtime.device("hip:0"));
    EXPECT_EQ(matmul(a, a).to_vector<float>(), std::vector<float>(4, 18));
    EXPECT_EQ(counters().blas_handles, 1u);
  }
}

/// rocBLAS ends the process at its first product on a card for which it has no kernels.
TEST_F(SimHip, CardsWithoutKernelsOfRocBlas) {
  const test::ScratchDirectory kernels;
  const EnvironmentVariable variable(kKernels, kernels.path());
  for (const bool has_kernels : {false, true}) {
    if (has_kernels) std::ofstream(kernels.file("gfx90a", "TensileLibrary_lazy_gfx90a.dat"));
    std::string log;
    RuntimeOptions noisy = options();
    noisy.log = [&](LogLevel, std::string_view line) { log.append(line).append("\n"); };
    const Runtime runtime(noisy);
    const Tensor a = full({2, 2}, 3, runtime.device("hip:0"));
    EXPECT_EQ(matmul(a, a).to_vector<float>(), std::vector<float>(4, 18));
    EXPECT_EQ(counters().blas_handles, has_kernels ? 1u : 0u);
    const std::string why = "rocBLAS has no kernels for gfx90a in " + kernels.path().string();
    EXPECT_EQ(log.find(why) == std::string::npos, has_kernels) << log;
  }
}

/// Version 7 gives "unknown" for faults that it has no other code for, and gives it ever after.
TEST_F(SimHip, UnknownErrorsLoseTheDeviceFromVersion7On) {
  for (const auto& [version, is_lost] : {std::pair{"60241134", false}, {"70051831", true}}) {
    set("DRIVER_VERSION", version);
    set("LOSE_DEVICE", "2");
    set("LOSS", "999");
    const Runtime runtime(options());
    const Device device = runtime.device("hip:0");
    const Tensor x = from_host<float>({1}, {1}, device);
    const Error error = test::error_of([&] { (void)x.to_vector<float>(); });
    EXPECT_EQ(error.native_code(), 999);
    EXPECT_EQ(error.code() == ErrorCode::kDeviceLost, is_lost) << error.what();
  }
}

}  // namespace
}  // namespace patchbay::sim_test
