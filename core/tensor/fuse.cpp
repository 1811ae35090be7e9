// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls of fused functions: what ordinary operations check, then one launch.
#include "patchbay/fuse.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "core/runtime/fused_kernel.h"
#include "core/runtime/launch.h"
#include "core/tensor/create.h"
#include "core/tensor/expression_program.h"
#include "core/tensor/operands.h"
#include "core/tensor/overlap.h"

namespace patchbay {

namespace tensor {

constexpr std::size_t kMaxInputs = FusedFunction::kMaxInputs;

/// A traced function, and what was prepared for the calls so far.
struct FusedState {
  /// For one device and one kind and dtype of each argument.
  struct Variant {
    const runtime::DeviceState* device;
    std::vector<InputType> types;
    std::shared_ptr<const ExpressionProgram> program;
    std::weak_ptr<runtime::KernelState> kernel;  // of the device's cache
  };

  const std::string name;
  const std::uint64_t function;  // whose parameters the inputs are
  const std::size_t num_inputs;
  const std::vector<Expression> outputs;

  std::mutex mutex;
  std::vector<Variant> variants;  // under the mutex
};

namespace {

using runtime::raise;

/// The name of an input in messages: a, b, c ... as in ops.h.
const char* input_name(std::size_t i) {
  static constexpr const char kNames[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o";
  return kNames + 2 * i;
}

std::uint64_t next_function() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void check_traced(const FusedState& state) {
  if (state.outputs.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function gives nothing: expected one expression or more.", state.name);
  }
  const std::size_t num_tensors = state.num_inputs + state.outputs.size();
  if (state.num_inputs > kMaxInputs || num_tensors > runtime::kMaxFusedTensors) {
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function has too many parameters: expected at most {} inputs and outputs, got "
          "{}. Split it.",
          state.name, runtime::kMaxFusedTensors, num_tensors);
  }
  for (const Expression& output : state.outputs) {
    if (output.node() != nullptr) continue;
    raise(ErrorCode::kInvalidArgument, "[{}] an output is an undefined expression.", state.name);
  }
  for (const NodePtr& node : nodes_of(state.outputs)) {
    if (node->kind != ExpressionNode::Kind::kInput || node->function == state.function) continue;
    raise(ErrorCode::kInvalidArgument,
          "[{}] the function uses an expression of another function: expected its own parameters "
          "alone. Pass what it needs as a parameter.",
          state.name);
  }
}

std::shared_ptr<FusedState> make_state(std::string name, std::uint64_t function,
                                       std::size_t num_inputs, std::vector<Expression> outputs) {
  auto state = std::shared_ptr<FusedState>(
      new FusedState{std::move(name), function, num_inputs, std::move(outputs), {}, {}});
  check_traced(*state);
  return state;
}

/// One call: its arguments as they are checked, and its launch.
class Call {
 public:
  Call(FusedState& state, std::span<const FusedArgument> arguments)
      : state_(state), op_(state.name.c_str()), arguments_(arguments) {
    if (arguments.size() != state.num_inputs) {
      raise(ErrorCode::kInvalidArgument, "[{}] wrong number of arguments: expected {}, got {}.",
            op_, state.num_inputs, arguments.size());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Tensor* const tensor = arguments[i].tensor();
      inputs_[i] = tensor != nullptr ? &impl_of(op_, *tensor, input_name(i)) : nullptr;
      types_[i].kind = tensor != nullptr ? InputType::Kind::kTensor : InputType::Kind::kNumber;
      types_[i].dtype = tensor != nullptr ? inputs_[i]->dtype : DType::f32;
    }
    match_devices();
    find_shape();
  }

  std::vector<Tensor> run() {
    if (place_ == nullptr) {
      raise(ErrorCode::kInvalidArgument,
            "[{}] all arguments are numbers: expected a tensor among them, whose device and dtype "
            "the result has.",
            op_);
    }
    find_variant();
    std::vector<Tensor> results;
    for (const DType dtype : program_->outputs) {
      results.push_back(make_empty(op_, shape_, dtype, *place_));
    }
    launch(results);
    return results;
  }

