// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files that tests write and read.
#ifndef PATCHBAY_TESTS_DATA_FILE_TEST_H_
#define PATCHBAY_TESTS_DATA_FILE_TEST_H_

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <patchbay/nn/arrays.h>

#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {

/// The bytes of a number, in either order.
template <class T>
std::string bytes_of(T value, bool is_big_endian = false) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof(value));
  return is_big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}
template <class T>
std::string bytes_of_all(const std::vector<T>& values, bool is_big_endian = false) {
  std::string bytes;
  for (const T value : values) bytes += bytes_of(value, is_big_endian);
  return bytes;
}

/// Compressed by zlib: 16 + 15 as gzip, -15 as deflate.
inline std::string compressed(const std::string& bytes, int window_bits) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}
inline std::string gzipped(const std::string& bytes) { return compressed(bytes, 16 + 15); }
inline std::string deflated(const std::string& bytes) { return compressed(bytes, -15); }
inline std::uint32_t crc_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

// The bytes of npy files.
inline std::string npy_file(const std::string& header, const std::string& elements, int version) {
  const auto length = static_cast<std::uint32_t>(header.size());
  return "\x93NUMPY" + std::string({static_cast<char>(version), '\0'}) +
         bytes_of(length).substr(0, version == 1 ? 2 : 4) + header + elements;
}

/// As NumPy writes it.
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::string& elements, const std::string& fortran_order = "False") {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + fortran_order +
                       ", 'shape': " + shape + ", }";
  while ((header.size() + 1 + 10) % 64 != 0) header += ' ';
  return npy_file(header + '\n', elements, 1);
}

/// A folder with one file.
class FileTest : public testing::Test {
 protected:
  std::string path() const { return folder_.folder("files") + "/file"; }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  std::string written() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static nn::ReadOptions options() { return {.device = test_device("cpu:0")}; }

  const ScratchDirectory folder_;
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_DATA_FILE_TEST_H_
