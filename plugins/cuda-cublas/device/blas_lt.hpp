// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cuBLASLt: matrix products with a bias.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_BLAS_LT_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_BLAS_LT_HPP_

#include <memory>
#include <optional>
#include <string>

#include "cuda-cublas/api/blas_lt_api.hpp"
#include "cuda-cublas/device/choices.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/kernels/layers.hpp"
#include "kit/card/kernels/plan_cache.hpp"

namespace patchbay::cuda {

/// The functions of the library, which stays loaded.
struct BlasLtTable {
  static constexpr const char* kSetting = "cuda_blas_lt_library";  // names the file

  /// Throws `unsupported` with the reason and what to install.
  BlasLtTable(plugin::Host host, int driver_version);

  std::string file;  // where it was found
#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_BLAS_LT_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
};

class BlasLt : public card::Layers {
 public:
  BlasLt(card::Context& context, const Choices& choices, card::Lazy<BlasLtTable>& library)
      : Layers(context), uses_tf32_(choices.uses_tf32), library_(library) {}
  ~BlasLt() override;

 protected:
  void open_library() override { table_ = &library_.get(); }
  void create_handle() override;
  bool run(card::Stream& stream, const Problem& problem, const Operands& operands,
           std::string_view name) override;
  int out_of_memory_status() const override { return kBlasAllocationFailed; }
  const char* library_name() const override { return "cuBLASLt"; }
  const char* setting() const override { return BlasLtTable::kSetting; }
  const std::string& library_file() const override { return table_->file; }

 private:
  /// Destroys an object of the library by its entry.
  template <class T>
  struct Destroy {
    card::Context* context;
    const card::Entry<int(T*)>* entry;
    void operator()(T* native) const { context->call_quietly(*entry, native); }
  };
  template <class T>
  using Owned = std::unique_ptr<T, Destroy<T>>;

  struct Plan {
    Owned<MatmulObject> matmul;
    Owned<LayoutObject> a, b, c;
    MatmulAlgorithm algorithm{};
    std::uint64_t workspace_bytes = 0;
  };

  /// What `create` makes of the arguments.
  template <class T, class... P, class... A>
  Owned<T> made(const card::Entry<int(T**, P...)>& create, const card::Entry<int(T*)>& destroy,
                A... arguments) {
    T* native = nullptr;
    call({}, create, &native, arguments...);
    return Owned<T>(native, {&context(), &destroy});
  }
  Owned<LayoutObject> layout(int type, int rows, int columns, const Operand& operand);
  void set_bias(const Plan& plan, card::Address address, std::string_view name);
  /// Nothing if the library has no algorithm.
  std::optional<Plan> find_plan(const Problem& problem, plugin::Memory bias);
  bool find_algorithm(const Problem& problem, Plan& plan);

  const bool uses_tf32_;
  card::Lazy<BlasLtTable>& library_;
  const BlasLtTable* table_ = nullptr;
  NativeBlasLt handle_ = nullptr;
  card::PlanCache<Problem, Plan> plans_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_BLAS_LT_HPP_
