// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls of fused functions: the checks of ordinary operations, then one launch.
#include "core/tensor/elementwise/fused_call.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/kernel/launch.h"
#include "core/tensor/base/overlap.h"
#include "core/tensor/dispatch/dispatch.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/elementwise/fused.h"

namespace patchbay::tensor {
namespace {

void check_num_tensors(const FusedState& state, const ExpressionProgram& program) {
  const std::size_t count = program.tensors.size() + program.outputs.size();
  if (count <= runtime::kMaxFusedTensors) return;
  raise(ErrorCode::kInvalidArgument,
        "[{}] the function has too many tensors: expected at most {} inputs that it reads and "
        "outputs, got {}. Ask for fewer gradients at a time.",
        state.name, runtime::kMaxFusedTensors, count);
}

/// One call: its arguments, which are checked, and what they add to a launch.
class Call {
 public:
  Call(const std::shared_ptr<FusedState>& state, std::span<const TensorOrScalar> arguments,
       std::span<const InputType> types)
      : state_(*state), shared_(state), op_(state->name.c_str()), arguments_(arguments) {
    if (arguments.size() != state_.num_inputs) {
      raise(ErrorCode::kInvalidArgument, "[{}] wrong number of arguments: expected {}, got {}.",
            op_, state_.num_inputs, arguments.size());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i < types.size() && types[i].kind == InputType::Kind::kAbsent) {
        types_[i] = types[i];
        continue;
      }
      if (arguments[i].is_tensor())
        inputs_[i] = &impl_of(op_, arguments[i].tensor(), input_name(i));
      types_[i] = type_of(arguments[i]);
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
    take_numbers();
    std::vector<Tensor> results;
    for (const DType dtype : program_->outputs) {
      results.push_back(make_empty(op_, shape_, dtype, *place_));
    }
    if (any_needs_grad()) [[unlikely]]
      record_fused(shared_, arguments_, types(), results);
    outputs_ = results;
    launch();
    return results;
  }

