// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/dnn_graph.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cuda-cublas/api/toolkit.hpp"
#include "kit/card/api/lazy.hpp"

namespace patchbay::cuda {
namespace {

/// How many of the library's proposals are looked at.
constexpr std::int64_t kMostProposals = 32;

}  // namespace

DnnTable::DnnTable(plugin::Host host, int driver_version) {
  Library library = card::library_of(host, kSetting, toolkit_files("cudnn", driver_version));
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_DNN_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  DnnVersion* version_of = nullptr;
  library.find(kDnnVersionSymbol, version_of);
  file = library.path();
  if (library.is_complete()) {
    version = version_of();
    return;
  }
  plugin::unsupported("no cuDNN 9: " + library.why() + ". " + card::remedy_of(host, kSetting));
}

DnnDescriptor::DnnDescriptor(card::DeviceLibrary& library, const DnnTable& table, int kind)
    : library_(&library), table_(&table) {
  library.call({}, table.create_descriptor, kind, &native_);
}

DnnDescriptor::~DnnDescriptor() {
  if (native_ == nullptr) return;
  library_->context().call_quietly(table_->destroy_descriptor, native_);
}

DnnDescriptor& DnnDescriptor::set(int attribute, int type, std::int64_t count, const void* values) {
  library_->call({}, table_->set_attribute, native_, attribute, type, count, values);
  return *this;
}

std::int64_t DnnDescriptor::get(int attribute, int type, std::int64_t most, void* values) const {
  std::int64_t count = 0;
  library_->call({}, table_->get_attribute, native_, attribute, type, most, &count, values);
  return count;
}

DnnDescriptor& DnnDescriptor::set_factors(int alpha, int beta, bool is_f64) {
  if (is_f64) return set(alpha, kDnnTypeDouble, 1.0).set(beta, kDnnTypeDouble, 0.0);
  return set(alpha, kDnnTypeFloat, 1.0F).set(beta, kDnnTypeFloat, 0.0F);
}

DnnDescriptor DnnDescriptor::finalized() {
  library_->call({}, table_->finalize, native_);
  return std::move(*this);
}

// ------------------------------------------------------------------------------------- graphs

DnnDescriptor DnnGraphs::tensor(const DnnTensorOf& of) const {
  DnnDescriptor made = descriptor(kDnnTensor);
  made.set(kDnnTensorId, kDnnTypeInt64, of.id)
      .set(kDnnTensorType, kDnnTypeDataType, of.type)
      .set(kDnnTensorExtents, kDnnTypeInt64, of.extents)
      .set(kDnnTensorStrides, kDnnTypeInt64, of.strides)
      .set(kDnnTensorAlignment, kDnnTypeInt64, DnnTensorOf::kAlignmentBytes);
  if (of.is_by_value) made.set(kDnnTensorIsByValue, kDnnTypeBoolean, true);
  return made.finalized();
}

DnnDescriptor DnnGraphs::graph(const DnnDescriptor& operation) const {
  return descriptor(kDnnGraph)
      .set(kDnnGraphHandle, kDnnTypeHandle, handle_)
      .set(kDnnGraphOperations, operation)
      .finalized();
}

void DnnGraphs::check_room(const std::string& failure, DnnResult code) const {
  constexpr std::uint64_t kMostCodeBytes = std::uint64_t{64} << 20;
  const bool may_be_full = code == kDnnInternalError || code == kDnnDeviceAllocationFailed;
  if (may_be_full) library_->context().check_room(failure, code, kMostCodeBytes);
}

std::optional<DnnPlan> DnnGraphs::find_plan(
    const std::function<DnnDescriptor(const DnnGraphs&)>& make,
    const std::function<bool(int note)>& allows, std::uint64_t most_workspace_bytes) const {
  try {
    const DnnDescriptor graph = make(*this);
    for (const int mode : {kDnnModeA, kDnnModeFallback}) {
      if (auto plan = propose(graph, mode, allows, most_workspace_bytes)) return plan;
    }
  } catch (const plugin::StatusError& error) {
    // A status of the library, which can't compute this.
    if (error.code() != PATCHBAY_LAUNCH_FAILED || library_->context().is_lost()) throw;
    check_room(error.what(), static_cast<DnnResult>(error.native_code()));
  }
  return std::nullopt;
}

bool DnnGraphs::are_allowed(const DnnDescriptor& config,
                            const std::function<bool(int note)>& allows) const {
  constexpr std::int64_t kMostNotes = 32;
  const DnnDescriptor engine = descriptor(kDnnEngine);
  NativeDescriptor native = engine.native();
  config.get(kDnnEngineConfigEngine, kDnnTypeDescriptor, 1, &native);
  std::array<int, kMostNotes> notes{};
  const std::int64_t count =
      engine.get(kDnnEngineNotes, kDnnTypeNumericalNote, kMostNotes, notes.data());
  return std::all_of(notes.begin(), notes.begin() + std::min(count, kMostNotes), allows);
}

std::optional<DnnPlan> DnnGraphs::propose(const DnnDescriptor& graph, int mode,
                                          const std::function<bool(int note)>& allows,
                                          std::uint64_t most_workspace_bytes) const {
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
    if (!are_allowed(config, allows)) continue;
    DnnDescriptor plan = descriptor(kDnnPlan);
    plan.set(kDnnPlanHandle, kDnnTypeHandle, handle_).set(kDnnPlanEngineConfig, config);
    const auto& finalize = table_->finalize;
    const DnnResult code = library_->context().attempt(finalize, plan.native());
    if (code != kDnnSuccess) {
      check_room(finalize.name + (" gives status " + std::to_string(code)), code);
      continue;
    }
    std::int64_t bytes = 0;
    plan.get(kDnnPlanWorkspaceBytes, kDnnTypeInt64, 1, &bytes);
    const auto workspace_bytes = static_cast<std::uint64_t>(std::max(bytes, std::int64_t{0}));
    if (workspace_bytes <= most_workspace_bytes) return DnnPlan{std::move(plan), workspace_bytes};
  }
  return std::nullopt;
}

}  // namespace patchbay::cuda
