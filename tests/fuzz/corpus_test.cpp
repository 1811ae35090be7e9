// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The files that make_corpus.py writes: those called valid* are read, all others refused.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/targets.h"

namespace patchbay::fuzz {
namespace {

struct Format {
  const char* name;
  bool (*run)(std::string_view bytes);
};

class FuzzCorpus : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(, FuzzCorpus,
                         testing::Values(Format{"csv", run_csv}, Format{"idx", run_idx},
                                         Format{"npy", run_npy}, Format{"npz", run_npz},
                                         Format{"plugin_file", run_plugin_file},
                                         Format{"safetensors", run_safetensors}),
                         [](const auto& each) { return each.param.name; });

TEST_P(FuzzCorpus, IsReadOrRefused) {
  std::vector<std::filesystem::path> paths;
  for (const auto& each :
       std::filesystem::directory_iterator(std::string(PATCHBAY_CORPUS) + "/" + GetParam().name)) {
    paths.push_back(each.path());
  }
  std::ranges::sort(paths);
  EXPECT_GT(paths.size(), 10u);
  for (const std::filesystem::path& path : paths) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    EXPECT_EQ(GetParam().run(bytes), path.filename().string().starts_with("valid")) << path;
  }
}

}  // namespace
}  // namespace patchbay::fuzz
