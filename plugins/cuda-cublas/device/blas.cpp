// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/blas.hpp"

#include <cstdlib>

#include "cuda-cublas/api/toolkit.hpp"

namespace patchbay::cuda {
namespace {

// The sizes that the library recommends: larger from sm_90 on, whose kernels split products more.
constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kLargeWorkspaceBytes = std::uint64_t{32} << 20;

/// Whether device memory may be exhausted: the library reports that by any of these codes.
bool is_full(BlasResult code) {
  return code == kBlasNotInitialized || code == kBlasAllocationFailed || code == kBlasInternalError;
}

}  // namespace

int capability_of(const card::DeviceInfo& info) {
  constexpr std::size_t kPrefix = 3;  // "sm_"
  return std::atoi(info.architecture.c_str() + kPrefix);
}

bool is_before_cuda_13(const card::DeviceInfo& info) { return capability_of(info) < 75; }

int blas_type_of(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F16: return kBlasF16;
    case PATCHBAY_BF16: return kBlasBf16;
    case PATCHBAY_F32: return kBlasF32;
    default: return kBlasF64;
  }
}

int blas_operation(bool is_transposed) {
  return is_transposed ? kBlasTransposed : kBlasNotTransposed;
}

BlasTable::BlasTable(plugin::Host host, int driver_version) {
  Library library = card::library_of(host, kSetting, toolkit_files("cublas", driver_version));
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_BLAS_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  file = library.path();
  if (library.is_complete()) return;
  plugin::unsupported("no cuBLAS: " + library.why() + ". " + card::remedy_of(host, kSetting));
}

Blas::~Blas() {
  if (handle_ != nullptr) context().call_quietly(table_->destroy, handle_);
}

/// No version multiplies bf16 on cards before sm_70.
bool Blas::takes(std::uint8_t dtype) const {
  return dtype != PATCHBAY_BF16 || capability_of(info_) >= 70;
}

std::uint64_t Blas::workspace_bytes() const {
  return capability_of(info_) >= 90 ? kLargeWorkspaceBytes : kWorkspaceBytes;
}

void Blas::create_handle() {
  NativeBlas handle = nullptr;
  const BlasResult code = context().attempt(table_->create, &handle);
  if (is_full(code)) throw_full(table_->create.name, code);
  if (code == kBlasArchitectureMismatch || code == kBlasNotSupported) {
    plugin::unsupported(std::string("this cuBLAS is not for ") + info_.architecture + ": " +
                        table_->create.name + " gives status " + std::to_string(code) +
                        ". Install one " +
                        (is_before_cuda_13(info_) ? "of CUDA 12" : "that knows it") +
                        ", or name it by the setting " + BlasTable::kSetting);
  }
  check({}, table_->create.name, code);
  try {
    // Otherwise the library may round parts of long sums to 16 bits.
    const int mode = (uses_tf32_ ? kBlasTf32Math : kBlasDefaultMath) | kBlasNoReducedSums;
    call({}, table_->set_math_mode, handle, mode);
  } catch (...) {
    context().call_quietly(table_->destroy, handle);
    throw;
  }
  handle_ = handle;
}

void Blas::begin(card::Stream& stream, plugin::Memory workspace, std::uint64_t workspace_bytes,
                 std::string_view name) {
  call(name, table_->set_stream, handle_, stream.native());
  if (workspace.base == nullptr) return;
  // After set_stream, which resets the workspace to the library's own.
  call(name, table_->set_workspace, handle_, card::pointer_to<void>(workspace),
       static_cast<std::size_t>(workspace_bytes));
}

void Blas::multiply_batch(const card::Product& p, std::string_view name) {
  using Step = long long;  // NOLINT(google-runtime-int): the library's
  const int type = blas_type_of(p.dtype), type_of_c = blas_type_of(p.result_dtype());
  call(name, table_->gemm, handle_, blas_operation(p.a.transposed), blas_operation(p.b.transposed),
       p.m, p.n, p.k, p.alpha, card::pointer_to<const void>(p.a.memory), type, p.a.leading,
       Step{p.a.next}, card::pointer_to<const void>(p.b.memory), type, p.b.leading, Step{p.b.next},
       p.beta, card::pointer_to<void>(p.c.memory), type_of_c, p.c.leading, Step{p.c.next}, p.count,
       p.dtype == PATCHBAY_F64 ? kBlasComputeF64 : kBlasComputeF32, kBlasDefaultAlgorithm);
}

}  // namespace patchbay::cuda
