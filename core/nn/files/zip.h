// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The directory of a zip file (PKWARE's APPNOTE.TXT), with zip64, read without trust: entries do
// not overlap, and say the same in the directory and before their data.
#ifndef PATCHBAY_CORE_NN_FILES_ZIP_H_
#define PATCHBAY_CORE_NN_FILES_ZIP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/files/file.h"
#include "core/nn/files/subject.h"

namespace patchbay::nn::files {

struct ZipEntry {
  std::string name;
  bool is_deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t stored_bytes = 0;  // in the file
  std::uint64_t size_bytes = 0;
  std::uint64_t header_at = 0, data_at = 0;
};

/// In the order of their places. Errors: kInvalidArgument for what the format does not allow,
/// encryption, other methods than store and deflate, several disks, and names that occur twice.
std::vector<ZipEntry> read_zip_directory(const ReadFile& file, const Subject& subject);

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_ZIP_H_
