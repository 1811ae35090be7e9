// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// npz: a zip file with an npy file for each array.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/nn/arrays.h"

#include "core/base/error.h"
#include "core/nn/files/npy.h"
#include "core/nn/files/zip.h"

namespace patchbay::nn {
namespace {

constexpr std::string_view kSuffix = ".npy";

/// That few bytes do not stand for more than the caller wants.
void check_limit(const std::vector<files::ZipEntry>& entries, std::uint64_t most_bytes,
                 const files::Subject& subject) {
  std::uint64_t left = most_bytes;
  for (const files::ZipEntry& entry : entries) {
    if (!entry.is_deflated) continue;
    // What NumPy writes before the elements; read_elements looks at each array once more.
    constexpr std::uint64_t kHeaderBytes = 128;
    const std::uint64_t size = entry.size_bytes - std::min(entry.size_bytes, kHeaderBytes);
    if (size > left) {
      subject.fail("its arrays have more than {} bytes. Raise the option most_bytes.", most_bytes);
    }
    left -= size;
  }
}

Tensor read_array(const files::ReadFile& file, const files::ZipEntry& entry, files::Subject subject,
                  std::uint64_t most_bytes, const Device& device) {
  const std::uint64_t end = entry.data_at + entry.stored_bytes;
  std::unique_ptr<files::Source> source;
  if (entry.is_deflated) {
    source = std::make_unique<files::InflatedSource>(std::move(subject), file, entry.data_at, end,
                                                     files::Compression::kDeflate);
  } else {
    source = std::make_unique<files::FileSource>(std::move(subject), file, entry.data_at, end);
  }
  files::CheckedSource checked(*source, entry.size_bytes, entry.crc);
  const files::Elements elements = files::read_npy_header(checked);
  return files::read_elements(checked, elements, most_bytes, device);
}

}  // namespace

std::map<std::string, Tensor> read_npz(const std::filesystem::path& path,
                                       const ReadOptions& options) {
  const Device device = files::host_device(options.device, "read_npz");
  const files::ReadFile file(path, "read_npz");
  const files::Subject subject = {"read_npz", "npz", runtime::quote(path.string())};
  const std::vector<files::ZipEntry> entries = files::read_zip_directory(file, subject);
  check_limit(entries, options.most_bytes, subject);
  std::map<std::string, Tensor> arrays;
  for (const files::ZipEntry& entry : entries) {
    files::Subject here = subject;
    here.place += ": " + runtime::quote(entry.name);
    if (!entry.name.ends_with(kSuffix)) {
      here.fail("no array: expected a name that ends with .npy. Save arrays with numpy.savez.");
    }
    std::string name = entry.name.substr(0, entry.name.size() - kSuffix.size());
    arrays.emplace(std::move(name),
                   read_array(file, entry, std::move(here), options.most_bytes, device));
  }
  return arrays;
}

}  // namespace patchbay::nn
