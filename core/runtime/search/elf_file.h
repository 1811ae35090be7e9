// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reads the headers of a shared library from its open file, and bytes at the addresses that it will
// have. Trusts nothing in the file.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_ELF_FILE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_ELF_FILE_H_

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace patchbay::runtime {

class ElfFile {
 public:
  /// Borrows the descriptor. `refusal` says why there is no such library: not an ELF file, another
  /// architecture, or shorter than its headers say.
  explicit ElfFile(int fd);

  const std::string& refusal() const { return refusal_; }  // empty if the headers are sound
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  /// The bytes of a segment in the file; nothing if they can't be read.
  std::optional<std::vector<char>> bytes_of(const Elf64_Phdr& segment) const;
  /// At most `size_bytes` bytes from an address of the library on, as far as its segment in memory
  /// has bytes of the file; empty if there are none.
  std::vector<char> bytes_at(std::uint64_t address, std::uint64_t size_bytes) const;
  /// The linker's number for the content, in hexadecimal; empty if there is none.
  std::string build_id() const;

 private:
  std::string read_headers();
  bool read(std::uint64_t offset, void* data, std::size_t size_bytes) const;

  int fd_;
  std::vector<Elf64_Phdr> segments_;
  std::string refusal_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_ELF_FILE_H_
