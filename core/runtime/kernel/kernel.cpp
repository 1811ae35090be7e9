// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/kernel.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/kernel/launch.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay {
namespace {

using base::raise;

std::string_view to_string(ArgumentSpec::Kind kind) {
  switch (kind) {
    case ArgumentSpec::Kind::kTensor: return "tensor";
    case ArgumentSpec::Kind::kScalar: return "scalar";
    case ArgumentSpec::Kind::kBytes: return "bytes";
  }
  return "unknown";
}

/// The bytes from the first element to the end of the last.
std::size_t extent_bytes(const Argument& argument, std::string_view op, std::size_t index) {
  if (argument.strides.rank() != argument.shape.rank()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] argument {}: expected as many strides as extents, got {} for shape {}.", op,
                index, to_string(argument.strides), to_string(argument.shape));
  }
  std::int64_t last = 0, count = 1;
  bool overflows = false, is_empty = false;
  for (const std::int64_t extent : argument.shape) {
    if (extent < 0) {
      base::raise(ErrorCode::kInvalidArgument,
                  "[{}] argument {}: expected extents of 0 or more, got {}.", op, index,
                  to_string(argument.shape));
    }
    is_empty = is_empty || extent == 0;
    overflows = overflows || (extent != 0 && __builtin_mul_overflow(count, extent, &count));
  }
  if (is_empty && !overflows) return 0;
  for (int i = 0; i < argument.shape.rank(); ++i) {
    std::int64_t reach = 0;
    if (argument.strides[i] < 0) {
      base::raise(ErrorCode::kInvalidArgument,
                  "[{}] argument {}: expected strides of 0 or more, got {}.", op, index,
                  to_string(argument.strides));
    }
    overflows = overflows ||
                __builtin_mul_overflow(argument.shape[i] - 1, argument.strides[i], &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  std::int64_t bytes = 0;
  const auto element_bytes = static_cast<std::int64_t>(size_bytes(argument.dtype));
  overflows = overflows || __builtin_add_overflow(last, 1, &last) ||
              __builtin_mul_overflow(last, element_bytes, &bytes);
  if (overflows) {
    base::raise(ErrorCode::kOverflow,
                "[{}] argument {}: shape {} with strides {} overflows 64 bits.", op, index,
                to_string(argument.shape), to_string(argument.strides));
  }
  return static_cast<std::size_t>(bytes);
}

void check_kind(const Argument& argument, const ArgumentSpec& spec, std::string_view op,
                std::size_t index) {
  if (argument.kind != spec.kind || argument.dtype != spec.dtype) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] argument {}: expected a {} of {}, got a {} of {}.", op, index,
                to_string(spec.kind), to_string(spec.dtype), to_string(argument.kind),
                to_string(argument.dtype));
  }
  if (spec.kind != ArgumentSpec::Kind::kTensor || spec.any_shape) return;
  if (!(argument.shape == spec.shape) || !(argument.strides == spec.strides)) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[{}] argument {}: the kernel was prepared for shape {} and strides {}, got {} and {}.", op,
        index, to_string(spec.shape), to_string(spec.strides), to_string(argument.shape),
        to_string(argument.strides));
  }
}

