// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/replica.h"

#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/nn/module/parameter_state.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn::parallel {

State::State(Module& module) : all(module.named_parameters()) {
  num_parameters = all.size();
  for (NamedParameter& each : module.named_buffers()) all.push_back(std::move(each));
}

Replica::Replica(const AnyModule& original, std::size_t number, const Device& device)
    : number_(number), device_(device), module_(original) {
  // So far they are the original's; what was one parameter stays one.
  std::map<const module::ParameterState*, Parameter> own;
  module::walk(*module_, {{}, [&](const std::string&, Parameter& each, bool is_buffer) {
                            if (!each.defined() || (number_ == 0 && is_buffer)) return;
                            const auto [known, is_new] = own.try_emplace(&each.state());
                            if (is_new) {
                              known->second.state().is_trained = each.is_trained();
                              known->second.set(number_ == 0 ? *each : like(*each));
                            }
                            each = known->second;
                          }});
  for (const NamedParameter& each : State(*module_).all) state_.push_back(each.parameter);
  seen_.resize(state_.size());
}

Tensor Replica::like(const Tensor& original) const {
  return empty(original.shape(), {original.dtype(), device_});
}

void Replica::replace(std::size_t i, const Tensor& original, bool is_buffer) {
  const Parameter& mine = state_[i];
  if (number_ != 0) {
    mine.set(like(original));
  } else if (!is_buffer) {
    mine.set(original);
  }
  seen_[i] = {};
}

void Replica::ask_for_gradient(std::size_t i, bool value) {
  const Tensor& mine = state_[i].value();
  mine.requires_grad_(value);
  if (!value || std::exchange(seen_[i].has_hook, true)) return;
  add_accumulation_hook(mine, [weak = std::weak_ptr(listener_), i](const Tensor&) {
    const std::shared_ptr<Listener> listener = weak.lock();
    if (listener != nullptr && listener->on_ready) listener->on_ready(i);
  });
}

void Replica::follow(const State& original, const std::vector<bool>& modes) {
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const Tensor& theirs = original.all[i].parameter.value();
    const bool is_buffer = i >= original.num_parameters;
    const Parameter& mine = state_[i];
    const bool is_alike = mine.defined() && mine->shape() == theirs.shape() &&
                          mine->dtype() == theirs.dtype() &&
                          (number_ != 0 || mine->is_same(theirs));
    if (!is_alike) replace(i, theirs, is_buffer);
    if (!is_buffer) ask_for_gradient(i, theirs.requires_grad());
  }
  module::set_modes(*module_, modes);
}

bool Replica::is_stale(std::size_t i, const Tensor& original) const {
  if (number_ == 0) return false;
  const Seen& seen = seen_[i];
  return !seen.tensor.defined() || !seen.tensor.is_same(original) ||
         seen.num_overwrites != num_overwrites(original) ||
         seen.own_overwrites != num_overwrites(value(i));
}

void Replica::note_equal(std::size_t i, const Tensor& original, std::uint64_t num_overwrites) {
  seen_[i].tensor = original;
  seen_[i].num_overwrites = num_overwrites;
}

void Replica::drop_gradients(std::size_t num_parameters) const {
  for (std::size_t i = 0; i < num_parameters; ++i) value(i).set_grad(Tensor());
}

}  // namespace patchbay::nn::parallel
