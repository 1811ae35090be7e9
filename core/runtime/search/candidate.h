// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finds plugin files and checks them before they are opened.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_CANDIDATE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_CANDIDATE_H_

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/runtime/search/access.h"
#include "core/runtime/search/note.h"

namespace patchbay::runtime {

/// A file that may be a plugin.
struct Candidate {
  std::filesystem::path path;
  std::string name;            // from patchbay-<name>.so
  bool named_in_code = false;  // failing to load it is then an error
};

/// Identifies a file under any name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

struct Inspection {
  std::filesystem::path real_path;  // absolute, symlinks resolved
  FileId id;
  Note note;
  std::string refusal;  // empty if the file may be opened
};

/// The directories to search, in order. Errors: kInvalidArgument for an empty or relative element
/// of PATCHBAY_PLUGIN_PATH, which the message quotes.
std::vector<std::filesystem::path> search_directories(const RuntimeOptions& options,
                                                      const base::Environment& environment);
/// patchbay/plugins beside the file that holds this code. For a program in a folder `bin`,
/// patchbay/plugins in the library folder beside it. Empty if unknown.
std::filesystem::path library_plugin_directory();
/// Whether plugins in that directory may be opened. With raised privileges only those in
/// library_plugin_directory() may.
bool is_allowed(const std::filesystem::path& directory);

Candidate named_candidate(const std::filesystem::path& path);
/// The files named in code, then those of each directory, sorted by name.
std::vector<Candidate> find_candidates(const RuntimeOptions& options,
                                       const std::vector<std::filesystem::path>& directories);

/// The file's own note, not verified; empty if there is none. Runs none of its code.
Note read_candidate_note(const Candidate& candidate);

/// RuntimeOptions::trusted_directories; none with raised privileges.
TrustedFolders trusted_folders(const RuntimeOptions& options);

/// Checks place, regular file, owner, permissions, architecture, note, and what the file asks of
/// the dynamic linker. Runs none of its code.
Inspection inspect(const Candidate& candidate, const TrustedFolders& trusted);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_CANDIDATE_H_
