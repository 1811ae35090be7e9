// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"
#include "fake/device/stream.hpp"
#include "kit/device/programs.hpp"
#include "kit/expression/program.hpp"

namespace fake {
namespace {

/// Fills the workspace with a value that is unique among running launches.
void mark_workspace(std::byte* workspace, std::uint64_t size_bytes, std::uintptr_t mark) {
  for (std::uint64_t at = 0; at < size_bytes; at += sizeof(mark)) {
    std::memcpy(workspace + at, &mark, std::min<std::uint64_t>(sizeof(mark), size_bytes - at));
  }
}

/// Throws if another launch used the workspace at the same time. Otherwise it allocates nothing: it
/// runs on the stream's thread, where a failed allocation would fail the stream.
void check_workspace(const std::byte* workspace, std::uint64_t size_bytes, std::uintptr_t mark,
                     const std::string& shown) {
  for (std::uint64_t at = 0; at < size_bytes; at += sizeof(mark)) {
    const auto part_bytes = std::min<std::uint64_t>(sizeof(mark), size_bytes - at);
    if (std::memcmp(workspace + at, &mark, part_bytes) == 0) continue;
    throw plugin::StatusError(
        PATCHBAY_INTERNAL, "launch of " + shown + ": its workspace was overwritten while it ran");
  }
}

std::size_t num_tensors(const std::vector<patchbay_argument_spec>& specs) {
  return static_cast<std::size_t>(std::count_if(
      specs.begin(), specs.end(), [](const auto& spec) { return spec.kind == PATCHBAY_TENSOR; }));
}

/// The spec for the portable kernel. Throws unsupported if the limit leaves no room for the mark.
patchbay_kernel_spec without_marked(patchbay_kernel_spec spec, std::uint64_t marked_bytes) {
  if (marked_bytes > spec.workspace_limit_bytes) {
    plugin::unsupported(std::string(plugin::from_abi(spec.op)) + ": needs " +
                        std::to_string(marked_bytes) + " bytes of workspace, limit " +
                        std::to_string(spec.workspace_limit_bytes));
  }
  spec.workspace_limit_bytes -= marked_bytes;
  return spec;
}

/// A portable kernel. It counts as one launch, whatever number of functions it runs; the launch
/// checks what the specs left open and simulates the requested fault.
class Kernel : public plugin::Kernel {
 public:
  /// `marked_bytes`: additional workspace, which a launch fills and checks afterwards.
  /// `takes_groups`: launches may repeat the tensors, which come first.
  Kernel(std::string name, std::unique_ptr<plugin::Kernel> portable,
         std::vector<patchbay_argument_spec> specs, std::uint64_t marked_bytes,
         bool takes_groups = false)
      : name_(std::move(name)),
        portable_(std::move(portable)),
        specs_(std::move(specs)),
        num_repeated_(takes_groups ? num_tensors(specs_) : 0),
        marked_bytes_(marked_bytes) {}

  std::uint64_t workspace_bytes() const override {
    return portable_->workspace_bytes() + marked_bytes_;
  }

  void launch(plugin::Stream& on, plugin::Arguments arguments, plugin::Memory workspace,
              std::string_view name) override {
    auto& stream = static_cast<Stream&>(on);
    const auto& memory = stream.device().memory();
    const std::string shown(name.empty() ? name_ : name);
    const LaunchFault fault = stream.begin_launch(shown);
    if (!takes(arguments.size())) {
      plugin::invalid_argument(name_ + ": " + std::to_string(arguments.size()) + " arguments");
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      check_argument(spec_of(i, arguments.size()), i, arguments[i]);
      if (arguments[i].kind == PATCHBAY_TENSOR) resolve_tensor(memory, name_, arguments[i]);
    }
    std::byte* const marked =
        memory.resolve(workspace, workspace_bytes()) + portable_->workspace_bytes();
    const auto work = std::make_shared<const Stream::Batch>(
        stream.collect([&] { portable_->launch(stream, arguments, workspace, name); }));

    stream.submit_launch(fault, shown, [=, &stream, size_bytes = marked_bytes_] {
      const auto mark = reinterpret_cast<std::uintptr_t>(work.get());
      mark_workspace(marked, size_bytes, mark);
      if (size_bytes != 0) stream.pause();
      for (const auto& part : *work) part();
      check_workspace(marked, size_bytes, mark, shown);
    });
  }

