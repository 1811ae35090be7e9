// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A copy of a module for one device, which follows the original.
#ifndef PATCHBAY_CORE_NN_PARALLEL_REPLICA_H_
#define PATCHBAY_CORE_NN_PARALLEL_REPLICA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "patchbay/autograd.h"
#include "patchbay/device.h"
#include "patchbay/nn/containers.h"
#include "patchbay/nn/module.h"
#include "patchbay/process_group.h"

namespace patchbay::nn::parallel {

/// The parameters and then the buffers of a module, each once, in the order of its members.
struct State {
  explicit State(Module& module);

  std::vector<NamedParameter> all;
  std::size_t num_parameters = 0;
};

/// The parameters of replica 0 have the elements of the original's in its very storage, and its
/// buffers are the original's; those of the others are copies on their device.
class Replica {
 public:
  Replica(const AnyModule& original, std::size_t number, const Device& device);

  Module& module() const { return *module_; }
  std::size_t number() const { return number_; }
  const Device& device() const { return device_; }
  /// In the order of State.
  const std::vector<Parameter>& state() const { return state_; }
  const Tensor& value(std::size_t i) const { return state_[i].value(); }

  /// Whom to tell that the gradient of a parameter is complete; nobody if it is empty.
  void set_on_ready(std::function<void(std::size_t parameter)> on_ready) const {
    listener_->on_ready = std::move(on_ready);
  }

  /// Takes over which parameters require gradients, tensors that were replaced, and the modes of
  /// the modules. Not inside an InferenceMode scope, which has no gradients.
  void follow(const State& original, const std::vector<bool>& modes);
  /// Whether element `i` of the state may differ from the original's.
  bool is_stale(std::size_t i, const Tensor& original) const;
  /// Notes that what the original has was just written to it.
  void note_received(std::size_t i) { seen_[i].own_overwrites = num_overwrites(value(i)); }
  /// Notes that value i is now a copy of the original as it was after that many overwrites.
  void note_equal(std::size_t i, const Tensor& original, std::uint64_t num_overwrites);
  void drop_gradients(std::size_t num_parameters) const;

 private:
  /// What an element of the state was last made equal to.
  struct Seen {
    Tensor tensor;  // the original's
    std::uint64_t num_overwrites = 0;
    std::uint64_t own_overwrites = 0;  // by then; a module may write to what is its own alone
    bool has_hook = false;
  };
  /// Hooks of parameters share it, because a graph of the program may outlive the replica.
  struct Listener {
    std::function<void(std::size_t parameter)> on_ready;
  };

  Tensor like(const Tensor& original) const;
  /// Gives it another tensor.
  void replace(std::size_t i, const Tensor& original, bool is_buffer);
  void ask_for_gradient(std::size_t i, bool value);

  const std::size_t number_;
  const Device device_;
  AnyModule module_;
  std::vector<Parameter> state_;
  std::vector<Seen> seen_;
  std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();
};

}  // namespace patchbay::nn::parallel

#endif  // PATCHBAY_CORE_NN_PARALLEL_REPLICA_H_
