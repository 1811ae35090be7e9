// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/dnn_descriptor.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "sim/machine.h"

namespace patchbay::sim {
namespace {

using namespace cuda;

constexpr int kEngineGraph = 1300, kEngineIndex = 1301;
constexpr int kAnyOperation = -1;
constexpr std::int64_t kMostAxes = 8, kMany = 64;

constexpr Attribute kAttributes[] = {
    {kDnnTensor, kDnnTensorId, kDnnTypeInt64},
    {kDnnTensor, kDnnTensorType, kDnnTypeDataType},
    {kDnnTensor, kDnnTensorAlignment, kDnnTypeInt64},
    {kDnnTensor, kDnnTensorExtents, kDnnTypeInt64, kMostAxes},
    {kDnnTensor, kDnnTensorStrides, kDnnTypeInt64, kMostAxes},
    {kDnnTensor, kDnnTensorIsByValue, kDnnTypeBoolean, 1, 0, false, true},
    {kDnnAttention, kDnnAttentionQuery, kDnnTypeDescriptor, 1, kDnnTensor},
    {kDnnAttention, kDnnAttentionKey, kDnnTypeDescriptor, 1, kDnnTensor},
    {kDnnAttention, kDnnAttentionValue, kDnnTypeDescriptor, 1, kDnnTensor},
    {kDnnAttention, kDnnAttentionOut, kDnnTypeDescriptor, 1, kDnnTensor},
    {kDnnAttention, kDnnAttentionScale, kDnnTypeDescriptor, 1, kDnnTensor, false, true},
    {kDnnConvolution, kDnnConvolutionComputeType, kDnnTypeDataType},
    {kDnnConvolution, kDnnConvolutionMode, kDnnTypeConvolutionMode},
    {kDnnConvolution, kDnnConvolutionRank, kDnnTypeInt64},
    {kDnnConvolution, kDnnConvolutionDilations, kDnnTypeInt64, kMostAxes},
    {kDnnConvolution, kDnnConvolutionStrides, kDnnTypeInt64, kMostAxes},
    {kDnnConvolution, kDnnConvolutionPrePaddings, kDnnTypeInt64, kMostAxes},
    {kDnnConvolution, kDnnConvolutionPostPaddings, kDnnTypeInt64, kMostAxes},
    {kDnnGraph, kDnnGraphHandle, kDnnTypeHandle},
    {kDnnGraph, kDnnGraphOperations, kDnnTypeDescriptor, kMany, kAnyOperation},
    {kDnnHeuristics, kDnnHeuristicsGraph, kDnnTypeDescriptor, 1, kDnnGraph},
    {kDnnHeuristics, kDnnHeuristicsMode, kDnnTypeHeuristicsMode},
    {kDnnHeuristics, kDnnHeuristicsResults, kDnnTypeDescriptor, kMany, kDnnEngineConfig, true},
    {kDnnEngine, kEngineGraph, kDnnTypeDescriptor, 1, kDnnGraph},
    {kDnnEngine, kEngineIndex, kDnnTypeInt64},
    {kDnnEngine, kDnnEngineNotes, kDnnTypeNumericalNote, kMany, 0, true},
    {kDnnEngineConfig, kDnnEngineConfigEngine, kDnnTypeDescriptor, 1, kDnnEngine},
    {kDnnPlan, kDnnPlanHandle, kDnnTypeHandle},
    {kDnnPlan, kDnnPlanEngineConfig, kDnnTypeDescriptor, 1, kDnnEngineConfig},
    {kDnnPlan, kDnnPlanWorkspaceBytes, kDnnTypeInt64, 1, 0, true},
    {kDnnVariantPack, kDnnPackIds, kDnnTypeInt64, kMany},
    {kDnnVariantPack, kDnnPackPointers, kDnnTypePointer, kMany},
    {kDnnVariantPack, kDnnPackWorkspace, kDnnTypePointer},  // may be null
};

/// The attributes of an operation.
struct Operation {
  int kind, alpha, beta, convolution, weight, images, windows;
  Convolution::Operand result;