 private:
  bool takes(std::size_t num_arguments) const {
    if (num_repeated_ == 0) return num_arguments == specs_.size();
    return num_arguments >= specs_.size() && (num_arguments - specs_.size()) % num_repeated_ == 0;
  }

  const patchbay_argument_spec& spec_of(std::size_t argument, std::size_t num_arguments) const {
    const std::size_t num_others = num_arguments - specs_.size();  // arguments of other groups
    return argument < num_others ? specs_[argument % num_repeated_] : specs_[argument - num_others];
  }

  void check_argument(const patchbay_argument_spec& spec, std::size_t i,
                      const patchbay_argument& argument) const {
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
        plugin::invalid_argument(where +
                                 " does not have the shape that the kernel was prepared for");
      }
    }
  }

  const std::string name_;
  const std::unique_ptr<plugin::Kernel> portable_;
  const std::vector<patchbay_argument_spec> specs_;
  const std::size_t num_repeated_;  // of the arguments of a group; 0 if launches have no groups
  const std::uint64_t marked_bytes_;
};

/// A module of the kit. The kernels of a fused one are portable kernels.
class Module : public plugin::Module {
 public:
  Module(Faults& faults, std::unique_ptr<plugin::Module> code, bool is_fused)
      : faults_(faults), code_(std::move(code)), is_fused_(is_fused) {}
  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    faults_.count(Call::kPrepare);
    auto kernel = code_->kernel(name, arguments);
    if (!is_fused_) return kernel;
    return std::make_unique<Kernel>(std::string(name), std::move(kernel),
                                    std::vector(arguments.begin(), arguments.end()), 0,
                                    /*takes_groups=*/true);
  }

 private:
  Faults& faults_;
  const std::unique_ptr<plugin::Module> code_;
  const bool is_fused_;
};

}  // namespace

Device::Device(std::uint32_t index, const Options& options, Faults& faults,
               executor::Executor& executor, const std::shared_ptr<device::Health>& health)
    : device::Device(options.of_device(index), executor,
                     std::make_unique<Allocator>(options.memory_bytes, health, faults), health),
      index_(index),
      options_(options),
      faults_(faults) {}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t) {
  health()->check();
  faults_.count(Call::kCreateStream);
  return std::make_unique<Stream>(*this);
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  faults_.count(Call::kCreateEvent);
  health()->check();
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  health()->check();
  faults_.count(Call::kPrepare);
  const patchbay_kernel_spec rest = without_marked(spec, options_.workspace_bytes);
  return std::make_unique<Kernel>(
      std::string(plugin::from_abi(spec.op)), device::Device::prepare(rest),
      std::vector(spec.arguments, spec.arguments + spec.num_arguments), options_.workspace_bytes);
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view options) {
  const bool fuses = patchbay::expression::is_expression(format);
  if (fuses && !options_.fuses) {
    plugin::unsupported("fused expressions, as the setting fake_fusion asks");
  }
  return std::make_unique<Module>(faults_, device::Device::load_module(format, code, options),
                                  fuses);
}

bool Device::can_access_peer(plugin::Device& other) {
  return options_.reaches(index_, static_cast<Device&>(other).index_);
}

void Device::lose(std::string why) {
  health()->lose(std::move(why));
  faults_.wake();
}

std::uint64_t Device::next_queue() {
  return (std::uint64_t{index_} << 32) | num_streams_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace fake
