// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finding plugin files, and what is checked before one is opened.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_CANDIDATE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_CANDIDATE_H_

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/runtime/search/note.h"

namespace patchbay::runtime {

/// A file that may be a plugin.
struct Candidate {
  std::filesystem::path path;
  std::string name;            // from patchbay-<name>.so
  bool named_in_code = false;  // then failing to load it is an error
};

/// What identifies a file, whatever it is called.
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
/// of PATCHBAY_PLUGIN_PATH, which is quoted.
std::vector<std::filesystem::path> search_directories(const RuntimeOptions& options,
                                                      const Environment& environment);
/// patchbay/plugins beside the file that holds this code; if that is a program in a folder `bin`,
/// patchbay/plugins of its prefix's library folder. Empty if that can't be told.
std::filesystem::path library_plugin_directory();
/// Whether plugins in that directory may be opened: with raised privileges only those of
/// library_plugin_directory().
bool is_allowed(const std::filesystem::path& directory);

Candidate named_candidate(const std::filesystem::path& path);
/// The files named in code, then those of each directory by name.
std::vector<Candidate> find_candidates(const RuntimeOptions& options,
                                       const std::vector<std::filesystem::path>& directories);

/// What its file says of itself, whoever wrote it; empty if it has no note. Nothing of it runs.
Note read_candidate_note(const Candidate& candidate);

/// Opens nothing of the candidate as code: place, regular file, owner, permissions, architecture,
/// note.
Inspection inspect(const Candidate& candidate);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_CANDIDATE_H_
