// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where the files lie that tests use. Only paths.cpp is compiled with the names of the folders, so
// that a compiler cache can serve the tests of checkouts in other folders.
#ifndef PATCHBAY_TESTS_SUPPORT_PATHS_H_
#define PATCHBAY_TESTS_SUPPORT_PATHS_H_

#include <string>

namespace patchbay::test {

/// A file of the sources; `name` begins below their root.
std::string source_path(const std::string& name);
/// A file of the build.
std::string built_path(const std::string& name);
/// The folder of the plugins that only tests load.
std::string test_plugin_folder();
std::string fake_plugin();
std::string simulated_library(const std::string& name);

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_PATHS_H_
