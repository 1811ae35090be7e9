// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reads a plugin's ELF note from its file, before any of its code runs.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_NOTE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_NOTE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/search/elf_file.h"

namespace patchbay::runtime {

struct Note {
  std::uint32_t abi_major = 0, abi_minor = 0;
  std::string plugin, backend, kind;
  std::optional<std::vector<std::string>> settings;  // empty if not declared
  std::uint32_t required_minor = 0;                  // of the library
  std::string required_feature;                      // why
};

/// The note of an open file, or the reason why there is none: no library of this architecture, no
/// note, or a malformed one. Trusts nothing in the file.
struct NoteResult {
  Note note;
  std::string refusal;  // empty if there is a note
};
NoteResult read_note(const ElfFile& file);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_NOTE_H_
