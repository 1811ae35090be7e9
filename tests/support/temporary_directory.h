// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A temporary plugin directory, filled with copies of fixtures.
#ifndef PATCHBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
#define PATCHBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_

#include <initializer_list>

#include "support/runtime_fixture.h"
#include "support/scratch_directory.h"

namespace patchbay::faults {

/// Mode 0755, owned by this user; deleted with the object. Holds copies of these fixtures.
class TemporaryDirectory : public test::ScratchDirectory {
 public:
  explicit TemporaryDirectory(std::initializer_list<std::string_view> fixtures = {});

  /// Copies a fixture, mode 0644, and returns the path of the copy.
  std::filesystem::path add(std::string_view fixture) const;
  /// Writes these bytes to patchbay-<name>.so and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const;
};

std::filesystem::path fixture_path(std::string_view fixture);

/// Options with only these plugin directories, without the environment.
RuntimeOptions only(std::vector<std::filesystem::path> directories);
/// Options with only this fixture.
RuntimeOptions only_fixture(std::string_view fixture,
                            std::map<std::string, std::string> settings = {});
/// A runtime with only the fake plugin.
Runtime fake_runtime(std::map<std::string, std::string> settings = {});

/// The first candidate with this name. Fails the test if there is none.
PluginInfo plugin_info(const Runtime& runtime, std::string_view name);

/// Whether this process has mapped the file.
bool is_mapped(const std::string& path);

/// Copies bytes to the device of the good C plugin and back.
void expect_plain_c_works(const Runtime& runtime);

/// Loads the fixture beside the good plugin, which must still work. The fixture must get this
/// status and all of these words in its reason.
void expect_outcome(std::string_view fixture, PluginStatus status,
                    const std::vector<std::string>& reasons);
/// The same for files in an existing directory.
void expect_outcome_in(const TemporaryDirectory& directory, std::string_view name,
                       PluginStatus status, const std::vector<std::string>& reasons);

}  // namespace patchbay::faults

#endif  // PATCHBAY_TESTS_SUPPORT_TEMPORARY_DIRECTORY_H_
