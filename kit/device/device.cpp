// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/device.hpp"

#include <utility>

#include "kit/device/stream.hpp"
#include "kit/device/timeline.hpp"
#include "kit/portable/elementwise/fused.hpp"
#include "kit/portable/operators.hpp"

namespace patchbay::device {
namespace {

portable::Traits traits_of(const Options& options) {
  portable::Traits traits;
  traits.name = options.name;
  traits.has_f64 = options.has_f64;
  traits.sub_group_width = options.sub_group_width;
  traits.has_addresses = true;
  return traits;
}

std::unique_ptr<Allocator> or_blocks(std::unique_ptr<Allocator> allocator, const Options& options) {
  if (allocator != nullptr) return allocator;
  return std::make_unique<BlockAllocator>(options.memory_bytes, options.is_host_addressable);
}

}  // namespace

patchbay_device_properties properties_of(const Options& options) {
  patchbay_device_properties properties{};
  properties.size = sizeof properties;
  properties.index = options.index;
  properties.kind = PATCHBAY_DEVICE_ACCELERATOR;
  properties.name = plugin::to_abi(options.name);
  properties.capabilities = PATCHBAY_CAN_MODULES | PATCHBAY_CAN_FUSED_GROUPS | PATCHBAY_CAN_F16 |
                            PATCHBAY_CAN_BF16 | (options.has_f64 ? PATCHBAY_CAN_F64 : 0);
  properties.host_addressable_kinds =
      UINT64_C(1) << PATCHBAY_MEMORY_PINNED | UINT64_C(1) << PATCHBAY_MEMORY_UNIFIED;
  if (options.is_host_addressable) {
    properties.host_addressable_kinds |= UINT64_C(1) << PATCHBAY_MEMORY_DEVICE;
  }
  properties.memory_total_bytes = options.memory_bytes;
  properties.memory_alignment_bytes = kAlignmentBytes;
  properties.compute_units = 1;
  properties.preferred_vector_bytes = 8;
  properties.sub_group_width = static_cast<std::uint32_t>(options.sub_group_width);
  properties.max_group_size = executor::kMaxGroupSize;
  return properties;
}

Device::Device(const Options& options, executor::Executor& executor,
               std::unique_ptr<Allocator> allocator, std::shared_ptr<Health> health)
    : name_(options.name),
      health_(std::move(health)),
      memory_(or_blocks(std::move(allocator), options)),
      executor_(executor),
      portable_(make_backend(*memory_, executor, traits_of(options))) {}

std::unique_ptr<plugin::Stream> Device::create_stream(std::uint32_t) {
  health_->check();
  return std::make_unique<Stream>(*this);
}

std::unique_ptr<plugin::Event> Device::create_event(std::uint32_t) {
  health_->check();
  return std::make_unique<Event>();
}

std::unique_ptr<plugin::Kernel> Device::prepare(const patchbay_kernel_spec& spec) {
  health_->check();
  if (auto kernel = portable::prepare(portable_, spec)) return kernel;
  plugin::unsupported(name_ + " has no operator " + std::string(plugin::from_abi(spec.op)));
}

std::unique_ptr<plugin::Module> Device::load_module(std::string_view format, std::string_view code,
                                                    std::string_view) {
  health_->check();
  if (expression::is_expression(format)) return portable::load_fused(portable_, code);
  return device::load_module(*memory_, executor_, format, code);
}

}  // namespace patchbay::device
