// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/dnn.hpp"

#include <algorithm>
#include <string>

#include "cuda-cublas/api/toolkit.hpp"
#include "kit/card/kernels/products.hpp"

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

int type_of(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F16: return kDnnF16;
    case PATCHBAY_BF16: return kDnnBf16;
    case PATCHBAY_F32: return kDnnF32;
    default: return kDnnF64;
  }
}

/// Products are faster, by measurement on an H200: where they multiply the images as they lie, and
/// in f32 for images of at most 14 x 14 places.
constexpr std::int64_t kMostPlacesOfProducts = 196;

bool is_pointwise(const WindowAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.padding == 0;
}

bool is_aligned(plugin::Memory memory) { return card::address_of(memory) % kAlignmentBytes == 0; }

}  // namespace

DnnTable::DnnTable(plugin::Host host, int driver_version) {
  const auto path = host.option("cuda_dnn_library");
  Library library =
      Library::first_of(path ? std::vector{*path} : toolkit_files("cudnn", driver_version),
                        Library::Lifetime::kProcess);
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_DNN_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  uses_tf32 = card::is_on(host, "cuda_tf32");
  if (library.is_complete()) return;
  plugin::unsupported("no cuDNN 9: " + library.why() +
                      ". Install it, or name it by the setting cuda_dnn_library");
}

// ------------------------------------------------------------------------------- descriptors

Dnn::Descriptor::Descriptor(Dnn& dnn, int kind) : dnn_(&dnn) {
  dnn.call({}, dnn.table_->create_descriptor, kind, &native_);
}

Dnn::Descriptor::~Descriptor() {
  if (native_ == nullptr) return;
  dnn_->context().call_quietly(dnn_->table_->destroy_descriptor, native_);
}

Dnn::Descriptor& Dnn::Descriptor::set(int attribute, int type, std::int64_t count,
                                      const void* values) {
  dnn_->call({}, dnn_->table_->set_attribute, native_, attribute, type, count, values);
  return *this;
}

std::int64_t Dnn::Descriptor::get(int attribute, int type, std::int64_t most, void* values) const {
  std::int64_t count = 0;
  dnn_->call({}, dnn_->table_->get_attribute, native_, attribute, type, most, &count, values);
  return count;
}

Dnn::Descriptor& Dnn::Descriptor::set_factors(int alpha, int beta, bool is_f64) {
  if (is_f64) return set(alpha, kDnnTypeDouble, 1.0).set(beta, kDnnTypeDouble, 0.0);
  return set(alpha, kDnnTypeFloat, 1.0F).set(beta, kDnnTypeFloat, 0.0F);
}

Dnn::Descriptor Dnn::Descriptor::finalized() {
  dnn_->call({}, dnn_->table_->finalize, native_);
  return std::move(*this);
}

// ------------------------------------------------------------------------------- the library

Dnn::~Dnn() {
  plans_.clear();  // they refer to the handle
  if (handle_ != nullptr) context().call_quietly(table_->destroy, handle_);
}

void Dnn::open_library() {
  constexpr std::pair<std::string_view, Choice> kChoices[] = {{"auto", Choice::kAuto},
                                                              {"own", Choice::kOwn},
                                                              {"cudnn", Choice::kDnn},
                                                              {"winograd", Choice::kWinograd}};
  const std::string wish = host_.option(kSetting).value_or("auto");
  const auto* const found = std::find_if(std::begin(kChoices), std::end(kChoices),
                                         [&](const auto& choice) { return choice.first == wish; });
  if (found == std::end(kChoices)) {
    plugin::refuse_setting(kSetting, "auto, own, cudnn or winograd", wish);
  }
  choice_ = found->second;
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
  const Convolution& of = problem.of;
  const bool is_product = is_pointwise(of.h) && is_pointwise(of.w);
  const bool is_small = of.places() <= kMostPlacesOfProducts;
  return !is_product && !(problem.dtype == PATCHBAY_F32 && is_small);
}

// ------------------------------------------------------------------------------------- plans

