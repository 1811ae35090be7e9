// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the targets share: a file in memory, and comparisons.
#ifndef PATCHBAY_TESTS_FUZZ_FILE_H_
#define PATCHBAY_TESTS_FUZZ_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <patchbay/patchbay.h>

namespace patchbay::fuzz {

/// Few bytes do not become more than these.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;

inline void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// A file in memory, by its name in /proc.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : number_(memfd_create("patchbay-fuzz", 0)) {
    expect(number_ >= 0, "no file in memory");
    expect(write(number_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
           "no room for the file");
  }
  ~MemoryFile() { close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

/// A place for files that are written, which is this process's own.
inline std::filesystem::path written_path(const char* name) {
  const char* const folder = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
  return std::string(folder) + "/patchbay-fuzz-" + std::to_string(getpid()) + "-" + name;
}

/// Runs `body`; false if it throws an Error, whose code and message are as they should be.
template <class Body>
bool is_read(const Body& body) {
  try {
    body();
    return true;
  } catch (const Error& error) {
    expect(error.code() == ErrorCode::kInvalidArgument, error.what());
    expect(std::string_view(error.what()).find('\n') == std::string_view::npos, error.what());
    return false;
  }
}

inline std::string_view bytes_of(const Tensor& tensor) {
  if (tensor.size_bytes() == 0) return {};
  return {static_cast<const char*>(tensor.buffer().host_pointer()) + tensor.offset_bytes(),
          tensor.size_bytes()};
}

/// The same elements, bit by bit.
inline void expect_equal(const Tensor& a, const Tensor& b) {
  expect(a.dtype() == b.dtype(), "another dtype");
  expect(a.shape() == b.shape(), "another shape");
  expect(bytes_of(a) == bytes_of(b), "other elements");
}

}  // namespace patchbay::fuzz

#endif  // PATCHBAY_TESTS_FUZZ_FILE_H_
