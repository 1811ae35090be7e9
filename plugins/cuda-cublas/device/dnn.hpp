// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// cuDNN: convolutions and attention by its graph API.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_

#include "cuda-cublas/device/choices.hpp"
#include "cuda-cublas/device/dnn_graph.hpp"
#include "kit/card/api/lazy.hpp"
#include "kit/card/kernels/dnn_library.hpp"
#include "kit/card/kernels/plan_cache.hpp"

namespace patchbay::cuda {

class Dnn : public card::DnnLibrary {
 public:
  Dnn(card::Context& context, const Choices& choices, card::Lazy<DnnTable>& library)
      : DnnLibrary(context), choices_(choices), library_(library) {}
  ~Dnn() override;

  bool takes_convolutions() const override { return choices_.convolutions != Choice::kOwn; }
  bool takes_attention() const override { return choices_.has_dnn_attention; }
  bool is_preferred(const card::ConvolutionProblem& problem) const override;

 protected:
  void open_library() override { table_ = &library_.get(); }
  void create_handle() override;
  bool run(card::Stream& stream, const card::ConvolutionProblem& problem,
           const card::ConvolutionOperands& operands, std::string_view name) override;
  bool run(card::Stream& stream, const card::AttentionProblem& problem,
           const card::AttentionOperands& operands, std::string_view name) override;
  int out_of_memory_status() const override { return kDnnDeviceAllocationFailed; }
  const char* library_name() const override { return "cuDNN"; }
  const char* setting() const override { return DnnTable::kSetting; }
  const std::string& library_file() const override { return table_->file; }
  std::uint32_t absence_level() const override;

 private:
  using Choice = Choices::Convolutions;
  template <class Problem>
  using Plans = card::PlanCache<Problem, DnnPlan>;

  DnnGraphs graphs() { return {*this, *table_, handle_}; }
  /// Whether an algorithm with that numerical note is exact enough and gives equal bits each time.
  bool is_allowed(std::uint8_t dtype, int note) const;
  /// Null if there is none that needs no larger workspace. If a graph records the stream, the plan
  /// is kept for the graph, whose replays run the plan's code.
  template <class Problem>
  std::shared_ptr<const DnnPlan> plan_for(card::Stream& stream, Plans<Problem>& plans,
                                          const Problem& problem,
                                          std::uint64_t most_workspace_bytes);

  const Choices& choices_;
  card::Lazy<DnnTable>& library_;
  const DnnTable* table_ = nullptr;
  NativeDnn handle_ = nullptr;
  Plans<card::ConvolutionProblem> convolutions_;
  Plans<card::AttentionProblem> attention_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DNN_HPP_