Dnn::Descriptor Dnn::graph_of(const Problem& problem) {
  const Convolution& of = problem.of;
  const int type = type_of(problem.dtype);
  const auto tensor = [&](std::int64_t id, std::array<std::int64_t, 4> extents) {
    const auto [n, c, h, w] = extents;
    return Descriptor(*this, kDnnTensor)
        .set(kDnnTensorId, kDnnTypeInt64, id)
        .set(kDnnTensorType, kDnnTypeDataType, type)
        .set(kDnnTensorExtents, kDnnTypeInt64, extents)
        .set(kDnnTensorStrides, kDnnTypeInt64, std::array{c * h * w, h * w, w, std::int64_t{1}})
        .set(kDnnTensorAlignment, kDnnTypeInt64, kAlignmentBytes)
        .finalized();
  };
  const Descriptor images = tensor(kImages, {of.images, of.channels, of.h.extent, of.w.extent});
  const Descriptor weight =
      tensor(kWeight, {of.filters, of.group_channels(), of.h.kernel, of.w.kernel});
  const Descriptor windows = tensor(kWindows, {of.images, of.filters, of.h.windows, of.w.windows});
  const Descriptor convolution =
      Descriptor(*this, kDnnConvolution)
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
  const Descriptor operation = Descriptor(*this, a.kind)
                                   .set(a.convolution, convolution)
                                   .set(a.weight, weight)
                                   .set(a.images, images)
                                   .set(a.windows, windows)
                                   .set_factors(a.alpha, a.beta, type == kDnnF64)
                                   .finalized();
  return Descriptor(*this, kDnnGraph)
      .set(kDnnGraphHandle, kDnnTypeHandle, handle_)
      .set(kDnnGraphOperations, operation)
      .finalized();
}

bool Dnn::is_allowed(const Problem& problem, const Descriptor& config) {
  constexpr std::int64_t kMostNotes = 32;
  Descriptor engine(*this, kDnnEngine);
  DnnDescriptor native = engine.native();
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
    const Descriptor graph = graph_of(problem);
    for (const int mode : {kDnnModeA, kDnnModeFallback}) {
      if (auto plan = find_plan(problem, graph, mode, most_workspace_bytes)) return plan;
    }
  } catch (const plugin::StatusError& error) {
    // A status of the library, which can't compute this.
    if (error.code() != PATCHBAY_LAUNCH_FAILED || context().is_lost()) throw;
  }
  return std::nullopt;
}

std::optional<Dnn::Plan> Dnn::find_plan(const Problem& problem, const Descriptor& graph, int mode,
                                        std::uint64_t most_workspace_bytes) {
  const Descriptor heuristics = Descriptor(*this, kDnnHeuristics)
                                    .set(kDnnHeuristicsGraph, graph)
                                    .set(kDnnHeuristicsMode, kDnnTypeHeuristicsMode, mode)
                                    .finalized();
  const std::int64_t count = std::min(
      heuristics.get(kDnnHeuristicsResults, kDnnTypeDescriptor, 0, nullptr), kMostProposals);
  std::vector<Descriptor> configs;
  std::vector<DnnDescriptor> natives;
  for (std::int64_t i = 0; i < count; ++i) {
    natives.push_back(configs.emplace_back(*this, kDnnEngineConfig).native());
  }
  const std::int64_t found =
      count == 0 ? 0
                 : heuristics.get(kDnnHeuristicsResults, kDnnTypeDescriptor, count, natives.data());
  configs.resize(static_cast<std::size_t>(std::min(found, count)));
  for (const Descriptor& config : configs) {
    if (!is_allowed(problem, config)) continue;
    Descriptor plan(*this, kDnnPlan);
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
  const Descriptor pack =
      Descriptor(*this, kDnnVariantPack)
          .set(kDnnPackIds, kDnnTypeInt64, std::array{kImages, kWeight, kWindows})
          .set(kDnnPackPointers, kDnnTypePointer,
               std::array{address(memories[0]), address(memories[1]), address(memories[2])})
          .set(kDnnPackWorkspace, kDnnTypePointer, address(operands.workspace))
          .finalized();
  call(name, table_->execute, handle_, plan->descriptor.native(), pack.native());
  return true;
}

}  // namespace patchbay::cuda
