// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/dnn.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace patchbay::cuda {
namespace {

constexpr const char* kSetting = "cuda_convolutions";
/// Names of a graph's tensors.
constexpr std::int64_t kImages = 1, kWeight = 2, kWindows = 3;
/// The library's fast algorithms read so many bytes at once.
constexpr std::int64_t kAlignmentBytes = 16;
/// For how many sizes plans are kept, and how many of the library's proposals are looked at.
constexpr std::size_t kMostPlans = 1024;
constexpr std::int64_t kMostProposals = 32;
/// Products of f32 are faster for images of at most 14 x 14 places, by measurement on an H200.
constexpr std::int64_t kMostPlacesOfProducts = 196;

int type_of(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F16: return kDnnF16;
    case PATCHBAY_BF16: return kDnnBf16;
    case PATCHBAY_F32: return kDnnF32;
    default: return kDnnF64;
  }
}

bool is_aligned(plugin::Memory memory) { return card::address_of(memory) % kAlignmentBytes == 0; }

}  // namespace

// ------------------------------------------------------------------------------- the library

Dnn::~Dnn() {
  plans_.clear();  // they refer to the handle
  if (handle_ != nullptr) context().call_quietly(table_->destroy, handle_);
}

void Dnn::open_library() {
  static constexpr std::pair<std::string_view, Choice> kChoices[] = {
      {"auto", Choice::kAuto},
      {"own", Choice::kOwn},
      {"cudnn", Choice::kDnn},
      {"winograd", Choice::kWinograd}};
  choice_ = plugin::choice_of(host_, kSetting, kChoices);
  if (choice_ == Choice::kOwn) {
    plugin::unsupported(std::string("the setting ") + kSetting + " is own");
  }
  table_ = &library_.get();
}

void Dnn::create_handle() {
  NativeDnn handle = nullptr;
  const DnnResult code = context().attempt(table_->create, &handle);
  if (code == kDnnDeviceAllocationFailed) throw_full(table_->create.name, code);
  if (code != kDnnSuccess) {  // of another version of CUDA, say
    plugin::unsupported(std::string("cuDNN does not work here: ") + table_->create.name +
                        " gives status " + std::to_string(code));
  }
  handle_ = handle;
}

/// A warning if the user has asked for the library.
std::uint32_t Dnn::absence_level() const {
  const bool is_asked_for = choice_ == Choice::kDnn || choice_ == Choice::kWinograd;
  return is_asked_for ? PATCHBAY_LOG_WARNING : PATCHBAY_LOG_INFO;
}

bool Dnn::is_preferred(const Problem& problem) const {
  if (choice_ != Choice::kAuto) return true;
  // Products multiply the images of pointwise windows as they lie.
  const bool is_small = problem.of.places() <= kMostPlacesOfProducts;
  return !problem.of.is_pointwise() && !(problem.dtype == PATCHBAY_F32 && is_small);
}

// ------------------------------------------------------------------------------------- plans

DnnDescriptor Dnn::graph_of(const Problem& problem) {
  const Convolution& of = problem.of;
  const int type = type_of(problem.dtype);
  const auto tensor = [&](std::int64_t id, std::array<std::int64_t, 4> extents) {
    const auto [n, c, h, w] = extents;
    return descriptor(kDnnTensor)
        .set(kDnnTensorId, kDnnTypeInt64, id)
        .set(kDnnTensorType, kDnnTypeDataType, type)
        .set(kDnnTensorExtents, kDnnTypeInt64, extents)
        .set(kDnnTensorStrides, kDnnTypeInt64, std::array{c * h * w, h * w, w, std::int64_t{1}})
        .set(kDnnTensorAlignment, kDnnTypeInt64, kAlignmentBytes)
        .finalized();
  };
  const DnnDescriptor images = tensor(kImages, {of.images, of.channels, of.h.extent, of.w.extent});
  const DnnDescriptor weight =
      tensor(kWeight, {of.filters, of.group_channels(), of.h.kernel, of.w.kernel});
  const DnnDescriptor windows =
      tensor(kWindows, {of.images, of.filters, of.h.windows, of.w.windows});
  const DnnDescriptor convolution =
      descriptor(kDnnConvolution)
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
  const DnnDescriptor operation = descriptor(a.kind)
                                      .set(a.convolution, convolution)
                                      .set(a.weight, weight)
                                      .set(a.images, images)
                                      .set(a.windows, windows)
                                      .set_factors(a.alpha, a.beta, type == kDnnF64)
                                      .finalized();
  return descriptor(kDnnGraph)
      .set(kDnnGraphHandle, kDnnTypeHandle, handle_)
      .set(kDnnGraphOperations, operation)
      .finalized();
}

