// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/kernels/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "fake/device/device.hpp"
#include "fake/device/stream.hpp"
#include "kit/dtypes.hpp"
#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"

namespace fake {
namespace {

/// Fills the workspace with a value that is unique among running launches.
void mark_workspace(std::byte* workspace, std::uint64_t size_bytes, std::uintptr_t mark) {
  for (std::uint64_t at = 0; at < size_bytes; at += sizeof(mark)) {
    std::memcpy(workspace + at, &mark, std::min<std::uint64_t>(sizeof(mark), size_bytes - at));
  }
}

/// Throws if another launch used the workspace at the same time.
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

Kernel::Kernel(std::string name, std::unique_ptr<plugin::Kernel> portable,
               std::vector<patchbay_argument_spec> specs, std::uint64_t marked_bytes)
    : name_(std::move(name)),
      portable_(std::move(portable)),
      specs_(std::move(specs)),
      marked_bytes_(marked_bytes) {}

void Kernel::check_argument(std::size_t i, const patchbay_argument& argument) const {
  const auto& spec = specs_[i];
  const std::string where = name_ + ": argument " + std::to_string(i);
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
        (repeats && (spec.access & PATCHBAY_WRITE) != 0)) {
      plugin::invalid_argument(where + " has shape " + std::to_string(argument.shape[d]) +
                               " and stride " + std::to_string(argument.strides[d]) +
                               " in dimension " + std::to_string(d));
    }
    if (spec.rank == PATCHBAY_ANY_RANK) continue;
    if ((spec.shape[d] != PATCHBAY_ANY_DIM && spec.shape[d] != argument.shape[d]) ||
        (spec.strides[d] != PATCHBAY_ANY_DIM && spec.strides[d] != argument.strides[d])) {
      plugin::invalid_argument(where + " does not have the shape that the kernel was prepared for");
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
  const std::uint64_t element_bytes = patchbay::element_bytes(tensor.dtype);
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

LaunchFault begin_launch(Device& device, const std::string& shown) {
  device.health()->check();
  const LaunchFault fault = device.faults().count_launch();
  if (fault == LaunchFault::kLosesDevice) {
    device.lose(shown + " lost the device, as the option fake_lose_device asks");
    device.health()->check();
  }
  return fault;
}

void Kernel::check_arguments(const Device& device, plugin::Arguments arguments) const {
  if (arguments.size() != specs_.size()) {
    plugin::invalid_argument(name_ + ": " + std::to_string(arguments.size()) + " arguments");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    check_argument(i, arguments[i]);
    if (arguments[i].kind == PATCHBAY_TENSOR) bytes_of(device, name_, arguments[i]);
  }
}

void Kernel::launch(plugin::Stream& on, plugin::Arguments arguments, plugin::Memory workspace,
                    std::string_view name) {
  auto& stream = static_cast<Stream&>(on);
  Device& device = stream.device();
  const std::string shown = "launch of " + std::string(name.empty() ? name_ : name);
  const LaunchFault fault = begin_launch(device, shown);
  check_arguments(device, arguments);
  std::byte* const marked =
      device.memory().resolve(workspace, workspace_bytes()) + portable_->workspace_bytes();
  const auto work = std::make_shared<const Stream::Batch>(
      stream.collect([&] { portable_->launch(stream, arguments, workspace, name); }));

  stream.submit_launch(fault, shown,
                       [=, &stream, size_bytes = marked_bytes_](std::uint64_t position) {
                         const auto mark = reinterpret_cast<std::uintptr_t>(work.get());
                         mark_workspace(marked, size_bytes, mark);
                         if (size_bytes != 0) stream.pause(position);
                         for (const auto& part : *work) part();
                         check_workspace(marked, size_bytes, mark, shown);
                       });
}

std::unique_ptr<plugin::Kernel> prepare_operator(Device& device, const patchbay_kernel_spec& spec) {
  const std::string name(plugin::from_abi(spec.op));
  const std::uint64_t marked_bytes = device.options().workspace_bytes;
  if (marked_bytes > spec.workspace_limit_bytes) {
    plugin::unsupported(name + ": needs " + std::to_string(marked_bytes) +
                        " bytes of workspace, limit " + std::to_string(spec.workspace_limit_bytes));
  }
  patchbay_kernel_spec rest = spec;
  rest.workspace_limit_bytes -= marked_bytes;
  auto portable = patchbay::portable::prepare(device.portable(), rest);
  if (portable == nullptr) plugin::unsupported(name + ": no such operator");
  return std::make_unique<Kernel>(name, std::move(portable),
                                  std::vector(spec.arguments, spec.arguments + spec.num_arguments),
                                  marked_bytes);
}

namespace {

class FusedModule final : public plugin::Module {
 public:
  FusedModule(Device& device, std::unique_ptr<plugin::Module> portable)
      : device_(device), portable_(std::move(portable)) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    device_.faults().count(Call::kPrepare);
    return std::make_unique<Kernel>(std::string(name), portable_->kernel(name, arguments),
                                    std::vector(arguments.begin(), arguments.end()), 0);
  }

 private:
  Device& device_;
  const std::unique_ptr<plugin::Module> portable_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_fused(Device& device, std::string_view code) {
  return std::make_unique<FusedModule>(device,
                                       patchbay::portable::load_fused(device.portable(), code));
}

}  // namespace fake
