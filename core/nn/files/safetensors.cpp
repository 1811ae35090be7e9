// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/safetensors.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/copy.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/nn/files/file.h"
#include "core/nn/files/safetensors_header.h"
#include "core/nn/files/text.h"

namespace patchbay::nn {

using runtime::raise;

namespace files {

struct OpenSafetensors {
  OpenSafetensors(const std::filesystem::path& path, std::string_view operation)
      : file(path, operation), header(read_header(file, operation)) {
    for (const Safetensors::Entry& entry : header.entries) by_name.emplace(entry.name, &entry);
  }

  const ReadFile file;
  const SafetensorsHeader header;
  std::unordered_map<std::string_view, const Safetensors::Entry*> by_name;
};

}  // namespace files

namespace {

using files::in_quotes;

constexpr std::size_t kStagingBytes = std::size_t{1} << 20;

/// Memory for bytes on their way, as large as is needed.
class Staging {
 public:
  explicit Staging(std::uint64_t wanted)
      : size_(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, kStagingBytes))),
        bytes_(std::make_unique<std::byte[]>(size_)) {}

  std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

void check_bools(const std::byte* values, std::size_t size, const std::string& name,
                 const std::filesystem::path& path) {
  const auto* const wrong =
      std::find_if(values, values + size, [](std::byte value) { return value > std::byte{1}; });
  if (wrong == values + size) return;
  raise(ErrorCode::kInvalidArgument,
        "[Safetensors] tensor {} of '{}' has a wrong bool: expected 0 or 1, got {}",
        in_quotes(name), path.string(), std::to_integer<int>(*wrong));
}

const Safetensors::Entry& entry_of(const files::OpenSafetensors& open, std::string_view name) {
  const auto found = open.by_name.find(name);
  if (found != open.by_name.end()) return *found->second;
  raise(ErrorCode::kInvalidArgument,
        "[Safetensors] no such tensor in '{}': expected one of its {} names, got {}",
        open.file.path().string(), open.header.entries.size(), in_quotes(name));
}

/// Errors: as read.
Tensor read_entry(const files::ReadFile& file, const Safetensors::Entry& entry,
                  const Device& device) {
  Tensor result = empty(entry.shape, {entry.dtype, device});
  const bool is_bool = entry.dtype == DType::boolean;
  const Buffer buffer = result.buffer();
  if (entry.size_bytes == 0) return result;
  if (buffer.is_host_addressable()) {
    auto* const to = static_cast<std::byte*>(buffer.host_pointer()) + result.offset_bytes();
    file.read(entry.offset_bytes, to, entry.size_bytes);
    if (is_bool) check_bools(to, entry.size_bytes, entry.name, file.path());
    return result;
  }
  const Staging staging(entry.size_bytes);
  for (std::uint64_t done = 0; done < entry.size_bytes;) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(staging.size(), entry.size_bytes - done));
    file.read(entry.offset_bytes + done, staging.data(), size);
    if (is_bool) check_bools(staging.data(), size, entry.name, file.path());
    copy_from_host({buffer, result.offset_bytes() + done, size}, staging.data());
    done += size;
  }
  return result;
}

}  // namespace

// --------------------------------------------------------------------------------- reading ---

Safetensors::Safetensors(const std::filesystem::path& file)
    : file_(std::make_shared<const files::OpenSafetensors>(file, "Safetensors")) {}

const std::vector<Safetensors::Entry>& Safetensors::entries() const {
  return file_->header.entries;
}

const std::map<std::string, std::string>& Safetensors::metadata() const {
  return file_->header.metadata;
}

const Safetensors::Entry& Safetensors::entry(std::string_view name) const {
  return entry_of(*file_, name);
}

bool Safetensors::has(std::string_view name) const { return file_->by_name.contains(name); }

Tensor Safetensors::read(std::string_view name, const Device& device) const {
  return read_entry(file_->file, entry(name), device);
}

void Safetensors::read_into(std::string_view name, const Tensor& to) const {
  const Entry& entry = this->entry(name);
  if (!to.defined()) {
    raise(ErrorCode::kInvalidArgument, "[Safetensors] the tensor to read {} into is undefined",
          in_quotes(name));
  }
  if (to.dtype() != entry.dtype) {
    raise(ErrorCode::kDtypeMismatch,
          "[Safetensors] tensor {} has another dtype: expected {}, got {}", in_quotes(name),
          patchbay::to_string(to.dtype()), patchbay::to_string(entry.dtype));
  }
  if (to.shape() != entry.shape) {
    raise(ErrorCode::kShapeMismatch,
          "[Safetensors] tensor {} has another shape: expected {}, got {}", in_quotes(name),
          patchbay::to_string(to.shape()), patchbay::to_string(entry.shape));
  }
  const NoGrad no_grad;
  to.copy_from(read_entry(file_->file, entry, to.device()));
}

