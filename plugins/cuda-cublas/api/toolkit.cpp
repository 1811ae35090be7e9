// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/api/toolkit.hpp"

#include "kit/library/search.hpp"

namespace patchbay::cuda {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> patterns;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment(name);
    if (!root.empty()) patterns.insert(patterns.end(), {root + "/lib64", root + "/lib"});
  }
  patterns.insert(patterns.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64"});
  if (const std::string conda = environment("CONDA_PREFIX"); !conda.empty()) {
    patterns.push_back(conda + "/lib");
  }
  std::vector<std::string> all;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> found = matching_folders(pattern);
    all.insert(all.end(), found.begin(), found.end());
  }
  const std::vector<std::string> packages = python_package_folders("nvidia/*/lib");
  all.insert(all.end(), packages.begin(), packages.end());
  return all;
}

/// "libnvrtc.so.13", "libnvrtc.so.12" ...
std::vector<std::string> names_of(const std::string& library, int driver_version) {
  const std::string file = "lib" + library + ".so";
  std::vector<std::string> names;
  for (const int major : {13, 12, 11}) {
    if (major > driver_version / 1000) continue;
    const bool has_minor = major == 11 && library == "nvrtc";
    names.push_back(file + "." + std::to_string(major) + (has_minor ? ".2" : ""));
  }
  return names;
}

}  // namespace

std::vector<std::string> toolkit_files(const std::string& library, int driver_version) {
  // cuDNN has versions of its own.
  if (library == "cudnn") return library_files({"libcudnn.so.9"}, folders());
  std::vector<std::string> files = library_files(names_of(library, driver_version), folders());
  files.push_back("lib" + library + ".so");  // any version
  return files;
}

}  // namespace patchbay::cuda