void check_tensor(const Argument& argument, Access access, const runtime::DeviceState& device,
                  std::string_view op, std::size_t index) {
  if (!argument.buffer) {
    base::raise(ErrorCode::kInvalidArgument, "[{}] argument {}: the tensor has no buffer.", op,
                index);
  }
  const runtime::DeviceState& owner = *argument.buffer.state()->device;
  if (&owner != &device) {
    base::raise(ErrorCode::kDeviceMismatch, "[{}] argument {} is on {}, the kernel on {}. {}", op,
                index, owner.info.name_text, device.info.name_text,
                &owner.runtime == &device.runtime
                    ? "Copy it there first."
                    : "They belong to two runtimes, which do not mix: copy through host memory.");
  }
  if (access != Access::kRead && argument.buffer.state()->is_read_only) {
    argument.buffer.state()->raise_read_only(op, fmt::format("argument {}", index));
  }
  const std::size_t bytes = extent_bytes(argument, op, index);
  if (argument.offset_bytes % size_bytes(argument.dtype) != 0) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[{}] argument {}: expected an offset that is a multiple of the {} bytes of {}, got {}.",
        op, index, size_bytes(argument.dtype), to_string(argument.dtype), argument.offset_bytes);
  }
  const std::size_t size = argument.buffer.size_bytes();
  if (argument.offset_bytes > size || bytes > size - argument.offset_bytes) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] argument {}: {} bytes from offset {} reach outside a buffer of {} bytes.", op,
                index, bytes, argument.offset_bytes, size);
  }
}

/// Which argument of the spec each argument of a launch follows. Launches of fused expressions may
/// have several groups of tensors, and the scalars after them.
class Order {
 public:
  Order(const runtime::KernelState& kernel, std::size_t num_arguments, std::string_view op) {
    const std::vector<ArgumentSpec>& specs = kernel.spec.arguments;
    if (num_arguments == specs.size()) return;
    num_tensors_ = kernel.module == nullptr ? 0 : num_tensors(specs);
    num_others_ = num_arguments - specs.size();
    if (num_arguments < specs.size() || num_tensors_ == 0 || num_others_ % num_tensors_ != 0) {
      base::raise(ErrorCode::kInvalidArgument, "[{}] expected {} arguments, got {} ({}).", op,
                  specs.size(), num_arguments, kernel.device.info.name_text);
    }
    if (!kernel.device.info.takes_fused_groups) {
      base::raise(
          ErrorCode::kUnsupported,
          "[{}] {} groups of tensors: this device takes one in a launch ({}). Launch once for "
          "each.",
          op, num_others_ / num_tensors_ + 1, kernel.device.info.name_text);
    }
  }

  std::size_t spec_of(std::size_t argument) const {
    return argument < num_others_ ? argument % num_tensors_ : argument - num_others_;
  }

 private:
  static std::size_t num_tensors(const std::vector<ArgumentSpec>& specs) {
    return static_cast<std::size_t>(
        std::ranges::count(specs, ArgumentSpec::Kind::kTensor, &ArgumentSpec::kind));
  }

  std::size_t num_tensors_ = 0, num_others_ = 0;  // of a group; before the last group
};

patchbay_argument to_abi(const Argument& argument, Access access) {
  patchbay_argument result{};
  result.access = static_cast<std::uint8_t>(access);
  if (argument.kind == ArgumentSpec::Kind::kScalar) {
    runtime::set_scalar(result, argument.scalar_bits, argument.dtype);
    return result;
  }
  if (argument.kind == ArgumentSpec::Kind::kBytes) {
    result.kind = PATCHBAY_BYTES;
    result.value.bytes = {argument.bytes.data(), argument.bytes.size()};
    return result;
  }
  runtime::set_tensor(result, *argument.buffer.state(), argument.offset_bytes, argument.dtype,
                      argument.shape.rank(), static_cast<std::uint8_t>(access));
  std::copy(argument.shape.begin(), argument.shape.end(), result.shape);
  std::copy(argument.strides.begin(), argument.strides.end(), result.strides);
  return result;
}

/// Launches without waits for work that the caller knows of.
void launch_by_hand(runtime::StreamState& stream, runtime::KernelState& kernel,
                    std::span<const patchbay_argument> arguments,
                    std::span<const runtime::BufferAccess> uses, std::string_view name) {
  stream.check_home(name);
  if (!runtime::are_tracked(uses)) {
    return runtime::launch_on(stream, kernel, arguments, uses, name);
  }
  if (stream.completes_inline) {
    runtime::insert_waits(stream, uses, name);  // work that has run can't be ordered later
  } else {
    for (const runtime::BufferAccess& use : uses) use.buffer->insert_inherited_waits(stream);
    runtime::check_readable(uses, name);
  }
  const std::uint64_t known = runtime::BufferState::faults_so_far();
  runtime::launch_on(stream, kernel, arguments, uses, name);
  runtime::note_rewritten(arguments, uses, known);
}

