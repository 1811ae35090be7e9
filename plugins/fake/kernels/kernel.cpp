// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/kernels/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "fake/device/device.hpp"
#include "fake/device/stream.hpp"

namespace fake {
namespace {

std::string_view dtype_name(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F32: return "f32";
    case PATCHBAY_F64: return "f64";
    case PATCHBAY_F16: return "f16";
    case PATCHBAY_BF16: return "bf16";
    case PATCHBAY_I32: return "i32";
    case PATCHBAY_I64: return "i64";
    case PATCHBAY_U8: return "u8";
    case PATCHBAY_BOOL: return "bool";
    default: return "unknown dtype";
  }
}

std::uint64_t dtype_bytes(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F64:
    case PATCHBAY_I64: return 8;
    case PATCHBAY_F32:
    case PATCHBAY_I32: return 4;
    default: return 1;
  }
}

/// "(f32, f32, scalar i32)"
std::string list(Specs specs) {
  std::string text = "(";
  for (const auto& spec : specs) {
    if (text.size() > 1) text += ", ";
    if (spec.kind == PATCHBAY_SCALAR) text += "scalar ";
    text += spec.kind == PATCHBAY_BYTES ? "bytes" : dtype_name(spec.dtype);
  }
  return text + ")";
}

bool fits(char expected, const patchbay_argument_spec& spec) {
  const bool tensor = spec.kind == PATCHBAY_TENSOR, scalar = spec.kind == PATCHBAY_SCALAR;
  switch (expected) {
    case 'o': return tensor && (spec.access & PATCHBAY_WRITE) != 0;
    case 't': return tensor && (spec.access & PATCHBAY_WRITE) == 0;
    case 's': return scalar;
    default: return scalar || (tensor && (spec.access & PATCHBAY_WRITE) == 0);
  }
}

std::string_view kind_name(char expected) {
  switch (expected) {
    case 'o': return "a tensor to write";
    case 't': return "a tensor to read";
    case 's': return "a scalar";
    default: return "a tensor to read or a scalar";
  }
}

[[noreturn]] void refuse(std::string_view op, const std::string& why) {
  plugin::unsupported(std::string(op) + ": " + why);
}

void check_kinds(const Operator& op, Specs specs) {
  if (specs.size() != op.arguments.size()) {
    refuse(op.name, "expected " + std::to_string(op.arguments.size()) + " arguments, got " +
                        std::to_string(specs.size()));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (fits(op.arguments[i], specs[i])) continue;
    refuse(op.name, "argument " + std::to_string(i) + " of " + list(specs) + " must be " +
                        std::string(kind_name(op.arguments[i])));
  }
}

}  // namespace

Kernel::Kernel(const patchbay_kernel_spec& spec, const Options& options)
    : operator_(find_operator(plugin::from_abi(spec.op))),
      specs_(spec.arguments, spec.arguments + spec.num_arguments),
      workspace_bytes_(options.workspace_bytes) {
  const std::string_view name = plugin::from_abi(spec.op);
  if (operator_ == nullptr) refuse(name, "no such operator, asked for with " + list(specs_));
  check_kinds(*operator_, specs_);
  if (spec.num_attributes != 0) refuse(name, "takes no attributes");
  for (const auto& argument : specs_) {
    if (argument.dtype == PATCHBAY_F64 && !options.f64) {
      refuse(name, "this device has no f64 (option fake_f64)");
    }
  }
  function_ = operator_->choose(specs_);
  if (function_ == nullptr) refuse(name, "no kernel for " + list(specs_));
  if (workspace_bytes_ > spec.workspace_limit_bytes) {
    refuse(name, "needs " + std::to_string(workspace_bytes_) + " bytes of workspace, limit " +
                     std::to_string(spec.workspace_limit_bytes));
  }
}

void Kernel::check_argument(std::size_t i, const patchbay_argument& argument) const {
  const auto& spec = specs_[i];
  const std::string where = std::string(operator_->name) + ": argument " + std::to_string(i);
  if (argument.kind != spec.kind || argument.dtype != spec.dtype) {
    plugin::invalid_argument(where + " is not what the kernel was prepared for");
  }
  if (argument.kind != PATCHBAY_TENSOR) return;
  if (argument.rank > PATCHBAY_MAX_RANK ||
      (spec.rank != PATCHBAY_ANY_RANK && argument.rank != spec.rank)) {
    plugin::invalid_argument(where + " has rank " + std::to_string(argument.rank));
  }
  for (std::size_t d = 0; d < argument.rank; ++d) {
    const bool repeats = argument.strides[d] == 0 && argument.shape[d] > 1;
    if (argument.shape[d] < 0 || argument.strides[d] < 0 ||
        (repeats && operator_->arguments[i] == 'o')) {
      plugin::invalid_argument(where + " has shape " + std::to_string(argument.shape[d]) +
                               " and stride " + std::to_string(argument.strides[d]) +
                               " in dimension " + std::to_string(d));
    }
    if (spec.rank == PATCHBAY_ANY_RANK) continue;
    if ((spec.shape[d] != PATCHBAY_ANY_DIM && spec.shape[d] != argument.shape[d]) ||
        (spec.strides[d] != PATCHBAY_ANY_DIM && spec.strides[d] != argument.strides[d])) {
      plugin::invalid_argument(where + " has not the shape that the kernel was prepared for");
    }
  }
}