  void run_out(std::span<const Tensor> outputs) {
    if (outputs.size() != state_.outputs.size()) {
      raise(ErrorCode::kInvalidArgument, "[{}] wrong number of outputs: expected {}, got {}.", op_,
            state_.outputs.size(), outputs.size());
    }
    for (const Tensor& output : outputs) place_at(impl_of(op_, output, "out"));
    find_variant();
    for (std::size_t o = 0; o < outputs.size(); ++o) check_output(outputs, o);
    launch(outputs);
  }

 private:
  Named named(std::size_t i) const { return {input_name(i), *inputs_[i]}; }

  void read_element(std::size_t i) { types_[i].kind = InputType::Kind::kElement; }
  bool is_tensor(std::size_t i) const { return types_[i].kind == InputType::Kind::kTensor; }

  /// All tensors are where the first is that can't be read as a number from elsewhere.
  void match_devices() {
    std::size_t first = arguments_.size();
    for (std::size_t i = arguments_.size(); i-- > 0;) {
      if (inputs_[i] == nullptr) continue;
      const bool better = first == arguments_.size() || !is_host_scalar(*inputs_[i], *inputs_[i]) ||
                          is_host_scalar(*inputs_[first], *inputs_[first]);
      if (better) first = i;
    }
    if (first == arguments_.size()) return;
    place_ = inputs_[first];
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] == nullptr || &inputs_[i]->device() == &place_->device()) continue;
      if (!is_host_scalar(*inputs_[i], *place_)) raise_device_mismatch(op_, named(first), named(i));
      read_element(i);
    }
  }

