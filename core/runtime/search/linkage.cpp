// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/linkage.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

constexpr std::uint64_t kMaxDynamicBytes = 64 * 1024;
constexpr std::uint64_t kMaxTextBytes = 64 * 1024;  // package managers make long run paths
constexpr std::string_view kDamaged = "malformed dynamic section";

/// The dynamic linker takes the last of several headers, and a file without one for a file from
/// before there were any.
std::string refuse_stack(const std::vector<Elf64_Phdr>& segments) {
  bool is_told = false;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_GNU_STACK) continue;
    is_told = true;
    if ((segment.p_flags & PF_X) != 0) {
      return "it asks for an executable stack (link it with -z noexecstack)";
    }
  }
  return is_told ? ""
                 : "it does not say that its stack may be without code (no PT_GNU_STACK: link it "
                   "with -z noexecstack)";
}

/// The entries before the end mark, where the dynamic linker reads them; nothing if they are
/// damaged.
std::optional<std::vector<Elf64_Dyn>> read_entries(const ElfFile& file) {
  const Elf64_Phdr* section = nullptr;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_DYNAMIC) continue;
    if (section != nullptr) return std::nullopt;
    section = &segment;
  }
  if (section == nullptr) return std::nullopt;
  const std::vector<char> bytes =
      file.bytes_at(section->p_vaddr, std::min(section->p_memsz, kMaxDynamicBytes));
  std::vector<Elf64_Dyn> entries(bytes.size() / sizeof(Elf64_Dyn));
  if (entries.empty()) return std::nullopt;
  std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Elf64_Dyn));
  const auto end = std::ranges::find(entries, DT_NULL, &Elf64_Dyn::d_tag);
  if (end == entries.end()) return std::nullopt;
  entries.erase(end, entries.end());
  return entries;
}

/// The table of the section's names.
struct Names {
  const ElfFile& file;
  std::uint64_t address = 0, size_bytes = 0;

  /// Nothing if it lies outside the table or has no end there.
  std::optional<std::string> at(std::uint64_t offset) const {
    if (offset >= size_bytes || address > ~offset) return std::nullopt;
    const std::vector<char> bytes =
        file.bytes_at(address + offset, std::min(size_bytes - offset, kMaxTextBytes));
    const auto end = std::ranges::find(bytes, '\0');
    if (end == bytes.end()) return std::nullopt;
    return std::string(bytes.begin(), end);
  }
};

/// Nothing unless there is one table.
std::optional<Names> find_names(const ElfFile& file, const std::vector<Elf64_Dyn>& entries) {
  Names names{file};
  const auto take = [&entries](std::int64_t tag, std::uint64_t& value) {
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == tag) value = entry.d_un.d_val;
    }
    return std::ranges::count(entries, tag, &Elf64_Dyn::d_tag) == 1;
  };
  if (!take(DT_STRTAB, names.address) || !take(DT_STRSZ, names.size_bytes)) return std::nullopt;
  return names;
}

/// The path that the dynamic linker makes of it; nothing if that would be a relative one, or only
/// the dynamic linker knows it ($LIB, $PLATFORM).
std::optional<std::filesystem::path> absolute_path(std::string_view text,
                                                   const std::filesystem::path& origin) {
  for (const std::string_view token : {"$ORIGIN", "${ORIGIN}"}) {
    if (!text.starts_with(token)) continue;
    const std::string_view rest = text.substr(token.size());
    if ((!rest.empty() && rest.front() != '/') || rest.find('$') != rest.npos) return std::nullopt;
    return origin.string() + std::string(rest);
  }
  if (!text.starts_with('/') || text.find('$') != text.npos) return std::nullopt;
  return text;
}

constexpr std::string_view kWanted = "expected absolute paths, or such that begin with $ORIGIN/";

/// Collects what the entries name.
class Reader {
 public:
  Reader(Names names, const std::filesystem::path& origin) : names_(names), origin_(origin) {}

  void read(const Elf64_Dyn& entry) {
    switch (entry.d_tag) {
      case DT_RPATH: return read_path("RPATH", entry);
      case DT_RUNPATH: return read_path("RUNPATH", entry);
      case DT_NEEDED: return read_library("NEEDED", entry);
      case DT_AUXILIARY: return read_library("AUXILIARY", entry);
      case DT_FILTER: return read_library("FILTER", entry);
      default: return;
    }
  }
  Linkage take() { return std::move(linkage_); }
  bool has_refused() const { return !linkage_.refusal.empty(); }

 private:
  void read_path(std::string_view tag, const Elf64_Dyn& entry) {
    const auto whole = names_.at(entry.d_un.d_val);
    if (!whole) return refuse(std::string(kDamaged));
    for (std::size_t begin = 0, end = 0; begin <= whole->size() && !has_refused();
         begin = end + 1) {
      end = std::min(whole->find(':', begin), whole->size());
      const std::string element = whole->substr(begin, end - begin);
      if (element.empty()) {
        refuse(fmt::format("its {} {} has an empty element, which means the working directory: {}",
                           tag, base::quote(*whole), kWanted));
      } else if (auto path = absolute_path(element, origin_)) {
        linkage_.folders.push_back(
            {fmt::format("its {} folder {}", tag, base::one_line(path->string())),
             std::move(*path)});
      } else {
        refuse(fmt::format("its {} has the relative element {}: {}", tag, base::quote(element),
                           kWanted));
      }
    }
  }

  void read_library(std::string_view tag, const Elf64_Dyn& entry) {
    const auto name = names_.at(entry.d_un.d_val);
    if (!name) return refuse(std::string(kDamaged));
    if (name->find_first_of("/$") == std::string::npos) return;
    const auto path = absolute_path(*name, origin_);
    if (!path) {
      return refuse(
          fmt::format("it asks for the library {} ({}), a relative path: {}, or names "
                      "without a slash",
                      base::quote(*name), tag, kWanted));
    }
    std::filesystem::path folder = path->parent_path();
    linkage_.folders.push_back(
        {fmt::format("the folder {} of its {} library", base::one_line(folder.string()), tag),
         std::move(folder)});
  }

  void refuse(std::string why) { linkage_.refusal = std::move(why); }

  const Names names_;
  const std::filesystem::path& origin_;
  Linkage linkage_;
};

bool changes_code(const Elf64_Dyn& entry) {
  return entry.d_tag == DT_TEXTREL ||
         (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0);
}

}  // namespace

Linkage read_linkage(const ElfFile& file, const std::filesystem::path& origin) {
  if (!file.refusal().empty()) return {file.refusal(), {}};
  if (std::string refusal = refuse_stack(file.segments()); !refusal.empty()) return {refusal, {}};
  const auto entries = read_entries(file);
  if (!entries) return {std::string(kDamaged), {}};
  if (std::ranges::any_of(*entries, changes_code)) {
    return {
        "its code would be changed when it is loaded (TEXTREL: compile it with -fPIC, link it "
        "with -z text)",
        {}};
  }
  const auto names = find_names(file, *entries);
  if (!names) return {std::string(kDamaged), {}};
  Reader reader(*names, origin);
  for (const Elf64_Dyn& entry : *entries) {
    if (!reader.has_refused()) reader.read(entry);
  }
  return reader.take();
}

}  // namespace patchbay::runtime