std::byte* bytes_of(const Device& device, const std::string& where,
                    const patchbay_argument& tensor) {
  std::uint64_t last = 0;
  bool empty = false, overflows = false;
  for (std::size_t d = 0; d < tensor.rank && !empty; ++d) {
    empty = tensor.shape[d] == 0;
    if (empty) break;
    std::uint64_t reach = 0;
    overflows = overflows ||
                __builtin_mul_overflow(static_cast<std::uint64_t>(tensor.shape[d] - 1),
                                       static_cast<std::uint64_t>(tensor.strides[d]), &reach) ||
                __builtin_add_overflow(last, reach, &last);
  }
  const std::uint64_t element_bytes = dtype_bytes(tensor.dtype);
  if (overflows || last >= std::numeric_limits<std::uint64_t>::max() / element_bytes) {
    plugin::invalid_argument(where + ": a tensor beyond 64 bits");
  }
  std::byte* const bytes =
      device.memory().resolve(tensor.value.memory, empty ? 0 : (last + 1) * element_bytes);
  if (reinterpret_cast<std::uintptr_t>(bytes) % element_bytes != 0) {
    plugin::invalid_argument(where + ": a misaligned tensor");
  }
  return bytes;
}

View Kernel::resolve(const Device& device, std::size_t i, const patchbay_argument& argument) const {
  check_argument(i, argument);
  View view;
  view.dtype = argument.dtype;
  if (argument.kind != PATCHBAY_TENSOR) return view;
  view.rank = argument.rank;
  std::copy_n(argument.shape, argument.rank, view.shape.begin());
  std::copy_n(argument.strides, argument.rank, view.strides.begin());
  view.data = bytes_of(device, std::string(operator_->name), argument);
  return view;
}

LaunchFault begin_launch(Device& device, const std::string& shown) {
  device.health()->check();
  const LaunchFault fault = device.faults().count_launch();
  if (fault == LaunchFault::kLosesDevice) {
    device.lose(shown + " lost the device, as the option fake_lose_device asks");
    device.health()->check();
  }
  return fault;
}

namespace {

/// Writes over it what no other launch under way writes.
void mark_workspace(std::byte* workspace, std::uint64_t size_bytes, std::uintptr_t mark) {
  for (std::uint64_t at = 0; at < size_bytes; at += sizeof(mark)) {
    std::memcpy(workspace + at, &mark, std::min<std::uint64_t>(sizeof(mark), size_bytes - at));
  }
}

/// Throws if another launch used it at the same time.
void check_workspace(const std::byte* workspace, std::uint64_t size_bytes, std::uintptr_t mark,
                     const std::string& shown) {
  for (std::uint64_t at = 0; at < size_bytes; at += sizeof(mark)) {
    const auto part_bytes = std::min<std::uint64_t>(sizeof(mark), size_bytes - at);
    if (std::memcmp(workspace + at, &mark, part_bytes) == 0) continue;
    throw plugin::StatusError(PATCHBAY_INTERNAL,
                              shown + ": its workspace was overwritten while it ran");
  }
}

}  // namespace

/// A launch on its way to the worker.
struct Kernel::Call {
  std::vector<View> views;
  std::vector<std::uint64_t> scalars;  // what the views of scalars point to
};

void Kernel::launch(plugin::Stream& on, plugin::Arguments arguments, plugin::Memory workspace,
                    std::string_view name) {
  auto& stream = static_cast<Stream&>(on);
  Device& device = stream.device();
  const std::string shown = "launch of " + std::string(name.empty() ? operator_->name : name);
  const LaunchFault fault = begin_launch(device, shown);

  if (arguments.size() != specs_.size()) {
    plugin::invalid_argument(std::string(operator_->name) + ": " +
                             std::to_string(arguments.size()) + " arguments");
  }
  const auto call = std::make_shared<Call>();
  call->scalars.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    View view = resolve(device, i, arguments[i]);
    if (arguments[i].kind == PATCHBAY_SCALAR) {
      call->scalars[i] = arguments[i].value.bits;
      view.data = reinterpret_cast<std::byte*>(&call->scalars[i]);
      view.rank = call->views[0].rank;
      view.shape = call->views[0].shape;
    }
    call->views.push_back(view);
  }
  operator_->check(call->views);
  std::byte* const scratch = device.memory().resolve(workspace, workspace_bytes_);

  stream.submit_launch(
      fault, shown,
      [=, &stream, function = function_, size_bytes = workspace_bytes_](std::uint64_t position) {
        const auto mark = reinterpret_cast<std::uintptr_t>(call.get());
        mark_workspace(scratch, size_bytes, mark);
        if (size_bytes != 0) stream.pause(position);
        function(call->views);
        check_workspace(scratch, size_bytes, mark, shown);
      });
}

}  // namespace fake
