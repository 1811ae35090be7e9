// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/library/search.hpp"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

namespace patchbay {

std::string environment(const char* name) {
  const char* const value = secure_getenv(name);
  return value != nullptr ? value : "";
}

bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name, std::string_view folders) {
  while (!folders.empty()) {
    const std::string folder(folders.substr(0, folders.find(':')));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    std::string path = folder + "/" + name;
    if (folder.starts_with('/') && is_program(path)) return path;
  }
  return {};
}

// Does not use glob(), which frees memory twice if memory is exhausted.
std::vector<std::string> matching_folders(const std::string& pattern) {
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

std::vector<std::string> python_package_folders(const std::string& pattern) {
  std::vector<std::string> prefixes = {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX")};
  if (const std::string home = environment("HOME"); !home.empty()) {
    prefixes.push_back(home + "/.local");
  }
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  std::vector<std::string> all;
  for (const std::string& prefix : prefixes) {
    if (prefix.empty()) continue;
    for (const char* packages : {"site-packages/", "dist-packages/"}) {
      const auto found = matching_folders(prefix + "/lib/python3*/" + packages + pattern);
      all.insert(all.end(), found.begin(), found.end());
    }
  }
  return all;
}

std::vector<std::string> library_files(const std::vector<std::string>& names,
                                       const std::vector<std::string>& folders) {
  std::vector<std::string> files = names;
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      std::string path = folder;
      path.append("/").append(name);
      if (access(path.c_str(), R_OK) == 0) files.push_back(std::move(path));
    }
  }
  return files;
}

std::vector<std::string> folders_of(const std::string& file) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders = {fs::path(file).parent_path().string()};
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (!error && real.parent_path() != folders[0]) folders.push_back(real.parent_path().string());
  return folders;
}

}  // namespace patchbay
