// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/api/toolkit.hpp"

#include <dirent.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

namespace patchbay::cuda {
namespace {

/// The value of an environment variable; empty if the process has raised privileges.
std::string variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value != nullptr ? value : "";
}

/// The matching folders in descending order, so that the newest version is first. A part of the
/// path may contain '*'. Does not use glob(), which frees memory twice if memory is exhausted.
std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> found;
  if (pattern.front() == '/') found.emplace_back();  // the current directory is never searched
  for (std::size_t begin = 1, end = 0; end < pattern.size(); begin = end + 1) {
    end = std::min(pattern.find('/', begin), pattern.size());
    const std::string part = pattern.substr(begin, end - begin);
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (part.find('*') == std::string::npos) {
        next.push_back(folder + "/" + part);
        continue;
      }
      const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir((folder + "/").c_str()), closedir);
      const dirent* entry = nullptr;
      while (entries != nullptr && (entry = readdir(entries.get())) != nullptr) {
        const bool is_hidden = entry->d_name[0] == '.';
        if (!is_hidden && fnmatch(part.c_str(), entry->d_name, 0) == 0) {
          next.push_back(folder + "/" + entry->d_name);
        }
      }
    }
    found = std::move(next);
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

std::vector<std::string> folders() {
  std::vector<std::string> patterns;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = variable(name);
    if (!root.empty()) patterns.insert(patterns.end(), {root + "/lib64", root + "/lib"});
  }
  patterns.insert(patterns.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64"});
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty()) {
    patterns.push_back(conda + "/lib");
  }
  std::vector<std::string> prefixes = {variable("VIRTUAL_ENV"), variable("CONDA_PREFIX")};
  if (const std::string home = variable("HOME"); !home.empty())
    prefixes.push_back(home + "/.local");
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  for (const std::string& prefix : prefixes) {
    if (prefix.empty()) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      patterns.push_back(prefix + "/lib/python3*/" + packages + "/nvidia/*/lib");
    }
  }
  std::vector<std::string> all;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> found = matches(pattern);
    all.insert(all.end(), found.begin(), found.end());
  }
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

std::vector<std::string> library_candidates(const std::string& library, int driver_version) {
  const std::vector<std::string> names = names_of(library, driver_version);
  std::vector<std::string> candidates = names;
  for (const std::string& folder : folders()) {
    for (const std::string& name : names) {
      const std::string path = folder + "/" + name;
      if (access(path.c_str(), R_OK) == 0) candidates.push_back(path);
    }
  }
  candidates.push_back("lib" + library + ".so");  // any version
  return candidates;
}

std::vector<std::string> folders_of(const std::string& file) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders = {fs::path(file).parent_path().string()};
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (!error && real.parent_path() != folders[0]) folders.push_back(real.parent_path().string());
  return folders;
}

}  // namespace patchbay::cuda
