// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/elf_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace patchbay::runtime {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
constexpr const char* kMachineName = "x86-64";
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
constexpr const char* kMachineName = "arm64";
#else
#error "this architecture needs its ELF machine number here"
#endif

constexpr int kMaxProgramHeaders = 128;

/// Empty if this machine could load a file with that header.
std::string refuse_header(const Elf64_Ehdr& header) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return fmt::format(
        "built for another architecture ({} bits, {}-endian; this one has 64 bits, little-endian)",
        header.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64",
        header.e_ident[EI_DATA] == ELFDATA2MSB ? "big" : "little");
  }
  if (header.e_machine != kMachine) {
    return fmt::format("built for another architecture (ELF machine {}, this one is {}: {})",
                       header.e_machine, kMachineName, kMachine);
  }
  if (header.e_type != ET_DYN) return "not a shared library";
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      header.e_phnum > kMaxProgramHeaders) {
    return "malformed ELF program headers";
  }
  return {};
}

/// Empty if the segments and the section table lie within the file: the dynamic linker would crash
/// on a truncated library.
std::string refuse_truncated(int fd, const Elf64_Ehdr& header,
                             const std::vector<Elf64_Phdr>& segments) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return "can't be read";
  const auto file_bytes = static_cast<std::uint64_t>(info.st_size);
  const auto fits = [file_bytes](std::uint64_t offset, std::uint64_t size) {
    return offset <= file_bytes && size <= file_bytes - offset;
  };
  bool whole = fits(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize);
  for (const Elf64_Phdr& segment : segments) {
    whole = whole && fits(segment.p_offset, segment.p_filesz);
  }
  return whole ? std::string() : "truncated: the file is shorter than its ELF headers say";
}

/// Empty if no page of memory belongs to two segments, so that an address has one place in the
/// file.
std::string refuse_overlap(const std::vector<Elf64_Phdr>& segments) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t end = 0;  // of the segments so far
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    const bool is_sound =
        segment.p_filesz <= segment.p_memsz && segment.p_memsz <= ~segment.p_vaddr - page &&
        segment.p_vaddr / page * page >= end && segment.p_vaddr % page == segment.p_offset % page;
    if (!is_sound) return "malformed ELF segments: they overlap, or are out of order";
    end = (segment.p_vaddr + segment.p_memsz + page - 1) / page * page;
  }
  return {};
}

}  // namespace

ElfFile::ElfFile(int fd) : fd_(fd), refusal_(read_headers()) {}

std::string ElfFile::read_headers() {
  Elf64_Ehdr header{};
  char magic[SELFMAG] = {};
  if (!read(0, magic, sizeof(magic)) || std::memcmp(magic, ELFMAG, SELFMAG) != 0) {
    return "not an ELF file";
  }
  if (!read(0, &header, sizeof(header))) return "truncated: no whole ELF header";
  if (auto refusal = refuse_header(header); !refusal.empty()) return refusal;
  segments_.resize(header.e_phnum);
  if (!read(header.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr))) {
    return "truncated: no whole ELF program headers";
  }
  if (auto refusal = refuse_truncated(fd_, header, segments_); !refusal.empty()) return refusal;
  return refuse_overlap(segments_);
}

std::optional<std::vector<char>> ElfFile::bytes_of(const Elf64_Phdr& segment) const {
  std::vector<char> bytes(segment.p_filesz);
  if (!read(segment.p_offset, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

std::vector<char> ElfFile::bytes_at(std::uint64_t address, std::uint64_t size_bytes) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
        address - segment.p_vaddr >= segment.p_filesz) {
      continue;
    }
    const std::uint64_t at = address - segment.p_vaddr;
    std::vector<char> bytes(std::min(size_bytes, segment.p_filesz - at));
    if (!read(segment.p_offset + at, bytes.data(), bytes.size())) bytes.clear();
    return bytes;
  }
  return {};
}

std::string ElfFile::build_id() const {
  constexpr std::uint64_t kMostNoteBytes = 4096;
  constexpr std::size_t kMostIdBytes = 20;
  constexpr std::string_view kMark("\3\0\0\0GNU", 8);  // NT_GNU_BUILD_ID and the note's owner
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    const std::vector<char> bytes = bytes_of(segment).value_or(std::vector<char>());
    const std::string_view all(bytes.data(), bytes.size());
    const std::size_t at = all.find(kMark);
    if (at == all.npos) continue;
    std::string text;
    for (const char c : all.substr(at + kMark.size(), kMostIdBytes)) {
      text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    return text;
  }
  return {};
}

bool ElfFile::read(std::uint64_t offset, void* data, std::size_t size_bytes) const {
  auto* to = static_cast<char*>(data);
  while (size_bytes > 0) {
    const ssize_t got = pread(fd_, to, size_bytes, static_cast<off_t>(offset));
    if (got <= 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size_bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace patchbay::runtime
