// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Bytes that are read one after the other: those of a file, or what is compressed there.
#ifndef PATCHBAY_CORE_NN_FILES_SOURCE_H_
#define PATCHBAY_CORE_NN_FILES_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/nn/files/file.h"
#include "core/nn/files/subject.h"

namespace patchbay::nn::files {

class Source {
 public:
  explicit Source(Subject subject) : subject_(std::move(subject)) {}
  virtual ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Subject& subject() const { return subject_; }
  /// Reads up to `size_bytes`, less only at the end. Errors: kIo; kInvalidArgument for damage.
  virtual std::size_t read(void* to, std::size_t size_bytes) = 0;
  /// How many bytes are left. Unknown where that is only said, and not known from what is there.
  virtual std::optional<std::uint64_t> left() const { return std::nullopt; }

  /// Reads all of it. Errors: as read; kInvalidArgument, which names `what`, if the source ends.
  void read_all(void* to, std::size_t size_bytes, const char* what);
  /// Errors: kInvalidArgument, which says what was expected, if more bytes follow.
  void check_end(std::uint64_t expected, const char* what);

 private:
  const Subject subject_;
};

/// A range of a file.
class FileSource final : public Source {
 public:
  FileSource(Subject subject, const ReadFile& file, std::uint64_t begin, std::uint64_t end)
      : Source(std::move(subject)), file_(file), next_(begin), end_(end) {}
  std::size_t read(void* to, std::size_t size_bytes) override;
  std::optional<std::uint64_t> left() const override { return end_ - next_; }
  /// Where in the file the next byte is.
  std::uint64_t position() const { return next_; }

 private:
  const ReadFile& file_;
  std::uint64_t next_, end_;
};

enum class Compression { kDeflate, kGzip };

/// What a range of a file has in compressed form, all of it: members of gzip one after the other,
/// or one stream of deflate. gzip's checksums are compared.
class InflatedSource final : public Source {
 public:
  InflatedSource(Subject subject, const ReadFile& file, std::uint64_t begin, std::uint64_t end,
                 Compression compression);
  ~InflatedSource() override;
  std::size_t read(void* to, std::size_t size_bytes) override;

 private:
  struct Stream;
  bool refill();

  FileSource compressed_;
  const Compression compression_;
  std::unique_ptr<Stream> stream_;
  bool is_ended_ = false;
};

/// Computes the CRC-32 of what is read, and compares it at the end.
class CheckedSource final : public Source {
 public:
  /// `source` has `size_bytes` bytes with that checksum.
  CheckedSource(Source& source, std::uint64_t size_bytes, std::uint32_t crc);
  std::size_t read(void* to, std::size_t size_bytes) override;
  std::optional<std::uint64_t> left() const override { return source_.left(); }

 private:
  Source& source_;
  const std::uint64_t size_bytes_;
  const std::uint32_t expected_;
  std::uint64_t done_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_SOURCE_H_
