// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Plugin files: their headers, what they ask of the dynamic linker, and their notes.
#include <fcntl.h>

#include "core/runtime/search/elf_file.h"
#include "core/runtime/search/linkage.h"
#include "core/runtime/search/note.h"
#include "fuzz/file.h"
#include "fuzz/targets.h"

namespace patchbay::fuzz {
namespace {

/// A reason is shown in one line.
void check_reason(const std::string& reason) {
  expect(reason.find('\n') == std::string::npos, reason.c_str());
  expect(reason.size() < 4096, "a long reason");
}

bool is_whole(const runtime::Linkage& linkage) {
  for (const runtime::LinkedFolder& folder : linkage.folders) {
    expect(folder.path.is_absolute(), "a relative folder");
    check_reason(folder.what);
  }
  check_reason(linkage.refusal);
  return linkage.refusal.empty();
}

}  // namespace

bool run_plugin_file(std::string_view bytes) {
  const MemoryFile file(bytes);
  const int opened = open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  expect(opened >= 0, "no second descriptor");
  const runtime::ElfFile library(opened);
  check_reason(library.refusal());
  const runtime::NoteResult note = runtime::read_note(library);
  check_reason(note.refusal);
  const bool is_linkable = library.refusal().empty() && is_whole(read_linkage(library, "/opt/p"));
  close(opened);
  expect(note.note.plugin.size() <= bytes.size(), "a longer name than the file");
  return note.refusal.empty() && is_linkable;
}

}  // namespace patchbay::fuzz
