// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/api/toolkit.hpp"

#include "kit/library/search.hpp"

namespace patchbay::hip {

std::vector<std::string> toolkit_files(const std::string& library,
                                       const std::vector<int>& versions) {
  std::vector<std::string> folders;
  for (const char* name : {"ROCM_PATH", "HIP_PATH"}) {
    const std::string root = environment(name);
    if (!root.empty() && root.front() == '/') folders.push_back(root + "/lib");
  }
  for (const char* pattern : {"/opt/rocm/lib", "/opt/rocm-*/lib"}) {
    const std::vector<std::string> found = matching_folders(pattern);
    folders.insert(folders.end(), found.begin(), found.end());
  }
  const std::vector<std::string> packages = python_package_folders("torch/lib");
  folders.insert(folders.end(), packages.begin(), packages.end());
  std::vector<std::string> files;
  const auto add = [&](const std::string& name) {
    const std::vector<std::string> found = library_files({name}, folders);
    files.insert(files.end(), found.begin(), found.end());
  };
  const std::string name = "lib" + library + ".so";
  for (const int version : versions) add(name + "." + std::to_string(version));
  add(name);
  return files;
}

}  // namespace patchbay::hip
