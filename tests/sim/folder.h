// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SIM_FOLDER_H_
#define PATCHBAY_TESTS_SIM_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace patchbay::sim_test {

/// A folder for one test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "patchbay-sim-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The path of a file to be, whose folder is there.
  std::filesystem::path file(const std::string& folder, const std::string& name) const {
    std::filesystem::create_directories(path_ / folder);
    return path_ / folder / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace patchbay::sim_test

#endif  // PATCHBAY_TESTS_SIM_FOLDER_H_