  std::array<int, 3> tensors() const { return {weight, images, windows}; }
};
constexpr Operation kOperations[] = {
    {kDnnForward, kDnnForwardAlpha, kDnnForwardBeta, kDnnForwardConvolution, kDnnForwardWeight,
     kDnnForwardImages, kDnnForwardWindows, Convolution::kWindows},
    {kDnnBackwardData, kDnnDataAlpha, kDnnDataBeta, kDnnDataConvolution, kDnnDataWeight,
     kDnnDataImages, kDnnDataWindows, Convolution::kImages},
    {kDnnBackwardFilter, kDnnFilterAlpha, kDnnFilterBeta, kDnnFilterConvolution, kDnnFilterWeight,
     kDnnFilterImages, kDnnFilterWindows, Convolution::kWeight},
};

/// By Attention::Operand.
constexpr std::array kAttentionTensors{kDnnAttentionQuery, kDnnAttentionKey, kDnnAttentionValue,
                                       kDnnAttentionOut};

/// In the order in which the heuristics propose them: who picks carelessly gets other bits, or
/// none.
constexpr Engine kEngines[] = {
    {.notes = {kDnnNoteTensorCore}, .num_notes = 1, .inexactness = {.rounds_to_tf32 = true}},
    {.notes = {kDnnNoteNondeterministic},
     .num_notes = 1,
     .inexactness = {.error = 1e-6},
     .is_random = true},
    {.notes = {kDnnNoteWinograd, kDnnNoteWinograd4},
     .num_notes = 2,
     .inexactness = {.error = 1e-4}},
    {.notes = {kDnnNoteFft}, .num_notes = 1, .inexactness = {.error = 1e-5}},
    {.workspace_bytes = std::int64_t{1} << 40},
    {.has_plans = false},
    {.workspace_bytes = 4096},
};
constexpr std::int64_t kNumEngines = std::size(kEngines), kPlainEngine = kNumEngines - 1;

/// Null for descriptors of other kinds.
const Operation* operation_of(int kind) {
  const auto* const found =
      std::find_if(std::begin(kOperations), std::end(kOperations),
                   [=](const Operation& operation) { return operation.kind == kind; });
  return found != std::end(kOperations) ? found : nullptr;
}

const Engine& engine_of(const Descriptor& engine) {
  const auto index = engine.one<std::int64_t>(kEngineIndex);
  require(index >= 0 && index < kNumEngines, kDnnNotSupported);
  return kEngines[static_cast<std::size_t>(index)];
}

bool are_at_least(std::int64_t least, const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [=](std::int64_t v) { return v >= least; });
}

bool are_distinct(const std::vector<std::int64_t>& values) {
  return std::set(values.begin(), values.end()).size() == values.size();
}

Convolution convolution_of(const Descriptor& descriptor) {
  const Operation& operation = *operation_of(descriptor.kind);
  const Descriptor& convolution = descriptor.referenced(operation.convolution);
  Convolution result;
  for (std::size_t i = 0; i < result.extents.size(); ++i) {
    result.extents[i] = descriptor.referenced(operation.tensors()[i]).integers(kDnnTensorExtents);
  }
  result.strides = convolution.integers(kDnnConvolutionStrides);
  result.dilations = convolution.integers(kDnnConvolutionDilations);
  result.pre_paddings = convolution.integers(kDnnConvolutionPrePaddings);
  result.post_paddings = convolution.integers(kDnnConvolutionPostPaddings);
  result.result = operation.result;
  result.type = descriptor.referenced(operation.weight).one<int>(kDnnTensorType);
  // As the library does: whatever type they were given in, they are read in that of the sums.
  const bool is_f64 = convolution.one<int>(kDnnConvolutionComputeType) == kDnnF64;
  const auto factor = [&](int name) {
    return is_f64 ? descriptor.one<double>(name) : double{descriptor.one<float>(name)};
  };
  result.alpha = factor(operation.alpha);
  result.beta = factor(operation.beta);
  return result;
}

Attention attention_of(const Descriptor& descriptor) {
  Attention result;
  for (std::size_t i = 0; i < kAttentionTensors.size(); ++i) {
    const Descriptor& tensor = descriptor.referenced(kAttentionTensors[i]);
    result.extents[i] = tensor.integers(kDnnTensorExtents);
    result.strides[i] = tensor.integers(kDnnTensorStrides);
  }
  result.type = descriptor.referenced(kDnnAttentionQuery).one<int>(kDnnTensorType);
  return result;
}

// What finalizing a descriptor checks, and finds out.

void check_tensor(const Descriptor& tensor) {
  const auto extents = tensor.integers(kDnnTensorExtents);
  const auto strides = tensor.integers(kDnnTensorStrides);
  const auto alignment = tensor.one<std::int64_t>(kDnnTensorAlignment);
  const std::int64_t element = bytes_of_element(tensor.one<int>(kDnnTensorType));
  require(extents.size() == strides.size() && are_at_least(1, extents) &&
              are_at_least(1, strides) && alignment > 0 && alignment % element == 0,
          kDnnBadParameter);
}

void check_convolution(const Descriptor& convolution) {
  const auto rank = convolution.one<std::int64_t>(kDnnConvolutionRank);
  for (const auto& [name, least] :
       {std::pair(kDnnConvolutionStrides, 1), std::pair(kDnnConvolutionDilations, 1),
        std::pair(kDnnConvolutionPrePaddings, 0), std::pair(kDnnConvolutionPostPaddings, 0)}) {
    require(convolution.values.at(name).count == rank &&
                are_at_least(least, convolution.integers(name)),
            kDnnBadParameter);
  }
  require(convolution.one<int>(kDnnConvolutionMode) == kDnnCrossCorrelation, kDnnNotSupported);
}

bool is_by_value(const Descriptor& tensor) {
  return tensor.values.count(kDnnTensorIsByValue) != 0 &&
         tensor.one<std::uint8_t>(kDnnTensorIsByValue) != 0;
}

void check_attention_graph(const Descriptor& descriptor) {
  const Attention attention = attention_of(descriptor);
  std::vector<std::int64_t> ids;
  for (const int name : kAttentionTensors) {
    const Descriptor& tensor = descriptor.referenced(name);
    require(tensor.one<int>(kDnnTensorType) == attention.type && !is_by_value(tensor),
            kDnnUnsupportedType);
    ids.push_back(tensor.one<std::int64_t>(kDnnTensorId));
  }
  const Descriptor& scale = descriptor.referenced(kDnnAttentionScale);
  ids.push_back(scale.one<std::int64_t>(kDnnTensorId));
  require(scale.one<int>(kDnnTensorType) == kDnnF32 && is_by_value(scale), kDnnUnsupportedType);
  require(scale.integers(kDnnTensorExtents) == std::vector<std::int64_t>(4, 1), kDnnBadParameter);
  require(are_distinct(ids), kDnnDuplicated);
}

void check_graph(const Descriptor& graph) {
  context_of(graph.one<NativeDnn>(kDnnGraphHandle));
  require(graph.values.at(kDnnGraphOperations).count == 1, kDnnUnsupportedPattern);
  const Descriptor& descriptor = graph.referenced(kDnnGraphOperations);
  if (descriptor.kind == kDnnAttention) return check_attention_graph(descriptor);
  const Operation& operation = *operation_of(descriptor.kind);
  const Convolution convolution = convolution_of(descriptor);
  require(convolution.strides.size() == 2, kDnnNotSupported);
  const int type = convolution.type;
  require(descriptor.referenced(operation.convolution).one<int>(kDnnConvolutionComputeType) ==
              (type == kDnnF64 ? kDnnF64 : kDnnF32),
          kDnnUnsupportedType);
  std::vector<std::int64_t> ids;
  for (const int name : operation.tensors()) {
    const Descriptor& tensor = descriptor.referenced(name);
    const auto extents = tensor.integers(kDnnTensorExtents);
    const auto strides = tensor.integers(kDnnTensorStrides);
    std::int64_t dense = 1;
    for (std::size_t i = extents.size(); i-- > 0; dense *= extents[i]) {
      require(strides[i] == dense, kDnnUnsupportedLayout);
    }
    require(tensor.one<int>(kDnnTensorType) == type, kDnnUnsupportedType);
    ids.push_back(tensor.one<std::int64_t>(kDnnTensorId));
  }
  require(are_distinct(ids), kDnnDuplicated);
}

Descriptor::Pointer config_of(const Descriptor::Pointer& graph, std::int64_t index) {
  const auto engine = std::make_shared<Descriptor>(Descriptor{kDnnEngine});
  engine->set(kEngineGraph, {graph});
  engine->set(kEngineIndex, &index, 1);
  engine->finalize();
  auto config = std::make_shared<Descriptor>(Descriptor{kDnnEngineConfig});
  config->set(kDnnEngineConfigEngine, {engine});
  config->finalize();
  return config;
}

bool has_engines(const Descriptor& operation, int mode) {
  if (operation.kind == kDnnAttention) return attention_of(operation).is_supported();
  const Convolution convolution = convolution_of(operation);
  const bool is_dilated = std::any_of(convolution.dilations.begin(), convolution.dilations.end(),
                                      [](std::int64_t dilation) { return dilation > 1; });
  return !(is_dilated && convolution.groups() > 1) &&
         !(convolution.type == kDnnF64 && mode == kDnnModeA);
}

void find_engines(Descriptor& heuristics) {
  const int mode = heuristics.one<int>(kDnnHeuristicsMode);
  require(mode == kDnnModeA || mode == kDnnModeFallback, kDnnNotSupported);
  const Descriptor::Pointer graph = heuristics.values.at(kDnnHeuristicsGraph).descriptors.front();
  const bool has_none =
      !machine().config.dnn_plans || !has_engines(graph->referenced(kDnnGraphOperations), mode);
  std::vector<Descriptor::Pointer> results;
  for (std::int64_t i = mode == kDnnModeA ? 0 : kPlainEngine; !has_none && i < kNumEngines; ++i) {
    results.push_back(config_of(graph, i));
  }
  heuristics.set(kDnnHeuristicsResults, std::move(results));
}

void describe_engine(Descriptor& descriptor) {
  const Engine& engine = engine_of(descriptor);
  descriptor.set(kDnnEngineNotes, engine.notes.data(), engine.num_notes);
}

void make_plan(Descriptor& plan) {
  plan.context = &context_of(plan.one<NativeDnn>(kDnnPlanHandle));
  const Engine& engine = PlannedWork(plan).engine;
  require(engine.has_plans, kDnnNotSupported);
  plan.set(kDnnPlanWorkspaceBytes, &engine.workspace_bytes, 1);
}

void check_pack(const Descriptor& pack) {
  require(pack.values.at(kDnnPackIds).count == pack.values.at(kDnnPackPointers).count,
          kDnnBadParameter);
  require(are_distinct(pack.integers(kDnnPackIds)), kDnnDuplicated);
}

}  // namespace

