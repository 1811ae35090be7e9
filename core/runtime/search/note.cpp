// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/note.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <string_view>
#include <vector>

#include "patchbay/plugin/abi.h"

namespace patchbay::runtime {
namespace {

constexpr std::uint64_t kMaxNoteBytes = 64 * 1024;
constexpr std::size_t kMaxFeatureBytes = 60;

template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

/// False if it is too short.
bool parse_identity(std::string_view content, Note& note) {
  constexpr std::size_t kHeaderBytes = offsetof(patchbay_note, abi_major);
  patchbay_note raw{};
  // Later minor versions may append fields to the note. One of 0.1, which is refused with its
  // version, ends before the kind.
  if (content.size() < offsetof(patchbay_note, kind) - kHeaderBytes) return false;
  std::memcpy(reinterpret_cast<char*>(&raw) + kHeaderBytes, content.data(),
              std::min(content.size(), sizeof(raw) - kHeaderBytes));
  note.abi_major = raw.abi_major;
  note.abi_minor = raw.abi_minor;
  note.plugin = text_of(raw.plugin);
  note.backend = text_of(raw.backend);
  note.kind = raw.kind[0] != '\0' ? text_of(raw.kind) : PATCHBAY_KIND_DEVICE;
  return true;
}

/// Splits at blanks, up to the first zero.
std::vector<std::string> parse_settings(std::string_view content) {
  std::vector<std::string> names;
  std::istringstream words{std::string(content.substr(0, content.find('\0')))};
  for (std::string name; words >> name;) names.push_back(std::move(name));
  return names;
}

/// At most kMaxFeatureBytes, without a part of a character of UTF-8.
std::string cut_feature(std::string_view text) {
  if (text.size() <= kMaxFeatureBytes) return std::string(text);
  constexpr std::string_view kLeftOut = "...";
  std::size_t size = kMaxFeatureBytes - kLeftOut.size();
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return std::string(text.substr(0, size)) + std::string(kLeftOut);
}

void parse_requirement(std::string_view content, Note& note) {
  std::uint32_t minor = 0;
  if (content.size() < sizeof minor) return;
  std::memcpy(&minor, content.data(), sizeof minor);
  content.remove_prefix(sizeof minor);
  if (minor < note.required_minor) return;  // of several notes the strictest counts
  note.required_minor = minor;
  note.required_feature = cut_feature(content.substr(0, content.find('\0')));
}

/// Reads the notes of one segment. True if the one that names the plugin is among them.
bool parse_notes(const std::vector<char>& segment, Note& note) {
  const auto aligned = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  bool has_identity = false;
  std::uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= segment.size()) {
    Elf64_Nhdr header;
    std::memcpy(&header, segment.data() + at, sizeof(header));
    const std::uint64_t owner_at = at + sizeof(header);
    const std::uint64_t content_at = owner_at + aligned(header.n_namesz);
    const std::uint64_t end = content_at + aligned(header.n_descsz);
    if (end > segment.size()) break;
    const std::string_view content(segment.data() + content_at, header.n_descsz);
    if (header.n_namesz == sizeof(PATCHBAY_NOTE_OWNER) &&
        std::memcmp(segment.data() + owner_at, PATCHBAY_NOTE_OWNER, header.n_namesz) == 0) {
      if (header.n_type == PATCHBAY_NOTE_TYPE && !has_identity) {
        has_identity = parse_identity(content, note);
      }
      if (header.n_type == PATCHBAY_NOTE_REQUIRES) parse_requirement(content, note);
      if (header.n_type == PATCHBAY_NOTE_SETTINGS) {
        if (!note.settings) note.settings.emplace();
        std::ranges::move(parse_settings(content), std::back_inserter(*note.settings));
      }
    }
    at = end;
  }
  return has_identity;
}

}  // namespace

NoteResult read_note(const ElfFile& file) {
  if (!file.refusal().empty()) return {{}, file.refusal()};
  Note note;
  bool has_identity = false;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNoteBytes) continue;
    const auto bytes = file.bytes_of(segment);
    if (!bytes) break;
    has_identity = parse_notes(*bytes, note) || has_identity;
  }
  if (has_identity) return {std::move(note), {}};
  return {{}, "no Patchbay note: not a Patchbay plugin, or built without PATCHBAY_PLUGIN_NOTE"};
}

}  // namespace patchbay::runtime