  /// Checks a call that writes to `outputs`, which must outlive the launch.
  void write_to(std::span<const Tensor> outputs) {
    if (outputs.size() != state_.outputs.size()) {
      raise(ErrorCode::kInvalidArgument, "[{}] wrong number of outputs: expected {}, got {}.", op_,
            state_.outputs.size(), outputs.size());
    }
    for (const Tensor& output : outputs) place_at(impl_of(op_, output, "out"));
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] != nullptr) refuse_gradient(op_, named(i));
    }
    find_variant();
    take_numbers();
    for (std::size_t o = 0; o < outputs.size(); ++o) check_output(outputs, o);
    outputs_ = outputs;
  }

  /// Called after the checks of all groups.
  void count_versions() const {
    for (const Tensor& output : outputs_) output.impl()->buffer().count_version();
  }

  void launch() const {
    if (is_empty()) return;
    LaunchOf<runtime::kMaxFusedTensors, runtime::kMaxFusedTensors + runtime::kMaxFusedScalars>
        launch;
    add_tensors(launch);
    add_scalars(launch);
    launch.run(state_.name, *kernel_);
  }

  /// Launches groups of the same kernel together. `calls` are not empty, nor are their tensors.
  static void launch(std::span<const Call* const> calls) {
    const Call& first = *calls[0];
    if (calls.size() == 1) return first.launch();
    const std::size_t num_tensors = calls.size() * first.num_tensors();
    LargeLaunch launch(LargeRoom(num_tensors, num_tensors + first.program_->scalars.size()));
    for (const Call* call : calls) call->add_tensors(launch);
    first.add_scalars(launch);
    launch.run(first.state_.name, *first.kernel_);
  }

  bool is_empty() const { return outputs_[0].impl()->is_empty(); }
  std::size_t num_tensors() const { return outputs_.size() + program_->tensors.size(); }

  /// Whether one launch may have the groups of both.
  bool is_like(const Call& other) const {
    return kernel_ == other.kernel_ && place_->device().info.takes_fused_groups &&
           std::ranges::equal(numbers(), other.numbers());
  }
  /// Whether it takes a number from a tensor, which a call before may write.
  bool reads_number() const {
    return std::ranges::any_of(
        program_->scalars, [this](const auto& scalar) { return inputs_[scalar.input] != nullptr; });
  }

  template <class Use>
  void for_tensors(const Use& use) const {
    for (const Tensor& output : outputs_) use(*output.impl(), /*writes=*/true);
    for (const std::uint32_t input : program_->tensors) use(*inputs_[input], /*writes=*/false);
  }

 private:
  NamedOperand named(std::size_t i) const { return {input_name(i), *inputs_[i]}; }
  std::span<const InputType> types() const { return {types_.data(), arguments_.size()}; }

  bool any_needs_grad() const {
    return std::any_of(inputs_.begin(), inputs_.end(), [](const TensorImpl* input) {
      return input != nullptr && needs_grad(*input);
    });
  }

  void read_element(std::size_t i) { types_[i].kind = InputType::Kind::kElement; }

  /// All tensors must be on one device, except host scalars, which are read as numbers.
  void match_devices() {
    // Prefers a tensor that is not 0-d, so that the error suggests copying the 0-d one.
    const auto rank = [](const TensorImpl& input) {
      return is_host_scalar(input, input) ? 0 : input.shape.rank() == 0 ? 1 : 2;
    };
    std::size_t first = arguments_.size();
    for (std::size_t i = arguments_.size(); i-- > 0;) {
      if (inputs_[i] == nullptr) continue;
      if (first == arguments_.size() || rank(*inputs_[i]) >= rank(*inputs_[first])) first = i;
    }
    if (first == arguments_.size()) return;
    place_ = inputs_[first];
    check_scalars();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] == nullptr || &inputs_[i]->device() == &place_->device()) continue;
      if (!is_host_scalar(*inputs_[i], *place_)) raise_place_mismatch(op_, named(first), named(i));
      read_element(i);
    }
  }

  /// Of numbers on several devices none says where to compute.
  void check_scalars() const {
    std::size_t known = arguments_.size();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] == nullptr || !is_host_scalar(*inputs_[i], *inputs_[i])) continue;
      if (known == arguments_.size()) known = i;
      if (are_rival_scalars(*inputs_[known], *inputs_[i])) {
        raise_place_mismatch(op_, named(known), named(i));
      }
    }
  }

  /// Computes on the device of `out`. Tensors on other devices are read as numbers.
  void place_at(const TensorImpl& out) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (inputs_[i] == nullptr || &inputs_[i]->device() == &out.device()) continue;
      if (!is_host_scalar(*inputs_[i], out)) raise_device_mismatch(op_, {"out", out}, named(i));
      read_element(i);
    }
    // A 0-d tensor that was read as a number may be on the device of `out`.
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

  /// False if the shape does not fit the earlier ones.
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
        static_cast<void>(broadcast_shapes(op_, named(i), named(last)));  // one of these throws
      }
    }
    raise(ErrorCode::kInternal, "[{}] the shapes do not broadcast.", op_);
  }

  void find_variant() {
    if (find_known()) return;
    const Describe describe = [this](std::uint32_t i) { return describe_input(i); };
    program_ = std::make_shared<const ExpressionProgram>(
        make_program(state_.name, state_.outputs, types(), describe, most_values_of(state_)));
    check_num_tensors(state_, *program_);
    // Compiling may take seconds, so it holds no lock. Two threads that compile the same program
    // get one kernel from the device's cache.
    kernel_ = prepare(place_->device());
    const auto size = static_cast<std::ptrdiff_t>(arguments_.size());
    const std::scoped_lock lock(state_.mutex);
    std::erase_if(state_.variants, [&](const auto& variant) {
      return is_this(variant) || variant.kernel.expired();  // a closed device's
    });
    state_.variants.push_back(
        {&place_->device(), {types_.begin(), types_.begin() + size}, program_, kernel_});
  }

  /// Also false for a kernel of a device that has been closed.
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
    if (&out.device() != &place_->device()) raise_devices_of_outputs(out);
    check_out(op_, out, shape_, program_->outputs[o]);
    for (const std::uint32_t input : program_->tensors) {
      check_no_partial_overlap(op_, out, named(input));
    }
    for (std::size_t other = 0; other < o; ++other) {
      check_outputs_apart(op_, out, *outputs[other].impl());
    }
  }
  /// Copying would move the results away from where they are expected.
  [[noreturn]] void raise_devices_of_outputs(const TensorImpl& out) const {
    raise(
        ErrorCode::kDeviceMismatch,
        "[{}] the outputs are on different devices (out: {}; out: {}). Give outputs on one device.",
        op_, describe(*place_), describe(out));
  }

  struct Number {
    base::ElementBits bits;
    std::uint32_t slot = 0;

    bool operator==(const Number&) const = default;
  };

  /// Numbers in tensors are read later, when the calls before have written them.
  void take_numbers() {
    for (std::size_t s = 0; s < program_->scalars.size(); ++s) {
      const auto& [input, dtype] = program_->scalars[s];
      if (inputs_[input] != nullptr) {
        check_host_scalar(op_, *inputs_[input], *place_);
        continue;
      }
      const Operand value = literal(op_, dtype, arguments_[input].scalar());
      numbers_[s] = {value.bits, value.slot};
    }
  }
  std::span<const Number> numbers() const { return {numbers_.data(), program_->scalars.size()}; }

  template <class Room>
  void add_scalars(LaunchIn<Room>& launch) const {
    for (std::size_t s = 0; s < program_->scalars.size(); ++s) {
      const auto& [input, dtype] = program_->scalars[s];
      const TensorImpl* const element = inputs_[input];
      launch.scalar(
          element != nullptr ? read_host_scalar(op_, *element, *place_) : numbers_[s].bits, dtype,
          numbers_[s].slot);
    }
  }

  template <class Room>
  void add_tensors(LaunchIn<Room>& launch) const {
    const bool flat = is_flat();
    for_tensors([&](const TensorImpl& tensor, bool writes) {
      add(launch, tensor, flat, writes ? PATCHBAY_WRITE : PATCHBAY_READ);
    });
  }

  bool is_flat() const {
    bool fits = true;
    for_tensors([&](const TensorImpl& tensor, bool) {
      fits = fits && tensor.is_contiguous && tensor.shape == shape_;
    });
    return fits;
  }

  /// Adds a tensor in the result's shape; a broadcast dimension has stride 0.
  template <class Room>
  void add(LaunchIn<Room>& launch, const TensorImpl& tensor, bool flat, std::uint8_t access) const {
    if (flat) return launch.flat(tensor, access);
    Shape strides = shape_;
    const int missing = shape_.rank() - tensor.shape.rank();
    for (int i = 0; i < shape_.rank(); ++i) {
      const bool repeats = i < missing || (tensor.shape[i - missing] == 1 && shape_[i] != 1);
      strides[i] = repeats ? 0 : tensor.strides[i - missing];
    }
    launch.tensor(tensor, shape_, strides, access);
  }

  FusedState& state_;
  const std::shared_ptr<FusedState>& shared_;
  const char* const op_;
  const std::span<const TensorOrScalar> arguments_;
  std::array<const TensorImpl*, kMaxFusedInputs> inputs_{};  // null if not a tensor
  std::array<InputType, kMaxFusedInputs> types_{};
  const TensorImpl* place_ = nullptr;
  Shape shape_;
  std::shared_ptr<const ExpressionProgram> program_;
  std::shared_ptr<runtime::KernelState> kernel_;
  std::array<Number, runtime::kMaxFusedScalars> numbers_;
  std::span<const Tensor> outputs_;
};

