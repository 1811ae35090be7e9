// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/safetensors.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/copy.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/nn/files/tensor_bytes.h"

namespace patchbay::nn {

using base::raise;

namespace files {

OpenSafetensors::OpenSafetensors(const std::filesystem::path& path, std::string_view operation,
                                 bool maps)
    : file(path, operation), header(read_header(file)) {
  for (const Safetensors::Entry& entry : header.entries) by_name.emplace(entry.name, &entry);
  if (maps) mapping = std::make_shared<const Mapping>(file);
}

Safetensors OpenSafetensors::handle(const std::filesystem::path& path, std::string_view operation) {
  return Safetensors(std::make_shared<const OpenSafetensors>(path, operation, /*maps=*/false));
}

bool OpenSafetensors::are_equal(const Safetensors::Entry& a, const Safetensors::Entry& b) const {
  const Staging of_a(a.size_bytes), of_b(a.size_bytes);
  for (std::uint64_t done = 0; done < a.size_bytes;) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(of_a.size(), a.size_bytes - done));
    file.read(a.offset_bytes + done, of_a.data(), size);
    file.read(b.offset_bytes + done, of_b.data(), size);
    if (!std::equal(of_a.data(), of_a.data() + size, of_b.data())) return false;
    done += size;
  }
  return true;
}

HostTable OpenSafetensors::read_table(const Safetensors::Entry& entry) const {
  HostTable table{entry.shape, std::vector<double>(entry.size_bytes / sizeof(double))};
  file.read(entry.offset_bytes, table.values.data(), entry.size_bytes);
  return table;
}

}  // namespace files

namespace {

void check_bools(const std::byte* values, std::size_t size, const std::string& name,
                 const files::ReadFile& file) {
  const std::optional<int> wrong = files::wrong_bool(values, size);
  if (!wrong) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] tensor {} of {} has a wrong bool: expected 0 or 1, got {}. {}", file.operation(),
        base::quote(name), base::quote(file.path().native()), *wrong, files::kSaveAgain);
}

const Safetensors::Entry& entry_of(const files::OpenSafetensors& open, std::string_view name) {
  const auto found = open.by_name.find(name);
  if (found != open.by_name.end()) return *found->second;
  raise(ErrorCode::kInvalidArgument,
        "[{}] no such tensor in {}: expected one of its {} names, got {}. entries() lists them.",
        open.file.operation(), base::quote(open.file.path().native()), open.header.entries.size(),
        base::quote(name));
}

void check_readable(const Safetensors::Entry& entry, const files::ReadFile& file) {
  if (entry.is_readable) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] can't read tensor {} of {}: Patchbay has no dtype {}. Read the others, or save it "
        "with another dtype.",
        file.operation(), base::quote(entry.name), base::quote(file.path().native()),
        base::quote(entry.dtype_name));
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
    if (is_bool) check_bools(to, entry.size_bytes, entry.name, file);
    return result;
  }
  const files::Staging staging(entry.size_bytes);
  for (std::uint64_t done = 0; done < entry.size_bytes;) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(staging.size(), entry.size_bytes - done));
    file.read(entry.offset_bytes + done, staging.data(), size);
    if (is_bool) check_bools(staging.data(), size, entry.name, file);
    copy_from_host({buffer, result.offset_bytes() + done, size}, staging.data());
    done += size;
  }
  return result;
}

/// The tensor in the mapped file, which it keeps; undefined if it can't be there.
Tensor borrow_entry(const files::OpenSafetensors& open, const Safetensors::Entry& entry,
                    const Device& device) {
  std::byte* const at = open.mapping->data() + entry.offset_bytes;
  if (!device.properties().host_addressable || entry.size_bytes == 0 ||
      entry.offset_bytes % size_bytes(entry.dtype) != 0) {
    return {};
  }
  if (entry.dtype == DType::boolean) check_bools(at, entry.size_bytes, entry.name, open.file);
  return wrap_host(at, entry.dtype, entry.shape, device, [kept = open.mapping] {});
}

}  // namespace

// --------------------------------------------------------------------------------- reading ---

Safetensors::Safetensors(const std::filesystem::path& file, const SafetensorsOptions& options)
    : file_(std::make_shared<const files::OpenSafetensors>(file, "Safetensors", options.map)) {}

