// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// rocBLAS.
#ifndef PATCHBAY_PLUGINS_HIP_DEVICE_BLAS_HPP_
#define PATCHBAY_PLUGINS_HIP_DEVICE_BLAS_HPP_

#include <string>
#include <utility>

#include "hip/api/blas_api.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/kernels/products.hpp"

namespace patchbay::hip {

/// The functions of the library, which stays loaded.
struct BlasTable {
  static constexpr const char* kSetting = "hip_blas_library";  // names the file
  /// 1 if products of f32 may round their operands to 10 bits of fraction.
  static constexpr const char* kXf32Setting = "hip_xf32";

  /// Throws `unsupported` with the reason and what to install.
  BlasTable(plugin::Host host, int driver_version);

  std::string file;  // where it was found
#define PATCHBAY_HIP_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_HIP_BLAS_ENTRIES(PATCHBAY_HIP_MEMBER)
  PATCHBAY_HIP_BLAS_LATER_ENTRIES(PATCHBAY_HIP_MEMBER)
#undef PATCHBAY_HIP_MEMBER
  /// The driver's entry that the library itself calls: of the driver in use, or of another version.
  int (*stream_synchronize)(card::NativeStream) = nullptr;
};

class Blas : public card::Products {
 public:
  /// `architecture`: the compiler's name, with features.
  Blas(card::Context& context, std::string architecture, bool uses_xf32,
       card::Lazy<BlasTable>& library)
      : Products(context),
        architecture_(std::move(architecture)),
        uses_xf32_(uses_xf32),
        library_(library) {}
  ~Blas() override;

  std::uint64_t workspace_bytes() const override;

 protected:
  void open_library() override;
  void create_handle() override;
  void begin(card::Stream& stream, plugin::Memory workspace, std::uint64_t workspace_bytes,
             std::string_view name) override;
  void multiply_batch(const card::Product& product, std::string_view name) override;
  int out_of_memory_status() const override { return kBlasMemoryError; }
  const char* library_name() const override { return "rocBLAS"; }
  const char* setting() const override { return BlasTable::kSetting; }
  const std::string& library_file() const override { return table_->file; }

 private:
  const std::string architecture_;
  const bool uses_xf32_;
  card::Lazy<BlasTable>& library_;
  const BlasTable* table_ = nullptr;
  NativeBlas handle_ = nullptr;
  bool has_workspace_ = false;
};

}  // namespace patchbay::hip

#endif  // PATCHBAY_PLUGINS_HIP_DEVICE_BLAS_HPP_
