// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cuDNN: convolutions by its graph API.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_

#include <map>
#include <optional>

#include "cuda-cublas/device/dnn_graph.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/kernels/convolutions.hpp"

namespace patchbay::cuda {

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

  struct Plan {
    DnnDescriptor descriptor;
    std::uint64_t workspace_bytes;
  };

  DnnDescriptor descriptor(int kind) { return {*this, *table_, kind}; }
  DnnDescriptor graph_of(const Problem& problem);
  /// Whether the algorithm is exact enough and gives equal bits each time.
  bool is_allowed(const Problem& problem, const DnnDescriptor& config);
  std::optional<Plan> find_plan(const Problem& problem, std::uint64_t most_workspace_bytes);
  std::optional<Plan> find_plan(const Problem& problem, const DnnDescriptor& graph, int mode,
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
