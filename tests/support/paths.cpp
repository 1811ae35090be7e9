// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"

namespace patchbay::test {

std::string source_path(const std::string& name) { return PATCHBAY_TEST_SOURCE_DIR "/" + name; }

std::string built_path(const std::string& name) { return PATCHBAY_TEST_BINARY_DIR "/" + name; }

std::string test_plugin_folder() { return PATCHBAY_TEST_PLUGIN_DIR; }

std::string fake_plugin() { return PATCHBAY_TEST_PLUGIN_DIR "/patchbay-fake.so"; }

std::string simulated_library(const std::string& name) {
  return PATCHBAY_TEST_SIM_DIR "/libpatchbay_sim_" + name + ".so";
}

}  // namespace patchbay::test
