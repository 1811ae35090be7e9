// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/library_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "kit/executor/cache.hpp"
#include "kit/text_hash.hpp"

namespace patchbay::executor {
namespace {

constexpr std::string_view kSealMark = "patchbay kernel 2\n";
constexpr std::size_t kSizeDigits = 16, kHashDigits = 32;
constexpr std::size_t kSealBytes = 18 + kSizeDigits + kHashDigits;
static_assert(kSealMark.size() == 18);
/// A kernel takes some KiB.
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

/// A regular file, open for reading. It is never waited for, as a FIFO would be.
class File {
 public:
  explicit File(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    is_regular_ = file_ >= 0 && fstat(file_, &info_) == 0 && S_ISREG(info_.st_mode);
  }
  ~File() {
    if (file_ >= 0) close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return is_regular_; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(info_.st_size); }
  bool is_private() const {
    return info_.st_uid == geteuid() && (info_.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }
  bool read(void* data, std::size_t size, std::uint64_t offset) const {
    auto* to = static_cast<char*>(data);
    while (size != 0) {
      const ssize_t got = pread(file_, to, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      size -= static_cast<std::size_t>(got);
      offset += static_cast<std::size_t>(got);
    }
    return true;
  }
  std::optional<std::string> text(std::uint64_t offset, std::uint64_t size) const {
    std::string content(size, '\0');
    if (!read(content.data(), size, offset)) return std::nullopt;
    return content;
  }

 private:
  const int file_;
  struct stat info_ {};
  bool is_regular_ = false;
};

/// The end of a library file, which the linker ignores: the library's size, and a checksum.
std::string size_part(std::uint64_t size) {
  char digits[kSizeDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(size));
  return std::string(kSealMark) + digits;
}

std::string seal_of(std::string_view library, std::string_view key) {
  std::string all(library);
  all.append(1, '\0').append(key);
  return size_part(library.size()) + text_hash(all);
}

/// The size is compared first, so that of a file with another one no more than the end is read.
bool is_sealed(const File& file, std::string_view key) {
  if (file.size() < kSealBytes || file.size() > kMostBytes) return false;
  const std::uint64_t size = file.size() - kSealBytes;
  const auto seal = file.text(size, kSealBytes);
  if (!seal || !seal->starts_with(size_part(size))) return false;
  const auto library = file.text(0, size);
  return library && *seal == seal_of(*library, key);
}

}  // namespace

bool is_whole_library(const std::string& path) {
  const File file(path);
  Elf64_Ehdr header{};
  if (!file || file.size() > kMostBytes - kSealBytes || !file.read(&header, sizeof header, 0)) {
    return false;
  }
  // The compiler writes the section table last.
  const std::uint64_t table = std::uint64_t{header.e_shentsize} * header.e_shnum;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_shnum != 0 &&
         header.e_shoff <= file.size() && table <= file.size() - header.e_shoff;
}

void keep_library(const std::string& made, const std::string& directory, std::string_view key) {
  const File library(made);
  const auto content = library ? library.text(0, library.size()) : std::nullopt;
  if (!content) fail_to_write(made);
  // Sync before renaming, so that no incomplete file remains after a power failure.
  const int file = open(made.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) fail_to_write(made);
  const bool written =
      write_all(file, seal_of(*content, key)) && fchmod(file, S_IRWXU) == 0 && fsync(file) == 0;
  const int error = errno;
  close(file);
  errno = error;
  const std::string path = directory + "/" + std::string(key) + ".so";
  if (!written || rename(made.c_str(), path.c_str()) != 0) fail_to_write(path);
}

std::string find_library(const std::string& directory, std::string_view key) {
  std::string path = directory + "/" + std::string(key) + ".so";
  const File file(path);
  return file && file.is_private() && is_sealed(file, key) ? path : std::string();
}

}  // namespace patchbay::executor
