// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cuBLAS.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_BLAS_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_BLAS_HPP_

#include <string>

#include "cuda-cublas/api/blas_api.hpp"
#include "cuda-cublas/device/choices.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/context/device_info.hpp"
#include "kit/card/kernels/products.hpp"

namespace patchbay::cuda {

/// The functions of the library, which stays loaded.
struct BlasTable {
  static constexpr const char* kSetting = "cuda_blas_library";  // names the file

  /// Throws `unsupported` with the reason and what to install.
  BlasTable(plugin::Host host, int driver_version);

  std::string file;  // where it was found
#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_BLAS_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

/// The card's compute capability: 75 for sm_75.
int capability_of(const card::DeviceInfo& info);

/// Whether the libraries of CUDA 13 have no code for the card.
bool is_before_cuda_13(const card::DeviceInfo& info);

/// The library's numbers of a float dtype, and of an operand's operation.
int blas_type_of(std::uint8_t dtype);
int blas_operation(bool is_transposed);

class Blas : public card::Products {
 public:
  Blas(card::Context& context, const card::DeviceInfo& info, const Choices& choices,
       card::Lazy<BlasTable>& library)
      : Products(context), info_(info), uses_tf32_(choices.uses_tf32), library_(library) {}
  ~Blas() override;

  bool takes(std::uint8_t dtype) const override;
  std::uint64_t workspace_bytes() const override;

 protected:
  void open_library() override { table_ = &library_.get(); }
  void create_handle() override;
  void begin(card::Stream& stream, plugin::Memory workspace, std::uint64_t workspace_bytes,
             std::string_view name) override;
  void multiply_batch(const card::Product& product, std::string_view name) override;
  int out_of_memory_status() const override { return kBlasAllocationFailed; }
  const char* library_name() const override { return "cuBLAS"; }
  const char* setting() const override { return BlasTable::kSetting; }
  const std::string& library_file() const override { return table_->file; }

 private:
  const card::DeviceInfo& info_;
  const bool uses_tf32_;
  card::Lazy<BlasTable>& library_;
  const BlasTable* table_ = nullptr;
  NativeBlas handle_ = nullptr;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_BLAS_HPP_
