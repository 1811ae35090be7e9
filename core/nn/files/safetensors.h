// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of safetensors for other calls: 8 bytes with the length of the header, the header as JSON,
// then the tensors' bytes, without holes (github.com/huggingface/safetensors). Errors name
// `operation`, the call that the user made.
#ifndef PATCHBAY_CORE_NN_FILES_SAFETENSORS_H_
#define PATCHBAY_CORE_NN_FILES_SAFETENSORS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patchbay/nn/safetensors.h"

#include "core/nn/files/file.h"

namespace patchbay::nn::files {

// The header.
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

// The file.
/// A table of f64 in host memory, for which no device is needed.
struct HostTable {
  Shape shape;
  std::vector<double> values;  // in row-major order
};
using HostTables = std::map<std::string, HostTable>;

struct OpenSafetensors {
  OpenSafetensors(const std::filesystem::path& path, std::string_view operation, bool maps);
  static Safetensors handle(const std::filesystem::path& path, std::string_view operation);
  static const OpenSafetensors& of(const Safetensors& file) { return *file.file_; }

  /// Whether both entries have the same bytes; their sizes are equal. Errors: kIo.
  bool are_equal(const Safetensors::Entry& a, const Safetensors::Entry& b) const;
  /// The entry is of f64. Errors: kIo.
  HostTable read_table(const Safetensors::Entry& entry) const;

  const ReadFile file;
  const SafetensorsHeader header;
  std::shared_ptr<const Mapping> mapping;  // null unless wanted
  std::unordered_map<std::string_view, const Safetensors::Entry*> by_name;
};

/// save_safetensors, of tensors and tables, which have different names.
void write_safetensors(const std::filesystem::path& file, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata,
                       std::string_view operation, const HostTables& tables = {});

}  // namespace patchbay::nn::files

#endif  // PATCHBAY_CORE_NN_FILES_SAFETENSORS_H_