TensorMap load_safetensors(const std::filesystem::path& file, const Device& device) {
  const Safetensors opened(file);
  TensorMap tensors;
  for (const Safetensors::Entry& entry : opened.entries()) {
    tensors.emplace(entry.name, opened.read(entry.name, device));
  }
  return tensors;
}

// --------------------------------------------------------------------------------- writing ---

namespace {

void write_tensor(files::AtomicFile& file, const Tensor& tensor) {
  const Tensor whole = tensor.detach().contiguous();
  const std::size_t all = whole.size_bytes();
  if (all == 0) return;
  const Staging staging(all);
  for (std::size_t done = 0; done < all;) {
    const std::size_t size = std::min(staging.size(), all - done);
    copy_to_host(staging.data(), {whole.buffer(), whole.offset_bytes() + done, size});
    file.write(staging.data(), size);
    done += size;
  }
}

}  // namespace

void save_safetensors(const std::filesystem::path& file, const TensorMap& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<Safetensors::Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (name == files::kMetadataName) {
      raise(ErrorCode::kInvalidArgument,
            "[save_safetensors] no tensor may be called {}, which the format uses",
            in_quotes(name));
    }
    if (!tensor.defined()) {
      raise(ErrorCode::kInvalidArgument, "[save_safetensors] tensor {} is undefined",
            in_quotes(name));
    }
    entries.push_back({name, tensor.dtype(), tensor.shape(), 0, tensor.size_bytes()});
  }
  // The widest elements first, so that each tensor begins at a multiple of its element.
  std::ranges::stable_sort(entries, [](const auto& a, const auto& b) {
    return size_bytes(a.dtype) > size_bytes(b.dtype);
  });
  const std::string header = files::header_of(entries, metadata, "save_safetensors");
  files::AtomicFile out(file, "save_safetensors");
  out.write(header.data(), header.size());
  for (const Safetensors::Entry& entry : entries) write_tensor(out, tensors.at(entry.name));
  out.commit();
}

// --------------------------------------------------------------------------------- modules ---

namespace {

std::vector<NamedParameter> state_of(Module& module) {
  std::vector<NamedParameter> all = module.named_parameters();
  for (NamedParameter& buffer : module.named_buffers()) all.push_back(std::move(buffer));
  return all;
}

/// "'a', 'b', 'c' and 4 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

void check_names(const std::vector<NamedParameter>& state, const Safetensors& file,
                 const std::filesystem::path& path) {
  std::vector<std::string> missing, superfluous;
  std::unordered_set<std::string_view> known;
  for (const NamedParameter& each : state) {
    known.insert(each.name);
    if (!file.has(each.name)) missing.push_back(each.name);
  }
  for (const Safetensors::Entry& entry : file.entries()) {
    if (!known.contains(entry.name)) superfluous.push_back(entry.name);
  }
  if (missing.empty() && superfluous.empty()) return;
  raise(ErrorCode::kInvalidArgument, "[load] '{}' has other tensors than the module:{}{}{}",
        path.string(), missing.empty() ? "" : " missing are " + listed(missing),
        missing.empty() || superfluous.empty() ? "" : ";",
        superfluous.empty() ? "" : " superfluous are " + listed(superfluous));
}

}  // namespace

void save(Module& module, const std::filesystem::path& file) {
  TensorMap tensors;
  for (const NamedParameter& each : state_of(module)) tensors.emplace(each.name, *each.parameter);
  save_safetensors(file, tensors);
}

void load(Module& module, const std::filesystem::path& path) {
  const Safetensors file(path);
  const std::vector<NamedParameter> state = state_of(module);
  check_names(state, file, path);
  for (const auto& [name, parameter] : state) {
    const Safetensors::Entry& entry = file.entry(name);
    if (parameter.dtype() != entry.dtype) {
      raise(ErrorCode::kDtypeMismatch, "[load] {} of '{}' has another dtype: expected {}, got {}",
            in_quotes(entry.name), path.string(), patchbay::to_string(parameter.dtype()),
            patchbay::to_string(entry.dtype));
    }
    if (parameter.defined() && parameter->shape() != entry.shape) {
      raise(ErrorCode::kShapeMismatch, "[load] {} of '{}' has another shape: expected {}, got {}",
            in_quotes(entry.name), path.string(), patchbay::to_string(parameter->shape()),
            patchbay::to_string(entry.shape));
    }
  }
  for (const NamedParameter& each : state) {
    if (each.parameter.defined()) {
      file.read_into(each.name, each.parameter);
    } else {
      each.parameter.set(file.read(each.name, each.parameter.device()));
    }
  }
}

}  // namespace patchbay::nn
