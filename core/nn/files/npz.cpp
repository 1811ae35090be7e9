// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// npz: a zip file with an npy file for each array.
#include <algorithm>
#include <exception>
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

std::string_view without_suffix(std::string_view name) {
  return name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

}  // namespace

struct files::OpenNpz {
  OpenNpz(const std::filesystem::path& path, const ReadOptions& options, std::string_view operation)
      : device(host_device(options.device, operation)),
        most_bytes(options.most_bytes),
        file(path, operation),
        subject{std::string(operation), "npz", base::quote(path.string())},
        entries(read_zip_directory(file, subject)) {
    check_limit(entries, most_bytes, subject);
    for (const ZipEntry& entry : entries) names.emplace_back(without_suffix(entry.name));
  }

  Tensor read(const ZipEntry& entry) const;
  /// The array of that name, else another file; null if there is neither.
  const ZipEntry* find(std::string_view name) const {
    for (const std::string& each : {std::string(name).append(kSuffix), std::string(name)}) {
      const auto found = std::ranges::find(entries, each, &ZipEntry::name);
      if (found != entries.end()) return &*found;
    }
    return nullptr;
  }

  const Device device;
  const std::uint64_t most_bytes;
  const ReadFile file;
  const Subject subject;
  const std::vector<ZipEntry> entries;
  std::vector<std::string> names;  // of the entries
};

Tensor files::OpenNpz::read(const ZipEntry& entry) const {
  Subject here = subject;
  here.place += ": " + base::quote(entry.name);
  if (!entry.name.ends_with(kSuffix)) {
    here.refuse("no array: expected a name that ends with .npy. Save arrays with numpy.savez.");
  }
  const std::uint64_t end = entry.data_at + entry.stored_bytes;
  std::unique_ptr<Source> source;
  if (entry.is_deflated) {
    source = std::make_unique<InflatedSource>(std::move(here), file, entry.data_at, end,
                                              Compression::kDeflate);
  } else {
    source = std::make_unique<FileSource>(std::move(here), file, entry.data_at, end);
  }
  CheckedSource checked(*source, entry.size_bytes, entry.crc);
  const Elements elements = read_npy_header(checked);
  return read_elements(checked, elements, most_bytes, device);
}

Npz::Npz(const std::filesystem::path& path, const ReadOptions& options)
    : file_(std::make_shared<const files::OpenNpz>(path, options, "Npz")) {}

const std::vector<std::string>& Npz::names() const { return file_->names; }

bool Npz::has(std::string_view name) const { return file_->find(name) != nullptr; }

Tensor Npz::read(std::string_view name) const {
  if (const files::ZipEntry* const entry = file_->find(name)) return file_->read(*entry);
  base::raise(
      ErrorCode::kInvalidArgument,
      "[Npz] no such array in {}: expected one of its {} names, got {}. names() lists them.",
      base::quote(file_->file.path().native()), names().size(), base::quote(name));
}

std::map<std::string, Tensor> read_npz(const std::filesystem::path& path,
                                       const ReadOptions& options) {
  const files::OpenNpz open(path, options, "read_npz");
  std::map<std::string, Tensor> arrays;
  std::exception_ptr refusal;  // the first one
  for (std::size_t i = 0; i < open.entries.size(); ++i) {
    try {
      arrays.emplace(open.names[i], open.read(open.entries[i]));
    } catch (const files::NoSuchTensors&) {
      if (!refusal) refusal = std::current_exception();
    }
  }
  if (arrays.empty() && refusal) std::rethrow_exception(refusal);
  return arrays;
}

}  // namespace patchbay::nn
