// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Small idx files, sound and damaged, in a folder of their own.
#ifndef PATCHBAY_EXAMPLES_TESTS_GZIP_FILES_H_
#define PATCHBAY_EXAMPLES_TESTS_GZIP_FILES_H_

#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

using Bytes = std::vector<std::uint8_t>;

/// A new folder, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "patchbay-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Bytes idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& dims,
                       const Bytes& values) {
  Bytes bytes;
  const auto append = [&](std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  };
  append(magic);
  for (const std::uint32_t dim : dims) append(dim);
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

inline void write_file(const std::filesystem::path& file, const Bytes& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

inline Bytes read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

inline void write_gzip(const std::filesystem::path& file, const Bytes& bytes) {
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
}

/// The four files of a data set of 28 x 28 images whose pixels and labels follow a pattern.
inline void write_fashion_mnist(const std::filesystem::path& folder, std::uint32_t num_training,
                                std::uint32_t num_test) {
  const auto write = [&](const std::string& part, std::uint32_t count) {
    Bytes pixels(std::size_t{count} * 784), labels(count);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<std::uint8_t>((i * 2654435761u) >> 13);
    }
    for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint8_t>(i % 10);
    write_gzip(folder / (part + "-images-idx3-ubyte.gz"),
               idx_bytes(0x803, {count, 28, 28}, pixels));
    write_gzip(folder / (part + "-labels-idx1-ubyte.gz"), idx_bytes(0x801, {count}, labels));
  };
  write("train", num_training);
  write("t10k", num_test);
}

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_TESTS_GZIP_FILES_H_
