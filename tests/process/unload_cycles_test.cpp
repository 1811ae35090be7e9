// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A program that loads and unloads a plugin for ever stays as small as it was. PATCHBAY_TEST_ALL:
// 10,000 cycles.
#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/patchbay.h>

#include "support/runtime_fixture.h"
#include "support/simulated_card.h"

namespace patchbay::test {
namespace {

struct Kind {
  const char *plugin, *device;
  bool computes;           // in each cycle; else its device is only opened
  double most_bytes = 64;  // that a cycle keeps on average: a driver keeps some of its own
};

class UnloadCycles : public testing::TestWithParam<Kind> {};

std::string file_of(const std::string& plugin) {
  if (!is_built(plugin)) return test_plugin_folder() + "/patchbay-" + plugin + ".so";
  return built_path("lib/patchbay/plugins/patchbay-" + plugin + ".so");
}

std::map<std::string, std::string> settings_of(const std::string& plugin) {
  for (const CardVendor& vendor : card_vendors()) {
    if (vendor.plugin == plugin) return vendor.settings;
  }
  return {};
}

void use(const Device& device, bool computes) {
  const Stream stream(device);
  if (!computes) return;
  const StreamScope scope(stream);
  const Tensor sum = full({100, 100}, 2, device) + 1;
  ASSERT_EQ(sum.to_vector<float>()[7], 3);
}

TEST_P(UnloadCycles, KeepNothing) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's allocator does not count";
  const auto [plugin, device, computes, most_bytes] = GetParam();
  if (!std::filesystem::exists(file_of(plugin))) GTEST_SKIP() << "this build has no " << plugin;
  RuntimeOptions wanted;
  wanted.search_default_directories = false;
  Runtime runtime(wanted);
  const auto cycle = [&] {
    const PluginInfo info = runtime.load(file_of(plugin), settings_of(plugin));
    ASSERT_EQ(info.status, PluginStatus::kLoaded) << info.reason;
    use(runtime.device(device), computes);
    runtime.unload(plugin);
  };
  constexpr int kFirst = 20;
  for (int i = 0; i < kFirst; ++i) ASSERT_NO_FATAL_FAILURE(cycle());
  const std::size_t before = mallinfo2().uordblks;
  const int num_cycles = std::getenv("PATCHBAY_TEST_ALL") != nullptr ? 10'000 : 100;
  for (int i = 0; i < num_cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle());
  const auto kept = static_cast<double>(mallinfo2().uordblks) - static_cast<double>(before);
  EXPECT_LT(kept / num_cycles, most_bytes);
  EXPECT_EQ(runtime.plugins().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    , UnloadCycles,
    testing::Values(Kind{"null", "null:0", false}, Kind{"fake", "fake:0", true},
                    Kind{"cpu-openblas", "cpu:0", true}, Kind{"opencl", "opencl:0", true, 1000},
                    Kind{"cuda-cublas", "cuda:0", true}, Kind{"hip", "hip:0", true}));

}  // namespace
}  // namespace patchbay::test
