// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/data_parallel.h"

#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/graph.h"
#include "patchbay/runtime.h"

#include "core/base/error.h"
#include "core/nn/module/call.h"
#include "core/nn/module/walk.h"
#include "core/nn/parallel/engine.h"

namespace patchbay::nn {

using base::raise;

namespace {

std::vector<Device> checked(const std::vector<Device>& devices) {
  if (devices.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[DataParallel] the list of devices is empty. Pass at least one device.");
  }
  for (const Device& each : devices) {
    if (each.runtime() == devices[0].runtime()) continue;
    raise(ErrorCode::kInvalidArgument,
          "[DataParallel] devices of two runtimes do not mix: {} is not of the runtime of {}. Take "
          "all devices from one runtime.",
          each.name(), devices[0].name());
  }
  return devices;
}

void check_place(Module& module, const Device& device) {
  const parallel::State state(module);
  for (const NamedParameter& each : state.all) {
    if (each.parameter.device() == device) continue;
    const std::string there = each.parameter.device().name();
    if (each.parameter.device().runtime() != device.runtime()) {
      raise(ErrorCode::kDeviceMismatch,
            "[DataParallel] the module belongs to another runtime: expected {} on {} of the "
            "devices' runtime. Runtimes do not mix: make the module on its devices.",
            each.name, device.name());
    }
    throw module::LayerError(
        ErrorCode::kDeviceMismatch,
        fmt::format("[DataParallel] the module is on another device: expected {0} on {1}, the "
                    "first device, got {2}. Move it there: model.move_to(\"{1}\").",
                    each.name, device.name(), there));
  }
}

/// Lets lazy layers learn their shapes from one row, as in evaluation: without random numbers and
/// statistics. The modes are set again.
void learn_shapes(Module& module, const Tensor& input, const Device& device) {
  bool is_lazy = false;
  for (const NamedParameter& each : parallel::State(module).all) {
    is_lazy = is_lazy || !each.parameter.defined();
  }
  if (!is_lazy) return;
  const std::vector<bool> modes = module::modes_of(module);
  const NoGrad no_grad;
  module.eval();
  try {
    static_cast<void>(module(input.slice(0, 0, 1).to(device)));
  } catch (...) {
    module::set_modes(module, modes);
    throw;
  }
  module::set_modes(module, modes);
  for (const NamedParameter& each : parallel::State(module).all) {
    if (each.parameter.defined()) continue;
    raise(ErrorCode::kInvalidArgument,
          "[DataParallel] {} has no shape yet after a row in evaluation: expected lazy layers that "
          "are used there. Run the module itself on a batch first.",
          each.name);
  }
}

}  // namespace

DataParallel::DataParallel(AnyModule module, const std::vector<Device>& devices,
                           const DataParallelOptions& options)
    : module_(std::move(module)), devices_(checked(devices)), options_(options) {
  base::check_in_enum("DataParallel", "way to share a batch", "Shares", options.shares,
                      Shares::kMeasured);
  module::set_modes(*this, module::modes_of(*module_));
}

DataParallel::DataParallel(const DataParallel& other)
    : Module(other), module_(other.module_), devices_(other.devices_), options_(other.options_) {}

DataParallel::DataParallel(DataParallel&&) noexcept = default;

DataParallel& DataParallel::operator=(DataParallel other) noexcept {
  Module::operator=(other);
  std::swap(module_, other.module_);
  std::swap(devices_, other.devices_);
  std::swap(options_, other.options_);
  std::swap(engine_, other.engine_);
  return *this;
}

DataParallel::~DataParallel() = default;

Tensor DataParallel::forward(const Tensor& input) {
  if (is_recording_graph()) {
    raise(ErrorCode::kInvalidArgument,
          "[DataParallel] a graph is being recorded, which has the operations of one thread: "
          "expected a module on one device. Record the module itself.");
  }
  if (!input.defined() || input.rank() == 0) {
    raise(ErrorCode::kShapeMismatch,
          "[DataParallel] no rows to share: expected a batch [n, ...], got {}.",
          input.defined() ? "a tensor without dimensions" : "an undefined tensor");
  }
  check_place(*module_, devices_[0]);
  if (engine_ == nullptr || !engine_->fits(*module_)) {
    learn_shapes(*module_, input, devices_[0]);
    engine_ = std::make_shared<parallel::Engine>(module_, devices_, options_);
  }
  return engine_->forward(*module_, input);
}

void DataParallel::members(Members& each) { module_->members(each); }

std::string DataParallel::details() const {
  std::string text = module_->type_name();
  for (const Device& each : devices_) text += ", " + each.name();
  return text;
}

std::vector<std::int64_t> DataParallel::last_shares() const {
  return engine_ != nullptr ? engine_->last_shares() : std::vector<std::int64_t>();
}

void DataParallel::renew() { engine_.reset(); }

}  // namespace patchbay::nn