bool Attribute::refers_to(const Descriptor& descriptor) const {
  if (referenced_kind != kAnyOperation) return descriptor.kind == referenced_kind;
  return descriptor.kind == kDnnAttention || operation_of(descriptor.kind) != nullptr;
}

const std::vector<Attribute>& dnn_attributes() {
  static const auto& all = *new std::vector<Attribute>([] {
    std::vector<Attribute> made(std::begin(kAttributes), std::end(kAttributes));
    for (const Operation& of : kOperations) {
      made.push_back({of.kind, of.alpha, kDnnTypeDouble});
      made.push_back({of.kind, of.beta, kDnnTypeDouble});
      made.push_back({of.kind, of.convolution, kDnnTypeDescriptor, 1, kDnnConvolution});
      for (const int tensor : of.tensors()) {
        made.push_back({of.kind, tensor, kDnnTypeDescriptor, 1, kDnnTensor});
      }
    }
    return made;
  }());
  return all;
}

const Attribute& attribute_of(const Descriptor& descriptor, int name, int type) {
  const auto& all = dnn_attributes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Attribute& attribute) {
    return attribute.kind == descriptor.kind && attribute.name == name;
  });
  require(found != all.end(), kDnnBadParameter);
  const bool is_number = found->type == kDnnTypeDouble && type == kDnnTypeFloat;
  require(found->type == type || is_number, kDnnWrongType);
  return *found;
}

