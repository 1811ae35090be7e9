// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/dnn.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace patchbay::cuda {
namespace {

/// Names of a graph's tensors.
constexpr std::int64_t kImages = 1, kWeight = 2, kWindows = 3;
constexpr std::int64_t kQuery = 1, kKey = 2, kValue = 3, kOut = 4, kScale = 5;

/// Whether the library's sums of f32 are faster than products, by measurement of the layers of
/// ResNet-50, ResNet-56 and two AlexNets on an H200.
bool is_faster(const card::ConvolutionProblem& problem, bool has_transforms) {
  constexpr std::int64_t kMostFilters = 128, kLeastResults = std::int64_t{3} << 18;
  constexpr std::int64_t kLeastWeightChannels = 32, kLeastInputChannels = 16;
  const std::int64_t most_input_channels = has_transforms ? 128 : 64;
  const Convolution& of = problem.of;
  const std::int64_t channels = of.group_channels(), filters = of.group_filters();
  const bool is_dense = of.h.stride == 1 && of.w.stride == 1;
  switch (problem.part) {
    case ConvolutionPart::kForward:
      return filters <= kMostFilters && of.images * of.places() * filters >= kLeastResults;
    case ConvolutionPart::kInput:
      return is_dense && channels >= kLeastInputChannels && channels <= most_input_channels;
    default: return is_dense && channels >= kLeastWeightChannels;
  }
}

int type_of(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F16: return kDnnF16;
    case PATCHBAY_BF16: return kDnnBf16;
    case PATCHBAY_F32: return kDnnF32;
    default: return kDnnF64;
  }
}

void* address(plugin::Memory memory) { return card::pointer_to<void>(memory); }
bool is_aligned(plugin::Memory memory) {
  return card::address_of(memory) % DnnTensorOf::kAlignmentBytes == 0;
}

DnnDescriptor graph_of(const DnnGraphs& graphs, const card::ConvolutionProblem& problem) {
  const Convolution& of = problem.of;
  const int type = type_of(problem.dtype);
  const auto tensor = [&](std::int64_t id, std::array<std::int64_t, 4> extents) {
    const auto [n, c, h, w] = extents;
    return graphs.tensor({id, type, extents, {c * h * w, h * w, w, 1}});
  };
  const DnnDescriptor images = tensor(kImages, {of.images, of.channels, of.h.extent, of.w.extent});
  const DnnDescriptor weight =
      tensor(kWeight, {of.filters, of.group_channels(), of.h.kernel, of.w.kernel});
  const DnnDescriptor windows =
      tensor(kWindows, {of.images, of.filters, of.h.windows, of.w.windows});
  const DnnDescriptor convolution =
      graphs.descriptor(kDnnConvolution)
          .set(kDnnConvolutionComputeType, kDnnTypeDataType, type == kDnnF64 ? kDnnF64 : kDnnF32)
          .set(kDnnConvolutionMode, kDnnTypeConvolutionMode, kDnnCrossCorrelation)
          .set(kDnnConvolutionRank, kDnnTypeInt64, std::int64_t{2})
          .set(kDnnConvolutionDilations, kDnnTypeInt64, std::array{of.h.dilation, of.w.dilation})
          .set(kDnnConvolutionStrides, kDnnTypeInt64, std::array{of.h.stride, of.w.stride})
          .set(kDnnConvolutionPrePaddings, kDnnTypeInt64, std::array{of.h.padding, of.w.padding})
          .set(kDnnConvolutionPostPaddings, kDnnTypeInt64, std::array{of.h.padding, of.w.padding})
          .finalized();
  struct Attributes {
    int kind, alpha, beta, convolution, weight, images, windows;
  };
  static constexpr Attributes kAttributes[] = {
      // by the part
      {kDnnForward, kDnnForwardAlpha, kDnnForwardBeta, kDnnForwardConvolution, kDnnForwardWeight,
       kDnnForwardImages, kDnnForwardWindows},
      {kDnnBackwardData, kDnnDataAlpha, kDnnDataBeta, kDnnDataConvolution, kDnnDataWeight,
       kDnnDataImages, kDnnDataWindows},
      {kDnnBackwardFilter, kDnnFilterAlpha, kDnnFilterBeta, kDnnFilterConvolution, kDnnFilterWeight,
       kDnnFilterImages, kDnnFilterWindows}};
  const Attributes& a = kAttributes[static_cast<std::size_t>(problem.part)];
  const DnnDescriptor operation = graphs.descriptor(a.kind)
                                      .set(a.convolution, convolution)
                                      .set(a.weight, weight)
                                      .set(a.images, images)
                                      .set(a.windows, windows)
                                      .set_factors(a.alpha, a.beta, type == kDnnF64)
                                      .finalized();
  return graphs.graph(operation);
}

