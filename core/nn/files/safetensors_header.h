// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The header of a file of safetensors: 8 bytes with its length, then JSON, then the tensors' bytes,
// without holes (github.com/huggingface/safetensors).
#ifndef PATCHBAY_CORE_NN_FILES_SAFETENSORS_HEADER_H_
#define PATCHBAY_CORE_NN_FILES_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/nn/safetensors.h"

#include "core/base/error.h"
#include "core/nn/files/file.h"

namespace patchbay::nn::files {

inline constexpr std::string_view kMetadataName = "__metadata__";
inline constexpr std::uint64_t kLengthBytes = 8, kMostHeaderBytes = 100'000'000;

/// Of an entry whose dtype Patchbay lacks.
inline constexpr auto kNoDType = static_cast<DType>(0xff);

struct SafetensorsHeader {
  std::vector<Safetensors::Entry> entries;  // in the order of their places
  std::map<std::string, std::string> metadata;
};

/// Reads the header in blocks, and stops at the first thing that is wrong. Errors:
/// kInvalidArgument.
SafetensorsHeader read_header(const ReadFile& file);

/// The name of a dtype in the format, and back; empty for none.
std::string_view format_name_of(DType dtype);

/// Length and JSON for tensors whose bytes follow each other in this order. Errors:
/// kInvalidArgument for texts that are not UTF-8 or contain NUL.
std::string header_of(const std::vector<Safetensors::Entry>& entries,
                      const std::map<std::string, std::string>& metadata,
                      std::string_view operation);

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_SAFETENSORS_HEADER_H_