bool Dnn::is_allowed(const Problem& problem, const DnnDescriptor& config) {
  constexpr std::int64_t kMostNotes = 32;
  const DnnDescriptor engine = descriptor(kDnnEngine);
  NativeDescriptor native = engine.native();
  config.get(kDnnEngineConfigEngine, kDnnTypeDescriptor, 1, &native);
  std::array<int, kMostNotes> notes{};
  const std::int64_t count =
      engine.get(kDnnEngineNotes, kDnnTypeNumericalNote, kMostNotes, notes.data());
  return std::all_of(notes.begin(), notes.begin() + std::min(count, kMostNotes), [&](int note) {
    switch (note) {
      case kDnnNoteTensorCore:
      case kDnnNoteDownConvertsInputs: return problem.dtype != PATCHBAY_F32 || table_->uses_tf32;
      case kDnnNoteFft:
      case kDnnNoteWinograd:
      case kDnnNoteWinograd4:
      case kDnnNoteWinograd6: return choice_ == Choice::kWinograd;
      case kDnnNoteReducedSums:
      case kDnnNoteNondeterministic:
      case kDnnNoteWinograd13: return false;
      default: return true;
    }
  });
}

std::optional<Dnn::Plan> Dnn::find_plan(const Problem& problem,
                                        std::uint64_t most_workspace_bytes) {
  try {
    const DnnDescriptor graph = graph_of(problem);
    for (const int mode : {kDnnModeA, kDnnModeFallback}) {
      if (auto plan = find_plan(problem, graph, mode, most_workspace_bytes)) return plan;
    }
  } catch (const plugin::StatusError& error) {
    // A status of the library, which can't compute this.
    if (error.code() != PATCHBAY_LAUNCH_FAILED || context().is_lost()) throw;
  }
  return std::nullopt;
}

std::optional<Dnn::Plan> Dnn::find_plan(const Problem& problem, const DnnDescriptor& graph,
                                        int mode, std::uint64_t most_workspace_bytes) {
  const DnnDescriptor heuristics = descriptor(kDnnHeuristics)
                                       .set(kDnnHeuristicsGraph, graph)
                                       .set(kDnnHeuristicsMode, kDnnTypeHeuristicsMode, mode)
                                       .finalized();
  const std::int64_t count = std::min(
      heuristics.get(kDnnHeuristicsResults, kDnnTypeDescriptor, 0, nullptr), kMostProposals);
  std::vector<DnnDescriptor> configs;
  std::vector<NativeDescriptor> natives;
  for (std::int64_t i = 0; i < count; ++i) {
    natives.push_back(configs.emplace_back(descriptor(kDnnEngineConfig)).native());
  }
  const std::int64_t found =
      count == 0 ? 0
                 : heuristics.get(kDnnHeuristicsResults, kDnnTypeDescriptor, count, natives.data());
  configs.resize(static_cast<std::size_t>(std::min(found, count)));
  for (const DnnDescriptor& config : configs) {
    if (!is_allowed(problem, config)) continue;
    DnnDescriptor plan = descriptor(kDnnPlan);
    plan.set(kDnnPlanHandle, kDnnTypeHandle, handle_).set(kDnnPlanEngineConfig, config);
    if (context().attempt(table_->finalize, plan.native()) != kDnnSuccess) continue;
    std::int64_t bytes = 0;
    plan.get(kDnnPlanWorkspaceBytes, kDnnTypeInt64, 1, &bytes);
    const auto workspace_bytes = static_cast<std::uint64_t>(std::max(bytes, std::int64_t{0}));
    if (workspace_bytes <= most_workspace_bytes) return Plan{std::move(plan), workspace_bytes};
  }
  return std::nullopt;
}

bool Dnn::run(card::Stream& stream, const Problem& problem, const Operands& operands,
              std::string_view name) {
  const std::array memories{operands.images, operands.weight, operands.windows};
  if (!std::all_of(memories.begin(), memories.end(), is_aligned)) return false;
  auto found = plans_.find(problem);
  if (found == plans_.end()) {
    if (plans_.size() == kMostPlans) plans_.clear();
    found = plans_.emplace(problem, find_plan(problem, operands.workspace_bytes)).first;
  }
  const std::optional<Plan>& plan = found->second;
  if (!plan || plan->workspace_bytes > operands.workspace_bytes) return false;
  call(name, table_->set_stream, handle_, stream.native());
  const auto address = [](plugin::Memory memory) { return card::pointer_to<void>(memory); };
  const DnnDescriptor pack =
      descriptor(kDnnVariantPack)
          .set(kDnnPackIds, kDnnTypeInt64, std::array{kImages, kWeight, kWindows})
          .set(kDnnPackPointers, kDnnTypePointer,
               std::array{address(memories[0]), address(memories[1]), address(memories[2])})
          .set(kDnnPackWorkspace, kDnnTypePointer, address(operands.workspace))
          .finalized();
  call(name, table_->execute, handle_, plan->descriptor.native(), pack.native());
  return true;
}

}  // namespace patchbay::cuda