DnnDescriptor graph_of(const DnnGraphs& graphs, const card::AttentionProblem& problem) {
  const int type = type_of(problem.dtype);
  const auto tensor = [&](std::int64_t id, const card::AttentionProblem::Heads& heads) {
    return graphs.tensor({id, type, heads.shape, heads.strides});
  };
  const DnnDescriptor query = tensor(kQuery, problem.query), key = tensor(kKey, problem.key);
  const DnnDescriptor value = tensor(kValue, problem.value), out = tensor(kOut, problem.out);
  const DnnDescriptor scale =
      graphs.tensor({kScale, kDnnF32, {1, 1, 1, 1}, {1, 1, 1, 1}, /*is_by_value=*/true});
  const DnnDescriptor operation = graphs.descriptor(kDnnAttention)
                                      .set(kDnnAttentionQuery, query)
                                      .set(kDnnAttentionKey, key)
                                      .set(kDnnAttentionValue, value)
                                      .set(kDnnAttentionOut, out)
                                      .set(kDnnAttentionScale, scale)
                                      .finalized();
  return graphs.graph(operation);
}

}  // namespace

// ------------------------------------------------------------------------------- the library

Dnn::~Dnn() {
  convolutions_.clear();  // plans refer to the handle
  attention_.clear();
  if (handle_ != nullptr) context().call_quietly(table_->destroy, handle_);
}

void Dnn::create_handle() {
  NativeDnn handle = nullptr;
  const DnnResult code = context().attempt(table_->create, &handle);
  const bool may_be_full =
      code == kDnnNotInitialized || code == kDnnInternalError || code == kDnnDeviceAllocationFailed;
  if (may_be_full) throw_full(table_->create.name, code);
  if (code != kDnnSuccess) {  // of another version of CUDA, say
    plugin::unsupported(std::string("cuDNN does not work here: ") + table_->create.name +
                        " gives status " + std::to_string(code));
  }
  handle_ = handle;
}

/// A warning if the user has asked for the library.
std::uint32_t Dnn::absence_level() const {
  const bool is_asked_for =
      choices_.convolutions == Choice::kDnn || choices_.convolutions == Choice::kWinograd;
  return is_asked_for ? PATCHBAY_LOG_WARNING : PATCHBAY_LOG_INFO;
}

bool Dnn::is_preferred(const card::ConvolutionProblem& problem) const {
  if (choices_.convolutions == Choice::kDnn) return true;
  // Products multiply the images of pointwise windows as they lie.
  if (problem.of.is_pointwise()) return false;
  return problem.dtype != PATCHBAY_F32 ||
         is_faster(problem, choices_.convolutions == Choice::kWinograd);
}

// ------------------------------------------------------------------------------------- plans

bool Dnn::is_allowed(std::uint8_t dtype, int note) const {
  switch (note) {
    case kDnnNoteTensorCore:
    case kDnnNoteDownConvertsInputs: return dtype != PATCHBAY_F32 || choices_.uses_tf32;
    case kDnnNoteFft:
    case kDnnNoteWinograd:
    case kDnnNoteWinograd4:
    case kDnnNoteWinograd6: return choices_.convolutions == Choice::kWinograd;
    case kDnnNoteReducedSums:
    case kDnnNoteNondeterministic:
    case kDnnNoteWinograd13: return false;
    default: return true;
  }
}

template <class Problem>
std::shared_ptr<const DnnPlan> Dnn::plan_for(card::Stream& stream, Plans<Problem>& plans,
                                             const Problem& problem,
                                             std::uint64_t most_workspace_bytes) {
  std::shared_ptr<const DnnPlan> plan;
  try {
    plan = plans.get(problem, [&] {
      const auto make = [&](const DnnGraphs& graphs) { return graph_of(graphs, problem); };
      const auto allows = [&](int note) { return is_allowed(problem.dtype, note); };
      return graphs().find_plan(make, allows, most_workspace_bytes);
    });
  } catch (const plugin::StatusError& error) {
    if (error.code() != PATCHBAY_OUT_OF_MEMORY) throw;  // else the next call looks again
  }
  if (plan == nullptr || plan->workspace_bytes > most_workspace_bytes) return nullptr;
  stream.keep(plan);
  return plan;
}

bool Dnn::run(card::Stream& stream, const card::ConvolutionProblem& problem,
              const card::ConvolutionOperands& operands, std::string_view name) {
  const std::array memories{operands.images, operands.weight, operands.windows};
  if (!std::all_of(memories.begin(), memories.end(), is_aligned)) return false;
  const auto plan = plan_for(stream, convolutions_, problem, operands.workspace_bytes);
  if (plan == nullptr) return false;
  graphs().execute(name, stream, *plan, std::array{kImages, kWeight, kWindows},
                   std::array{address(memories[0]), address(memories[1]), address(memories[2])},
                   address(operands.workspace));
  return true;
}

bool Dnn::run(card::Stream& stream, const card::AttentionProblem& problem,
              const card::AttentionOperands& operands, std::string_view name) {
  if (table_->version < kDnnOldestWithAttention) return false;
  const std::array memories{operands.query, operands.key, operands.value, operands.out};
  if (!std::all_of(memories.begin(), memories.end(), is_aligned)) return false;
  const auto plan = plan_for(stream, attention_, problem, operands.workspace_bytes);
  if (plan == nullptr) return false;
  alignas(DnnTensorOf::kAlignmentBytes) float scale = operands.scale;
  graphs().execute(name, stream, *plan, std::array{kQuery, kKey, kValue, kOut, kScale},
                   std::array<void*, 5>{address(memories[0]), address(memories[1]),
                                        address(memories[2]), address(memories[3]), &scale},
                   address(operands.workspace));
  return true;
}

}  // namespace patchbay::cuda
