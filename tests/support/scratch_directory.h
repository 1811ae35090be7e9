// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_SCRATCH_DIRECTORY_H_
#define PATCHBAY_TESTS_SUPPORT_SCRATCH_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace patchbay::test {

/// A new directory that only the user may write; deleted with the object.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = std::filesystem::temp_directory_path() / "patchbay-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("can't make " + name);
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Creates a folder in it.
  std::string folder(const std::string& name) const {
    std::filesystem::create_directories(path_ / name);
    return path_ / name;
  }
  /// The path of a future file in an existing folder.
  std::filesystem::path file(const std::string& folder_name, const std::string& name) const {
    return std::filesystem::path(folder(folder_name)) / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_SCRATCH_DIRECTORY_H_