  /// The result is where `out` is, which may turn tensors into numbers.
  void place_at(const TensorImpl& out) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] == nullptr || &inputs_[i]->device() == &out.device()) continue;
      if (!is_host_scalar(*inputs_[i], out)) raise_device_mismatch(op_, {"out", out}, named(i));
      read_element(i);
    }
    // A 0-d tensor that was read as a number may be where `out` is.
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] == nullptr || &inputs_[i]->device() != &out.device()) continue;
      types_[i].kind = InputType::Kind::kTensor;
    }
    place_ = &out;
  }

  void find_shape() {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] != nullptr && !broadcast(inputs_[i]->shape)) raise_shapes(i);
    }
  }

  /// False if the shape does not fit to those before it.
  bool broadcast(const Shape& other) {
    while (shape_.rank() < other.rank()) shape_.insert(0, 1);
    for (int i = 1; i <= other.rank(); ++i) {
      std::int64_t& mine = shape_[shape_.rank() - i];
      const std::int64_t extent = other[other.rank() - i];
      if (mine != extent && mine != 1 && extent != 1) return false;
      if (mine == 1) mine = extent;
    }
    return true;
  }
  [[noreturn]] void raise_shapes(std::size_t last) {
    for (std::size_t i = 0; i < last; ++i) {
      if (inputs_[i] != nullptr) {
        static_cast<void>(broadcast_shapes(op_, named(i), named(last)));  // one of them throws
      }
    }
    raise(ErrorCode::kInternal, "[{}] the shapes do not broadcast.", op_);
  }

  void find_variant() {
    if (find_known()) return;
    const Describe describe = [this](std::uint32_t i) { return describe_input(i); };
    const std::span<const InputType> types(types_.data(), arguments_.size());
    program_ = std::make_shared<const ExpressionProgram>(
        make_program(state_.name, state_.outputs, types, describe));
    // Compiling may take seconds, in which other calls go on. Two threads that do the same get one
    // kernel from the device's cache.
    kernel_ = prepare(place_->device());
    const std::scoped_lock lock(state_.mutex);
    std::erase_if(state_.variants, [&](const auto& variant) { return is_this(variant); });
    state_.variants.push_back({&place_->device(), {types.begin(), types.end()}, program_, kernel_});
  }

  /// False too for a kernel of a device that was closed since.
  bool find_known() {
    const std::scoped_lock lock(state_.mutex);
    const auto found = std::find_if(state_.variants.begin(), state_.variants.end(),
                                    [&](const auto& variant) { return is_this(variant); });
    if (found == state_.variants.end()) return false;
    program_ = found->program;
    kernel_ = found->kernel.lock();
    return kernel_ != nullptr;
  }
  bool is_this(const FusedState::Variant& variant) const {
    return variant.device == &place_->device() &&
           std::equal(variant.types.begin(), variant.types.end(), types_.begin());
  }

  std::string describe_input(std::size_t i) const {
    if (inputs_[i] != nullptr) return describe(named(i));
    return fmt::format("{}: the number {}", input_name(i), arguments_[i].scalar().to_string());
  }

  std::shared_ptr<runtime::KernelState> prepare(runtime::DeviceState& device) const {
    std::vector<ArgumentSpec> specs;
    for (const DType dtype : program_->outputs) {
      check_device_has(op_, device, dtype);
      specs.push_back(ArgumentSpec::tensor(dtype, Access::kWrite));
    }
    for (const std::uint32_t input : program_->tensors) {
      specs.push_back(ArgumentSpec::tensor(types_[input].dtype, Access::kRead));
    }
    for (const auto& scalar : program_->scalars)
      specs.push_back(ArgumentSpec::scalar(scalar.dtype));
    return runtime::fused_kernel(device, state_.name, program_->text, std::move(specs));
  }

  void check_output(std::span<const Tensor> outputs, std::size_t o) const {
    const TensorImpl& out = *outputs[o].impl();
    check_same_device(op_, {"out", *place_}, {"out", out});
    check_out(op_, out, shape_, program_->outputs[o]);
    for (const std::uint32_t input : program_->tensors) {
      check_no_partial_overlap(op_, out, named(input));
    }
    for (std::size_t other = 0; other < o; ++other) {
      check_no_overlap(op_, out, {"another out", *outputs[other].impl()});
    }
  }

  void launch(std::span<const Tensor> outputs) {
    if (outputs[0].impl()->is_empty()) return;
    const bool flat = is_flat(outputs);
    for (const Tensor& output : outputs) add(*output.impl(), flat, PATCHBAY_WRITE);
    for (const std::uint32_t input : program_->tensors) add(*inputs_[input], flat, PATCHBAY_READ);
    for (const auto& scalar : program_->scalars) {
      patchbay_argument& argument = next();
      runtime::set_scalar(argument, bits_of(scalar), scalar.dtype);
    }
    runtime::launch(*kernel_, std::span(raw_.data(), num_raw_), std::span(uses_.data(), num_uses_),
                    state_.name);
  }

  std::uint64_t bits_of(const ExpressionProgram::Scalar& scalar) const {
    if (inputs_[scalar.input] != nullptr) return read_host_scalar(*inputs_[scalar.input]);
    return arguments_[scalar.input].scalar().bits(scalar.dtype, op_);
  }

  bool is_flat(std::span<const Tensor> outputs) const {
    const auto fits = [&](const TensorImpl& tensor) {
      return tensor.is_contiguous && tensor.shape == shape_;
    };
    return std::all_of(outputs.begin(), outputs.end(),
                       [&](const Tensor& output) { return fits(*output.impl()); }) &&
           std::all_of(program_->tensors.begin(), program_->tensors.end(),
                       [&](std::uint32_t input) { return fits(*inputs_[input]); });
  }

  patchbay_argument& next() {
    patchbay_argument& argument = raw_[num_raw_++];
    std::memset(argument.reserved0, 0, sizeof(argument.reserved0));
    std::memset(argument.reserved1, 0, sizeof(argument.reserved1));
    return argument;
  }

  /// Of the shape of the result: a dimension that broadcasts has stride 0.
  void add(const TensorImpl& tensor, bool flat, std::uint8_t access) {
    patchbay_argument& argument = next();
    const int rank = flat ? 1 : shape_.rank();
    runtime::set_tensor(argument, tensor.buffer(), tensor.offset_bytes, tensor.dtype, rank, access);
    uses_[num_uses_++] = {&tensor.buffer(), access == PATCHBAY_WRITE, access != PATCHBAY_WRITE};
    if (flat) {
      argument.shape[0] = tensor.num_elements;
      argument.strides[0] = 1;
      return;
    }
    const int missing = rank - tensor.shape.rank();
    for (int i = 0; i < rank; ++i) {
      const bool repeats = i < missing || (tensor.shape[i - missing] == 1 && shape_[i] != 1);
      argument.shape[i] = shape_[i];
      argument.strides[i] = repeats ? 0 : tensor.strides[i - missing];
    }
  }

  FusedState& state_;
  const char* const op_;
  const std::span<const FusedArgument> arguments_;
  std::array<const TensorImpl*, kMaxInputs> inputs_{};  // null for numbers
  std::array<InputType, kMaxInputs> types_{};
  const TensorImpl* place_ = nullptr;
  Shape shape_;
  std::shared_ptr<const ExpressionProgram> program_;
  std::shared_ptr<runtime::KernelState> kernel_;
  std::array<patchbay_argument, runtime::kMaxFusedTensors + runtime::kMaxFusedScalars> raw_;
  std::array<runtime::Use, runtime::kMaxFusedTensors> uses_;
  std::size_t num_raw_ = 0, num_uses_ = 0;
};

}  // namespace
}  // namespace tensor

