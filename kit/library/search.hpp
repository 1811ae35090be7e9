// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finds a vendor's libraries where the dynamic linker does not look.
#ifndef PATCHBAY_KIT_LIBRARY_SEARCH_HPP_
#define PATCHBAY_KIT_LIBRARY_SEARCH_HPP_

#include <string>
#include <string_view>
#include <vector>

namespace patchbay {

/// The value of an environment variable; empty if it is not set or the process has raised
/// privileges.
std::string environment(const char* name);

/// A file that this process may run.
bool is_program(const std::string& path);
/// The first program of that name in the absolute ones of folders that are separated by colons;
/// empty if there is none. An empty or relative folder would be one of the working directory.
std::string find_program(const std::string& name, std::string_view folders);

/// The matching folders in descending order, so that the newest version is first. A part of the
/// path may contain '*'. A relative pattern matches nothing.
std::vector<std::string> matching_folders(const std::string& pattern);

/// The folders of Python packages, with `pattern` below each: "nvidia/*/lib". Searches the active
/// environments, the user's packages, /usr/local and /usr.
std::vector<std::string> python_package_folders(const std::string& pattern);

/// The files to try for a library, best first: the bare names, then those of the names that exist
/// in the folders, in the order of the folders.
std::vector<std::string> library_files(const std::vector<std::string>& names,
                                       const std::vector<std::string>& folders);

/// The folder of the file, and that of the file it links to. One contains the companion libraries.
std::vector<std::string> folders_of(const std::string& file);

}  // namespace patchbay

#endif  // PATCHBAY_KIT_LIBRARY_SEARCH_HPP_
