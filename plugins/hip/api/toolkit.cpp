// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/api/toolkit.hpp"

#include <link.h>
#include <unistd.h>

#include <string_view>

#include "kit/library/search.hpp"

namespace patchbay::hip {
namespace {

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* name : {"ROCM_PATH", "HIP_PATH"}) {
    const std::string root = environment(name);
    if (!root.empty() && root.front() == '/') folders.push_back(root + "/lib");
  }
  const auto add = [&folders](const std::vector<std::string>& found) {
    folders.insert(folders.end(), found.begin(), found.end());
  };
  for (const char* pattern : {"/opt/rocm/lib", "/opt/rocm-*/lib"}) add(matching_folders(pattern));
  for (const char* pattern : {"torch/lib", "_rocm_sdk_core/lib", "_rocm_sdk_libraries*/lib"}) {
    add(python_package_folders(pattern));
  }
  return folders;
}

/// Of the driver that the process has loaded; empty if it has none, or only by a name of its own.
std::string driver_folder() {
  std::string folder;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        const std::string_view file(info->dlpi_name);
        const std::size_t slash = file.rfind('/');
        if (slash == std::string_view::npos) return 0;
        if (!file.substr(slash + 1).starts_with("libamdhip64.so")) return 0;
        *static_cast<std::string*>(found) = file.substr(0, slash);
        return 1;
      },
      &folder);
  return folder;
}

std::vector<std::string> versioned_files(const std::string& name, const std::vector<int>& versions,
                                         const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const int version : versions) {
    const auto found = library_files({name + "." + std::to_string(version)}, folders);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace

std::vector<std::string> driver_files(const std::vector<int>& versions) {
  const std::string name = "libamdhip64.so";
  const std::vector<std::string> folders = toolkit_folders();
  std::vector<std::string> files = versioned_files(name, versions, folders);
  const auto plain = library_files({name}, folders);
  files.insert(files.end(), plain.begin(), plain.end());
  return files;
}

std::vector<std::string> companion_files(const std::string& library,
                                         const std::vector<int>& versions) {
  const std::string name = "lib" + library + ".so", folder = driver_folder();
  std::vector<std::string> files;
  const auto add_beside = [&](const std::string& file) {
    if (!folder.empty() && access((folder + "/" + file).c_str(), R_OK) == 0) {
      files.push_back(folder + "/" + file);
    }
  };
  for (const int version : versions) add_beside(name + "." + std::to_string(version));
  const auto others = versioned_files(name, versions, toolkit_folders());
  files.insert(files.end(), others.begin(), others.end());
  add_beside(name);
  return files;
}

}  // namespace patchbay::hip
