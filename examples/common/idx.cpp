// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "examples/common/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <patchbay/error.h>

#include "examples/common/text.h"

namespace examples {
namespace {

using patchbay::Error;
using patchbay::ErrorCode;

constexpr std::uint32_t kUnsignedBytes = 0x08;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path) : name_(in_quotes(path.string())) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) &&
        !std::filesystem::is_regular_file(path, ignored)) {
      fail(ErrorCode::kIo, "is not a regular file");
    }
    errno = 0;
    file_.reset(gzopen(path.c_str(), "rb"));
    if (file_ == nullptr) {
      fail(ErrorCode::kIo,
           fmt::format("can't be opened: {}", errno != 0 ? std::strerror(errno) : "out of memory"));
    }
    gzbuffer(file_.get(), 1u << 17);
  }

  /// Reads up to `size_bytes`; less only where the file ends in good order.
  std::size_t read(void* data, std::size_t size_bytes) {
    std::size_t done = 0;
    while (done < size_bytes) {
      const auto wanted = static_cast<unsigned>(std::min(size_bytes - done, kChunkBytes));
      const int got = gzread(file_.get(), static_cast<std::uint8_t*>(data) + done, wanted);
      check();
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  /// zlib hands plain files through unchanged; without compression there is no checksum either.
  bool is_compressed() { return gzdirect(file_.get()) == 0; }

  [[noreturn]] void fail(ErrorCode code, const std::string& what) const {
    throw Error(code, fmt::format("[read_idx] {} {}.", name_, what));
  }

 private:
  // gzread reports a file that ends too early as success with fewer bytes.
  void check() {
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_ERRNO) fail(ErrorCode::kIo, fmt::format("can't be read: {}", message));
    if (code == Z_BUF_ERROR) fail(ErrorCode::kInvalidArgument, "is truncated");
    fail(ErrorCode::kInvalidArgument, fmt::format("is damaged ({})", message));
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string name_;
  std::unique_ptr<gzFile_s, Close> file_;
};

std::uint32_t read_u32(GzipFile& file) {
  std::uint8_t bytes[4];
  const std::size_t got = file.read(bytes, sizeof(bytes));
  if (got > 0 && !file.is_compressed()) {
    file.fail(ErrorCode::kInvalidArgument, "is not a gzip file");
  }
  if (got < sizeof(bytes)) file.fail(ErrorCode::kInvalidArgument, "ends within its header");
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// Reads the extents; returns their product, at most kMaxIdxBytes.
std::uint64_t read_dims(GzipFile& file, int rank, std::vector<std::uint32_t>& dims) {
  std::uint64_t size = 1;
  for (int i = 0; i < rank; ++i) {
    dims.push_back(read_u32(file));
    // size <= 2^28 and an extent < 2^32: the product can't overflow.
    size *= dims.back();
    if (size > kMaxIdxBytes) {
      file.fail(ErrorCode::kInvalidArgument,
                fmt::format("promises too much: expected at most {} bytes of elements, got extents "
                            "[{}{}",
                            kMaxIdxBytes, fmt::join(dims, ", "), i + 1 < rank ? ", ...]" : "]"));
    }
  }
  return size;
}

std::vector<std::uint8_t> read_values(GzipFile& file, std::uint64_t size) {
  std::vector<std::uint8_t> values;
  while (values.size() < size) {
    const std::size_t old_size = values.size();
    const auto wanted = std::min<std::uint64_t>(size - old_size, kChunkBytes);
    values.resize(old_size + wanted);
    const std::size_t got = file.read(values.data() + old_size, wanted);
    if (got < wanted) {
      file.fail(
          ErrorCode::kInvalidArgument,
          fmt::format("is too short: expected {} bytes of elements, got {}", size, old_size + got));
    }
  }
  // Reading on to the end is what verifies the checksum.
  std::uint8_t extra = 0;
  if (file.read(&extra, 1) != 0) {
    file.fail(ErrorCode::kInvalidArgument,
              fmt::format("is too long: expected {} bytes of elements, got more", size));
  }
  return values;
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& path, int rank) {
  GzipFile file(path);
  const std::uint32_t expected = kUnsignedBytes << 8 | static_cast<std::uint32_t>(rank);
  const std::uint32_t magic = read_u32(file);
  if (magic != expected) {
    file.fail(ErrorCode::kInvalidArgument,
              fmt::format("has the wrong magic number: expected {:#010x}, got {:#010x}", expected,
                          magic));
  }
  IdxArray array;
  const std::uint64_t size = read_dims(file, rank, array.dims);
  array.values = read_values(file, size);
  return array;
}

}  // namespace examples
