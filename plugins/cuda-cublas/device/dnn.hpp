// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cuDNN: convolutions by its graph API.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cuda-cublas/api/dnn_api.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/kernels/convolutions.hpp"

namespace patchbay::cuda {

/// The functions of the library, which stays loaded.
struct DnnTable {
  /// Throws `unsupported` with the reason and what to install.
  DnnTable(plugin::Host host, int driver_version);

#define PATCHBAY_CUDA_MEMBER(member, symbol, parameters) \
  card::Entry<int parameters> member{#symbol, nullptr};
  PATCHBAY_DNN_ENTRIES(PATCHBAY_CUDA_MEMBER)
#undef PATCHBAY_CUDA_MEMBER
  /// Whether convolutions of f32 may round their operands, as the user has asked.
  bool uses_tf32 = false;
};

class Dnn : public card::Convolutions {
 public:
  Dnn(card::Context& context, plugin::Host host, card::Lazy<DnnTable>& library)
      : Convolutions(context), host_(host), library_(library) {}
  ~Dnn() override;

  bool is_preferred(const Problem& problem) const override;

 protected:
  void open_library() override;
  void create_handle() override;
  bool run(card::Stream& stream, const Problem& problem, const Operands& operands,
           std::string_view name) override;
  int out_of_memory_status() const override { return kDnnDeviceAllocationFailed; }
  const char* library_name() const override { return "cuDNN"; }
  std::uint32_t absence_level() const override;

 private:
  /// The setting cuda_convolutions.
  enum class Choice { kAuto, kOwn, kDnn, kWinograd };

  /// Owns a descriptor of the library.
  class Descriptor {
   public:
    Descriptor() = default;
    Descriptor(Dnn& dnn, int kind);
    Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(dnn_, other.dnn_);
      std::swap(native_, other.native_);
      return *this;
    }
    ~Descriptor();

    DnnDescriptor native() const { return native_; }
    template <std::size_t N, class T>
    Descriptor& set(int attribute, int type, const std::array<T, N>& values) {
      return set(attribute, type, N, values.data());
    }
    template <class T>
    Descriptor& set(int attribute, int type, T value) {
      return set(attribute, type, std::array{value});
    }
    Descriptor& set(int attribute, const Descriptor& value) {
      return set(attribute, kDnnTypeDescriptor, value.native_);
    }
    /// 1 and 0, in the type in which the library sums: it reads them as that.
    Descriptor& set_factors(int alpha, int beta, bool is_f64);
    /// Returns how many values there are; at most `most` are written.
    std::int64_t get(int attribute, int type, std::int64_t most, void* values) const;
    /// Ends a chain of `set`: finalizes the descriptor and moves it out.
    Descriptor finalized();

   private:
    Descriptor& set(int attribute, int type, std::int64_t count, const void* values);

    Dnn* dnn_ = nullptr;
    DnnDescriptor native_ = nullptr;
  };
  struct Plan {
    Descriptor descriptor;
    std::uint64_t workspace_bytes;
  };

  Descriptor graph_of(const Problem& problem);
  /// Whether the algorithm is exact enough and gives equal bits each time.
  bool is_allowed(const Problem& problem, const Descriptor& config);
  std::optional<Plan> find_plan(const Problem& problem, std::uint64_t most_workspace_bytes);
  std::optional<Plan> find_plan(const Problem& problem, const Descriptor& graph, int mode,
                                std::uint64_t most_workspace_bytes);

  const plugin::Host host_;
  card::Lazy<DnnTable>& library_;
  const DnnTable* table_ = nullptr;
  Choice choice_ = Choice::kAuto;
  NativeDnn handle_ = nullptr;
  std::map<Problem, std::optional<Plan>> plans_;  // empty: the library has none
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_
