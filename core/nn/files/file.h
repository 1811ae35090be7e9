// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files that are read from given places, and files that appear whole or not at all.
#ifndef PATCHBAY_CORE_NN_FILES_FILE_H_
#define PATCHBAY_CORE_NN_FILES_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/output/own_descriptor.h"

namespace patchbay::nn::files {

/// Throws kIo, with the system's reason and what to do about it.
[[noreturn]] void raise_io(std::string_view operation, std::string_view what,
                           const std::filesystem::path& path, int error);

/// Returns the path. Errors: kInvalidArgument for a NUL, up to which the system would take the
/// name.
const std::filesystem::path& checked_name(const std::filesystem::path& path,
                                          std::string_view operation);

/// Closes the descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }

 private:
  int number_;
};

/// A regular file that is open for reading. Thread-safe.
class ReadFile {
 public:
  /// `operation` is for messages. Errors: kIo if it can't be opened or is no regular file.
  ReadFile(const std::filesystem::path& path, std::string_view operation);

  std::uint64_t size_bytes() const { return size_bytes_; }
  const std::filesystem::path& path() const { return path_; }
  const std::string& operation() const { return operation_; }
  int descriptor() const { return file_.get(); }
  /// Errors: kIo if the bytes can't be read, if the file has become shorter, or if the program has
  /// closed the descriptor.
  void read(std::uint64_t offset_bytes, void* to, std::size_t size_bytes) const;

 private:
  std::filesystem::path path_;
  std::string operation_;
  output::OwnDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

/// The bytes of a file as memory. Writing to it changes nothing but this memory; reading it is a
/// fault of the process (SIGBUS) where the file has become shorter.
class Mapping {
 public:
  /// Errors: kIo if the file is empty or can't be mapped.
  explicit Mapping(const ReadFile& file);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_bytes_;
};

/// Writes a file that has no name until commit(), which puts it in the place of another one.
/// Without a commit nothing stays, also if the process is killed, where the file system has such
/// files; on others the file is beside the one that it replaces, and the next save of that one
/// removes it. A link to a regular file, or to nothing, is replaced, not followed. Writing beyond
/// RLIMIT_FSIZE is an error, without SIGXFSZ.
class AtomicFile {
 public:
  /// The new file has the mode of the old one. Errors: kIo if no file can be made in that folder,
  /// or if something else is there than a regular file or such a link.
  AtomicFile(const std::filesystem::path& path, std::string_view operation);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* from, std::size_t size_bytes);
  /// The bytes are on the disk before the old file is replaced. Later ones are written to the new
  /// file. Errors: kIo.
  void commit();

 private:
  [[noreturn]] void raise_errno(std::string_view what) const;
  void open_named(int mode);
  void give_name();
  void remove_name() noexcept;

  std::filesystem::path path_;
  std::string operation_;
  output::OwnDescriptor file_;
  std::uint64_t size_bytes_ = 0;
  std::filesystem::path name_;  // that it has until it replaces the other; empty: none
};

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_FILE_H_
