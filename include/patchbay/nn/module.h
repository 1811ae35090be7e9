// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Modules: docs/modules.md. A module has parameters, buffers and other modules as members, which it
// names in members():
//
//   class Net : public nn::Module {
//    public:
//     Tensor forward(const Tensor& x) override { return out(relu(hidden(x))); }
//     void members(nn::Members& each) override {
//       each("hidden", hidden);
//       each("out", out);
//     }
//     nn::Linear hidden{784, 256}, out{256, 10};
//   };
#ifndef PATCHBAY_NN_MODULE_H_
#define PATCHBAY_NN_MODULE_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/nn/parameter.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

class Module;

/// What Module::members() calls for each member. Names have no dots and differ from each other.
class PATCHBAY_API Members {
 public:
  virtual ~Members();
  void operator()(std::string_view name, Module& module) { visit(name, module); }
  void operator()(std::string_view name, Parameter& parameter) { visit(name, parameter, false); }
  /// A tensor that belongs to the module's state and is not trained: running statistics.
  void buffer(std::string_view name, Parameter& buffer) { visit(name, buffer, true); }

 protected:
  virtual void visit(std::string_view name, Module& module) = 0;
  virtual void visit(std::string_view name, Parameter& parameter, bool is_buffer) = 0;
};

struct NamedParameter {
  std::string name;  // "hidden.weight": the names from the module down, joined by dots
  Parameter parameter;
};
struct NamedModule {
  std::string name;  // "" for the module itself
  Module* module;
};

/// A function of tensors with parameters. A value: a copy of a module has members of its own, whose
/// parameters are the same parameters; clone() copies these too. Not thread-safe: each thread needs
/// its own module (see DataParallel).
class PATCHBAY_API Module {
 public:
  virtual ~Module();

  /// Runs forward between the hooks. An error that is thrown inside names the layer; if the input
  /// is not on the device of the layer's parameters, it names layer, parameter and both devices.
  Tensor operator()(const Tensor& input);
  /// What the module computes. Overridden by modules of one tensor; others have an operator() of
  /// their own.
  virtual Tensor forward(const Tensor& input);
  /// Calls `each` for every member, always in the same order.
  virtual void members(Members& each);
  /// The name of the class, and what it was made with ("784, 256"), for summaries and messages.
  virtual std::string type_name() const;
  virtual std::string details() const;

  // What is below, the module itself first, in the order of members(). A parameter or module that
  // has several names is there once, under its first.
  std::vector<NamedParameter> named_parameters();
  std::vector<NamedParameter> named_buffers();
  std::vector<NamedModule> named_modules();
  std::vector<Parameter> parameters();
  /// The parameter or buffer of that name. Errors: kInvalidArgument names the nearest one.
  Parameter parameter(std::string_view name);
  /// The number of elements of all parameters. Errors: kInvalidArgument if a lazy layer has no
  /// shape yet.
  std::int64_t num_parameters();

  /// Moves all parameters, buffers and gradients to the device, and what optimisers keep of them.
  /// Lazy layers will have their parameters there. Each copy is counted; blocks until they are
  /// done. Nothing has moved if it throws. A parameter that moves has a new tensor, which asks for
  /// gradients if the old one did; hooks stay with the old one (add_gradient_hook,
  /// add_accumulation_hook), and graphs that were recorded before give their gradients to it.
  /// Errors: those of Tensor::to; kInvalidArgument inside an InferenceMode scope if a parameter
  /// that asks for gradients would move.
  Module& move_to(const Device& device);
  /// The device of that name in the runtime of the module's first parameter or buffer; in the
  /// default runtime if there is none.
  Module& move_to(std::string_view device_name);
  Module& move_to(const char* device_name) {
    return move_to(std::string_view(device_name != nullptr ? device_name : ""));
  }
  Module& move_to(const std::string& device_name) { return move_to(std::string_view(device_name)); }
  /// Converts all parameters and buffers of floats, and gradients; buffers are f32 if the dtype is
  /// f16 or bf16, in which running statistics would stop moving. A parameter that is converted has
  /// a new tensor, as after move_to. Nothing is converted if it throws. Errors: kDtypeMismatch
  /// unless the dtype is f32, f64, f16 or bf16; as move_to inside an InferenceMode scope.
  Module& cast(DType dtype);
  /// Whether modules compute as in training: dropout and batch norm do otherwise in evaluation.
  /// Sets the mode of this module and of all below.
  Module& train(bool is_training = true);
  Module& eval() { return train(false); }
  bool is_training() const { return is_training_; }
  /// Removes the gradients of all parameters.
  void zero_grad();
  /// Turns gradients of all parameters on or off. Gradients that are there stay, and the next step
  /// of an optimiser applies them: zero_grad() removes them. Errors, if they are turned on:
  /// kInvalidArgument inside an InferenceMode scope; kDtypeMismatch for a parameter of integers.
  Module& requires_grad(bool value = true);

  /// Called before forward with the input; what it returns, unless undefined, replaces the input.
  using PreHook = std::function<Tensor(Module&, const Tensor& input)>;
  /// Called after forward; what it returns, unless undefined, replaces the output.
  using Hook = std::function<Tensor(Module&, const Tensor& input, const Tensor& output)>;
  /// Hooks run, in the order in which they were added, in calls with one tensor: module(input).
  /// They do not run in the operator() of several operands that some classes have: losses, LSTM and
  /// GRU with a state, MultiheadAttention with query, key and value (as TransformerEncoderLayer
  /// calls it), TransformerEncoderLayer with options. A hook may add and remove hooks: one that it
  /// removes is not called any more, one of its own kind that it adds is called from the next call
  /// on. The number removes the hook.
  std::uint64_t add_pre_hook(PreHook hook);
  std::uint64_t add_hook(Hook hook);
  void remove_hook(std::uint64_t number);

  /// A table of the modules below, their parameters and sizes.
  std::string summary();

 protected:
  Module() = default;
  // A module is copied as what it is, never as a Module alone.
  Module(const Module&) = default;
  Module(Module&&) noexcept = default;
  Module& operator=(const Module&) = default;
  Module& operator=(Module&&) noexcept = default;

  /// For modules whose forward takes other operands: names the layer in what `forward` throws, as
  /// operator() does. Runs no hooks.
  void call(const Tensor& input, const std::function<void()>& forward);

 private:
  Tensor run(const Tensor& input);
  /// The module whose members this one gives as its own, if there is one. It is none of the modules
  /// below, and has the mode that train() gives to this one.
  virtual Module* stands_for() { return nullptr; }

  struct NumberedPreHook {
    std::uint64_t number;
    PreHook call;
  };
  struct NumberedHook {
    std::uint64_t number;
    Hook call;
  };

  bool is_training_ = true;
  std::uint64_t num_hooks_ = 0;
  std::vector<NumberedPreHook> pre_hooks_;
  std::vector<NumberedHook> hooks_;
};

namespace module {
/// Gives each parameter below a place of its own, with a copy of its tensor on the same device.
/// What was one parameter stays one.
PATCHBAY_API void separate(Module& module);
}  // namespace module

/// A module with the same values and parameters of its own. Errors: kInvalidArgument inside an
/// InferenceMode scope if a parameter asks for gradients.
template <std::derived_from<Module> M>
[[nodiscard]] M clone(const M& original) {
  M copy(original);
  module::separate(copy);
  return copy;
}

/// The summary.
PATCHBAY_API std::ostream& operator<<(std::ostream& out, Module& module);

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_MODULE_H_
