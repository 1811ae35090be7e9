// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/device/blas.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "hip/api/driver.hpp"
#include "hip/api/toolkit.hpp"
#include "kit/library/search.hpp"

namespace patchbay::hip {
namespace {

// For the kernels that split a product along its depth. Not measured on hardware.
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{4} << 20;

int operation(const card::Product::Matrix& matrix) {
  return matrix.transposed ? kBlasTransposed : kBlasNotTransposed;
}

int type_of(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F16: return kBlasF16;
    case PATCHBAY_BF16: return kBlasBf16;
    case PATCHBAY_F32: return kBlasF32;
    default: return kBlasF64;
  }
}

/// Whether device memory may be exhausted: the library reports that by any of these codes.
bool is_full(BlasResult code) {
  return code == kBlasInvalidHandle || code == kBlasMemoryError || code == kBlasInternalError;
}

/// The versions that were built for the driver's.
std::vector<int> versions_for(int driver_version) {
  switch (major_version(driver_version)) {
    case 5: return {3, 0};
    case 6: return {4};
    default: return {5};
  }
}

bool is_readable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

/// Where the library looks for its kernels: the first is the usual place, the others are those of
/// distributions that keep several versions.
std::vector<std::string> kernel_folders(const std::string& library_file) {
  if (std::string set = environment("ROCBLAS_TENSILE_LIBPATH"); !set.empty()) return {set};
  const std::string folder = std::filesystem::path(library_file).parent_path();
  for (const char* place : {"/../../Tensile/library", "/library", "/../rocblas/library"}) {
    if (is_readable(folder + place)) return {folder + place};
  }
  std::vector<std::string> folders = matching_folders(folder + "/rocblas/*/library");
  folders.insert(folders.begin(), folder + "/rocblas/library");
  return folders;
}

/// Whether the library has kernels for the card. Without, its first product ends the process.
bool has_kernels(std::string folder, const std::string& processor) {
  if (is_readable(folder + "/" + processor)) folder += "/" + processor;
  for (const std::string& list : {"_lazy_" + processor, "_" + processor, std::string()}) {
    if (is_readable(folder + "/TensileLibrary" + list + ".dat")) return true;
  }
  return false;
}

}  // namespace

BlasTable::BlasTable(plugin::Host host, int driver_version) {
  Library library =
      card::library_of(host, kSetting, companion_files("rocblas", versions_for(driver_version)),
                       &Library::loaded_or_first_of);
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_HIP_BLAS_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  library.optional("hipStreamSynchronize", stream_synchronize);
  library.optional(set_math_mode.name, set_math_mode.function);
  file = library.path();
  if (plugin::is_on(host, kXf32Setting) && library && set_math_mode.function == nullptr) {
    host.log(PATCHBAY_LOG_WARNING,
             "hip_xf32: this rocBLAS knows no such products, which stay exact");
  }
  if (library.is_complete()) return;
  plugin::unsupported("no rocBLAS: " + library.why() + ". " + card::remedy_of(host, kSetting));
}

Blas::~Blas() {
  if (handle_ != nullptr) context().call_quietly(table_->destroy, handle_);
}

void Blas::open_library() {
  const BlasTable& table = library_.get();
  if (table.stream_synchronize != context().api().stream_synchronize.function) {
    plugin::unsupported("the rocBLAS found works with another version of the driver");
  }
  const std::string processor = architecture_.substr(0, architecture_.find(':'));
  const std::vector<std::string> folders = kernel_folders(table.file);
  const auto has = [&](const std::string& folder) { return has_kernels(folder, processor); };
  if (!table.file.empty() && std::none_of(folders.begin(), folders.end(), has)) {
    plugin::unsupported("rocBLAS has no kernels for " + processor + " in " + folders[0]);
  }
  table_ = &table;
}

std::uint64_t Blas::workspace_bytes() const { return kWorkspaceBytes; }

void Blas::create_handle() {
  NativeBlas handle = nullptr;
  const BlasResult code = context().attempt(table_->create, &handle);
  if (is_full(code)) throw_full(table_->create.name, code);
  check({}, table_->create.name, code);
  try {
    call({}, table_->set_atomics, handle, kBlasNoAtomics);  // equal bits in each run
    if (uses_xf32_ && table_->set_math_mode.function != nullptr) {
      call({}, table_->set_math_mode, handle, kBlasXf32Math);
    }
  } catch (...) {
    context().call_quietly(table_->destroy, handle);
    throw;
  }
  handle_ = handle;
}

void Blas::begin(card::Stream& stream, plugin::Memory workspace, std::uint64_t workspace_bytes,
                 std::string_view name) {
  call(name, table_->set_stream, handle_, stream.native());
  // Without memory the library allocates its own. To say so again would free that, and wait.
  const bool is_given = workspace.base != nullptr;
  if (!is_given && !has_workspace_) return;
  call(name, table_->set_workspace, handle_, card::pointer_to<void>(workspace),
       static_cast<std::size_t>(is_given ? workspace_bytes : 0));
  has_workspace_ = is_given;
}

void Blas::multiply_batch(const card::Product& p, std::string_view name) {
  const int type = type_of(p.dtype), type_of_c = type_of(p.result_dtype());
  void* const out = card::pointer_to<void>(p.c.memory);
  call(name, table_->gemm, handle_, operation(p.a), operation(p.b), p.m, p.n, p.k, p.alpha,
       card::pointer_to<const void>(p.a.memory), type, p.a.leading, p.a.next,
       card::pointer_to<const void>(p.b.memory), type, p.b.leading, p.b.next, p.beta, out,
       type_of_c, p.c.leading, p.c.next, out, type_of_c, p.c.leading, p.c.next, p.count,
       p.dtype == PATCHBAY_F64 ? kBlasF64 : kBlasF32, kBlasStandardAlgorithm, 0, 0u);
}

}  // namespace patchbay::hip