Safetensors::Safetensors(std::shared_ptr<const files::OpenSafetensors> file)
    : file_(std::move(file)) {}

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
  const Entry& entry = this->entry(name);
  check_readable(entry, file_->file);
  if (file_->mapping != nullptr) {
    if (Tensor borrowed = borrow_entry(*file_, entry, device); borrowed.defined()) return borrowed;
  }
  return read_entry(file_->file, entry, device);
}

Tensor Safetensors::read(std::string_view name) const {
  return read(name, files::host_device({}, file_->file.operation()));
}

void Safetensors::read_into(std::string_view name, const Tensor& to) const {
  const Entry& entry = this->entry(name);
  check_readable(entry, file_->file);
  if (!to.defined()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the tensor to read {} into is undefined: expected one of its dtype and shape. Use "
          "read for a new one.",
          file_->file.operation(), base::quote(name));
  }
  if (to.dtype() != entry.dtype) {
    raise(ErrorCode::kDtypeMismatch,
          "[{}] tensor {} has another dtype: expected {}, got {}. Use read for a new tensor, and "
          "cast it.",
          file_->file.operation(), base::quote(name), patchbay::to_string(to.dtype()),
          patchbay::to_string(entry.dtype));
  }
  if (to.shape() != entry.shape) {
    raise(ErrorCode::kShapeMismatch,
          "[{}] tensor {} has another shape: expected {}, got {}. Use read for a new tensor.",
          file_->file.operation(), base::quote(name), patchbay::to_string(to.shape()),
          patchbay::to_string(entry.shape));
  }
  const NoGrad no_grad;
  to.copy_from(read_entry(file_->file, entry, to.device()));
}

TensorMap load_safetensors(const std::filesystem::path& file) {
  return load_safetensors(file, files::host_device({}, "load_safetensors"));
}

TensorMap load_safetensors(const std::filesystem::path& file, const Device& device) {
  const Safetensors opened = files::OpenSafetensors::handle(file, "load_safetensors");
  for (const Safetensors::Entry& entry : opened.entries()) {
    check_readable(entry, files::OpenSafetensors::of(opened).file);
  }
  TensorMap tensors;
  for (const Safetensors::Entry& entry : opened.entries()) {
    tensors.emplace(entry.name, opened.read(entry.name, device));
  }
  return tensors;
}

// --------------------------------------------------------------------------------- writing ---

void files::write_safetensors(const std::filesystem::path& file, const TensorMap& tensors,
                              const std::map<std::string, std::string>& metadata,
                              std::string_view operation, const HostTables& tables) {
  std::vector<Safetensors::Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    if (name == files::kMetadataName) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] no tensor may be called {}, which the format uses: expected another name. Rename "
            "it.",
            operation, base::quote(name));
    }
    if (!tensor.defined()) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] tensor {} is undefined: expected one with a value. Compute it first, or leave it "
            "out.",
            operation, base::quote(name));
    }
    if (tensor.dtype() == DType::c128) {
      raise(ErrorCode::kDtypeMismatch,
            "[{}] tensor {} has the dtype c128, which the format lacks. Cast it to c64, or save "
            "view_as_real of it.",
            operation, base::quote(name));
    }
    entries.push_back({name, tensor.dtype(), tensor.shape(), 0, tensor.size_bytes()});
  }
  for (const auto& [name, table] : tables) {
    const std::uint64_t size = table.values.size() * sizeof(double);
    entries.push_back({name, DType::f64, table.shape, 0, size});
  }
  // The widest elements first, so that each tensor begins at a multiple of its element.
  std::ranges::stable_sort(entries, [](const auto& a, const auto& b) {
    return size_bytes(a.dtype) > size_bytes(b.dtype);
  });
  const std::string header = files::header_of(entries, metadata, operation);
  files::AtomicFile out(file, operation);
  out.write(header.data(), header.size());
  for (const Safetensors::Entry& entry : entries) {
    if (const auto table = tables.find(entry.name); table != tables.end()) {
      out.write(table->second.values.data(), entry.size_bytes);
    } else {
      files::write_tensor(out, tensors.at(entry.name));
    }
  }
  out.commit();
}

void save_safetensors(const std::filesystem::path& file, const TensorMap& tensors,
                      const std::map<std::string, std::string>& metadata) {
  files::write_safetensors(file, tensors, metadata, "save_safetensors");
}

}  // namespace patchbay::nn