FusedFunction::FusedFunction(std::size_t num_inputs, const Body& body, std::string name) {
  const std::uint64_t function = tensor::next_function();
  std::vector<Expression> inputs;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    inputs.push_back(tensor::input(function, static_cast<std::uint32_t>(i)));
  }
  state_ = tensor::make_state(std::move(name), function, num_inputs, body(inputs));
}

std::size_t FusedFunction::num_inputs() const { return state_->num_inputs; }
std::size_t FusedFunction::num_outputs() const { return state_->outputs.size(); }
const std::string& FusedFunction::name() const { return state_->name; }

std::vector<Tensor> FusedFunction::call(std::span<const FusedArgument> arguments) const {
  return tensor::Call(*state_, arguments).run();
}

void FusedFunction::call_out(std::span<const Tensor> outputs,
                             std::span<const FusedArgument> arguments) const {
  tensor::Call(*state_, arguments).run_out(outputs);
}

FusedFunction FusedFunction::gradients(const std::vector<std::size_t>& wanted) const {
  const std::uint64_t function = state_->function;
  const std::size_t num_inputs = state_->num_inputs;
  std::vector<Expression> all(num_inputs, Expression(nullptr)), incoming, targets;
  for (const tensor::NodePtr& node : tensor::nodes_of(state_->outputs)) {
    if (node->kind == tensor::ExpressionNode::Kind::kInput) all[node->input] = Expression(node);
  }
  for (std::size_t i = 0; i < num_inputs; ++i) {
    if (all[i].node() == nullptr) all[i] = tensor::input(function, static_cast<std::uint32_t>(i));
    if (wanted.empty()) targets.push_back(all[i]);
  }
  for (const std::size_t i : wanted) {
    if (i >= num_inputs) {
      tensor::raise(ErrorCode::kInvalidArgument,
                    "[{}] gradients: input {} does not exist: expected less than {}.", state_->name,
                    i, num_inputs);
    }
    targets.push_back(all[i]);
  }
  for (std::size_t o = 0; o < state_->outputs.size(); ++o) {
    incoming.push_back(tensor::input(function, static_cast<std::uint32_t>(num_inputs + o)));
  }
  std::vector<Expression> results = tensor::gradients(state_->outputs, incoming, targets);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Expression flow = results[i].node() != nullptr ? results[i] : tensor::literal(0);
    results[i] = tensor::like(flow, targets[i]);
  }
  return FusedFunction(tensor::make_state(state_->name + " gradients", function,
                                          num_inputs + incoming.size(), std::move(results)));
}

}  // namespace patchbay