std::size_t bytes_of_value(int type) {
  if (type == kDnnTypeBoolean) return sizeof(bool);
  const bool is_wide = type == kDnnTypeInt64 || type == kDnnTypeDouble || type == kDnnTypeHandle ||
                       type == kDnnTypePointer;
  return is_wide ? sizeof(std::int64_t) : sizeof(int);
}

std::int64_t bytes_of_element(int data_type) {
  switch (data_type) {
    case kDnnF64: return 8;
    case kDnnF32: return 4;
    case kDnnF16:
    case kDnnBf16: return 2;
    default: throw Refusal{kDnnUnsupportedType};
  }
}

PlannedWork::PlannedWork(const Descriptor& plan)
    : engine(engine_of(plan.referenced(kDnnPlanEngineConfig).referenced(kDnnEngineConfigEngine))) {
  const Descriptor& operation = plan.referenced(kDnnPlanEngineConfig)
                                    .referenced(kDnnEngineConfigEngine)
                                    .referenced(kEngineGraph)
                                    .referenced(kDnnGraphOperations);
  const auto add_tensors = [&](const auto& names) {
    for (const int name : names) tensors.push_back(&operation.referenced(name));
  };
  if (operation.kind == kDnnAttention) {
    of = attention_of(operation);
    add_tensors(kAttentionTensors);
    result = Attention::kOut;
    scale = &operation.referenced(kDnnAttentionScale);
    return;
  }
  of = convolution_of(operation);
  add_tensors(operation_of(operation.kind)->tensors());
  result = operation_of(operation.kind)->result;
}

void Descriptor::finalize() {
  require(!is_finalized, kDnnBadParameter);
  for (const Attribute& attribute : dnn_attributes()) {
    if (attribute.kind != kind || attribute.is_read_only || attribute.is_optional) continue;
    require(values.count(attribute.name) != 0, kDnnBadParameter);
  }
  switch (kind) {
    case kDnnTensor: check_tensor(*this); break;
    case kDnnConvolution: check_convolution(*this); break;
    case kDnnGraph: check_graph(*this); break;
    case kDnnHeuristics: find_engines(*this); break;
    case kDnnEngine: describe_engine(*this); break;
    case kDnnEngineConfig: break;
    case kDnnPlan: make_plan(*this); break;
    case kDnnVariantPack: check_pack(*this); break;
    case kDnnAttention: require(attention_of(*this).fits(), kDnnBadParameter); break;
    default: require(convolution_of(*this).fits(), kDnnBadParameter);
  }
  is_finalized = true;
}

}  // namespace patchbay::sim