/// Whether the calls have the same results in any order.
bool are_apart(std::span<const Call* const> calls) {
  GroupRanges ranges(calls.size() * calls[0]->num_tensors());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i]->reads_number()) return false;
    calls[i]->for_tensors(
        [&](const TensorImpl& tensor, bool writes) { ranges.add(i, tensor, writes); });
  }
  return ranges.are_apart();
}

/// Launches calls that have the same results in any order, those that are alike together.
void launch_together(std::span<const Call* const> calls) {
  std::vector<std::vector<const Call*>> launches;
  for (const Call* call : calls) {
    const auto found = std::ranges::find_if(
        launches, [&](const auto& launch) { return call->is_like(*launch[0]); });
    if (found == launches.end()) {
      launches.push_back({call});
    } else {
      found->push_back(call);
    }
  }
  for (const auto& launch : launches) Call::launch(launch);
}

}  // namespace

InputType type_of(const TensorOrScalar& argument) {
  if (!argument.is_tensor()) return {InputType::Kind::kNumber, DType::f32};
  return {InputType::Kind::kTensor, argument.tensor().dtype()};
}

std::vector<Tensor> call_fused(const std::shared_ptr<FusedState>& state,
                               std::span<const TensorOrScalar> arguments,
                               std::span<const InputType> types) {
  return Call(state, arguments, types).run();
}

void call_fused_out(const std::shared_ptr<FusedState>& state, std::span<const Tensor> outputs,
                    std::span<const TensorOrScalar> arguments) {
  Call call(state, arguments, {});
  call.write_to(outputs);
  call.count_versions();
  call.launch();
}

void call_fused_groups_out(const std::shared_ptr<FusedState>& state,
                           std::span<const FusedGroup> groups) {
  std::vector<Call> calls;
  calls.reserve(groups.size());
  for (const FusedGroup& group : groups) {
    calls.emplace_back(state, group.arguments, std::span<const InputType>())
        .write_to(group.outputs);
  }
  std::vector<const Call*> filled;
  for (const Call& call : calls) {
    call.count_versions();
    if (!call.is_empty()) filled.push_back(&call);
  }
  if (filled.size() > 1 && are_apart(filled)) return launch_together(filled);
  for (const Call* call : filled) call->launch();
}

}  // namespace patchbay::tensor