/// A kernel handle that also keeps the runtime alive.
std::shared_ptr<runtime::KernelState> hold(const Device& device,
                                           std::shared_ptr<runtime::KernelState> kernel) {
  struct OwnedKernel {
    std::shared_ptr<runtime::DeviceState> device;
    std::shared_ptr<runtime::KernelState> kernel;
  };
  auto held = std::make_shared<OwnedKernel>(OwnedKernel{device.shared_state(), std::move(kernel)});
  runtime::KernelState* raw = held->kernel.get();
  return {std::move(held), raw};
}

}  // namespace

ArgumentSpec ArgumentSpec::tensor(DType dtype, Access access) {
  ArgumentSpec spec;
  spec.dtype = dtype;
  spec.access = access;
  return spec;
}

ArgumentSpec ArgumentSpec::scalar(DType dtype) {
  ArgumentSpec spec;
  spec.kind = Kind::kScalar;
  spec.dtype = dtype;
  return spec;
}

Argument Argument::tensor(Buffer buffer, DType dtype, const Shape& shape, Access access) {
  Argument argument;
  argument.dtype = dtype;
  argument.access = access;
  argument.buffer = std::move(buffer);
  argument.shape = shape;
  argument.strides = contiguous_strides(shape);
  return argument;
}

Kernel Kernel::prepare(const Device& device, const KernelSpec& spec) {
  if (base::one_line(spec.op) != spec.op) {
    base::raise(ErrorCode::kInvalidArgument,
                "[prepare] bad operator: expected a name and a version, as in 'add.1', got {}.",
                base::quote(spec.op));
  }
  const auto call = device.state().enter("prepare");
  device.state().open("prepare");
  return Kernel(hold(device, device.state().kernels->find_or_prepare(spec)));
}

Device Kernel::device() const { return Device(state_->device.shared()); }

std::size_t Kernel::workspace_bytes() const { return state_->workspace_bytes; }

void Kernel::launch(const Stream& stream, std::span<const Argument> arguments,
                    std::string_view name) const {
  const std::vector<ArgumentSpec>& specs = state_->spec.arguments;
  const std::string_view op = name.empty() ? std::string_view(state_->spec.op) : name;
  if (&stream.state().device != &state_->device) {
    base::raise(ErrorCode::kDeviceMismatch,
                "[{}] the stream is of {}, the kernel of {}. Use a stream of the kernel's device.",
                op, stream.state().device.info.name_text, state_->device.info.name_text);
  }
  const Order order(*state_, arguments.size(), op);
  std::vector<patchbay_argument> raw;
  std::vector<runtime::BufferAccess> uses;
  raw.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const ArgumentSpec& spec = specs[order.spec_of(i)];
    check_kind(argument, spec, op, i);
    if (argument.kind == ArgumentSpec::Kind::kTensor) {
      check_tensor(argument, spec.access, state_->device, op, i);
      uses.push_back(
          {argument.buffer.state(), spec.access != Access::kRead, spec.access != Access::kWrite});
    }
    raw.push_back(to_abi(argument, spec.access));
  }
  runtime::check_no_callback(op);
  runtime::check_not_recording(op);
  if (runtime::are_tracked(uses)) {
    // The caller orders the work, so earlier writes may still be to come.
    for (patchbay_argument& argument : raw) argument.contents = 0;
  }
  launch_by_hand(stream.state(), *state_, raw, uses, op);
}

std::string why_unsupported(const Device& device, const KernelSpec& spec) {
  try {
    static_cast<void>(Kernel::prepare(device, spec));
    return {};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    return error.what();
  }
}

}  // namespace patchbay
