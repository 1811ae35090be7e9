// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Reader of gzipped idx files, the format of the MNIST family: two zero bytes, the element type,
// the rank, the extents (big-endian u32), then the elements.
#ifndef PATCHBAY_EXAMPLES_COMMON_IDX_H_
#define PATCHBAY_EXAMPLES_COMMON_IDX_H_

#include <cstdint>
#include <filesystem>
#include <vector>

namespace examples {

struct IdxArray {
  std::vector<std::uint32_t> dims;
  std::vector<std::uint8_t> values;  // row-major
};

/// What an idx file may hold at most; a header that promises more is refused.
inline constexpr std::uint64_t kMaxIdxBytes = std::uint64_t{256} << 20;

/// Reads an array of unsigned bytes of that rank (1 to 8). Nothing in the file is trusted: memory
/// grows with the data that is really there, and the gzip checksum is verified.
/// Errors (patchbay::Error, one line with the file's name): kIo if the file can't be read,
/// kInvalidArgument for what is wrong in it.
IdxArray read_idx(const std::filesystem::path& file, int rank);

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_IDX_H_
