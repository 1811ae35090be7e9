// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/working_directory.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::opencl {
namespace {

constexpr const char* kHeaders[] = {"opencl-c-base.h", "opencl-c.h"};
constexpr const char* kLibraries[] = {
    "libgcc_s.so.1",
    "libgcc_s.so",
    "libgcc.so",
    "libgcc.a",
    "libgcc_eh.a",
    "libc.so.6",
    "libc.so",
    "libc.a",
    "libc_nonshared.a",
    "libm.so.6",
    "libm.so",
    "libm.a",
    "libmvec.so.1",
    "libmvec.so",
    "libmvec.a",
    "libmvec_nonshared.a",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
};
constexpr const char* kPrograms[] = {"ld",
                                     "ld.bfd",
                                     "ld.gold",
                                     "ld.lld",
                                     "x86_64-pc-linux-gnu-ld",
                                     "x86_64-linux-gnu-ld",
                                     "aarch64-unknown-linux-gnu-ld",
                                     "aarch64-linux-gnu-ld"};

bool exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

[[noreturn]] void refuse(const std::string& file, const std::string& variable) {
  std::error_code ignored;
  const std::string directory = std::filesystem::current_path(ignored).string();
  const std::string by = variable.empty() ? "" : " by the variable " + variable;
  throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                            "the OpenCL compiler would take '" + file +
                                "' from the working directory" + by + " (" + directory +
                                "). Remove it, or change to another directory before a kernel is "
                                "compiled.",
                            0, PATCHBAY_STATUS_RETRYABLE);
}

/// The relative and empty elements of a variable.
std::vector<std::string> relative_elements(const char* variable, const char* separators) {
  std::vector<std::string> elements;
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return elements;
  std::string_view rest = value;
  for (bool has_more = true; has_more;) {
    const std::size_t end = rest.find_first_of(separators);
    if (!rest.starts_with('/')) elements.emplace_back(rest.substr(0, end));
    has_more = end != std::string_view::npos;
    if (has_more) rest.remove_prefix(end + 1);
  }
  return elements;
}

/// Looks at the folders of a variable. A prefix of names counts as well.
template <class Names>
void check_variable(const char* variable, const Names& names) {
  for (const std::string& folder : relative_elements(variable, ":")) {
    for (const char* const name : names) {
      for (const std::string& file :
           {(folder.empty() ? "." : folder) + "/" + name, folder + name}) {
        if (exists(file)) refuse(file, variable);
      }
    }
  }
}

/// The dynamic linker looks there for every library of the programs that the compiler starts.
void check_library_folders() {
  for (const std::string& folder : relative_elements("LD_LIBRARY_PATH", ":;")) {
    std::error_code error;
    for (std::filesystem::directory_iterator next(folder.empty() ? "." : folder, error), end;
         !error && next != end; next.increment(error)) {
      const std::string name = next->path().filename().string();
      const bool is_taken =
          name.ends_with(".so") || name.find(".so.") != std::string::npos || name == "glibc-hwcaps";
      if (is_taken) refuse(folder.empty() ? name : next->path().string(), "LD_LIBRARY_PATH");
    }
  }
}

/// Libraries that the dynamic linker loads into these programs. A name without a slash is searched.
void check_loaded_libraries(const char* variable) {
  for (const std::string& file : relative_elements(variable, ": ")) {
    if (file.find('/') != std::string::npos && exists(file)) refuse(file, variable);
  }
}

}  // namespace

void check_working_directory() {
  for (const char* const name : kLibraries) {
    if (exists(name)) refuse(name, "");
  }
  for (const char* const name : kHeaders) {
    if (exists(name)) refuse(name, "");
  }
  check_variable("PATH", kPrograms);
  check_variable("COMPILER_PATH", kPrograms);
  check_variable("LIBRARY_PATH", kLibraries);
  check_library_folders();
  check_loaded_libraries("LD_PRELOAD");
  check_loaded_libraries("LD_AUDIT");
}

}  // namespace patchbay::opencl
