// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/device/driver.hpp"

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/thunks.hpp"

#include "cpu-openblas/device/allocator.hpp"
#include "cpu-openblas/device/device.hpp"
#include "kit/library/root_folder.hpp"
#include "kit/machine/memory.hpp"

namespace patchbay::cpu {
namespace {

std::vector<Share> find_shares(plugin::Host host) {
  const std::vector<int> cores = allowed_cores();
  const int quota = quota_cores("", static_cast<int>(cores.size()));
  return plan_shares(cores, quota, host.option("cpu_devices"), host.option("cpu_threads"));
}

}  // namespace

Driver::Driver(plugin::Host host)
    : host_(host),
      processor_(describe_processor()),
      shares_(find_shares(host)),
      libraries_(host, processor_.last_level_cache_bytes),
      executor_(host) {
  RootFolder::keep();
}

void Driver::enumerate(const Found& found) {
  const machine::MemoryState memory = machine::read_memory_state();
  for (std::size_t index = 0; index < shares_.size(); ++index) {
    patchbay_device_properties properties{};
    properties.size = sizeof(properties);
    properties.index = static_cast<std::uint32_t>(index);
    properties.kind = PATCHBAY_DEVICE_CPU;
    properties.name = plugin::to_abi(processor_.name);
    properties.vendor = plugin::to_abi(processor_.vendor);
    properties.driver_version = plugin::to_abi(libraries_.description());
    properties.capabilities = PATCHBAY_CAN_F64 | PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 |
                              PATCHBAY_CAN_UNIFIED_MEMORY | PATCHBAY_CAN_INLINE_STREAM |
                              PATCHBAY_CAN_MODULES | PATCHBAY_CAN_FUSED_GROUPS |
                              PATCHBAY_CAN_ADDRESS;
    properties.host_addressable_kinds = PATCHBAY_KNOWN_MEMORY_KINDS;
    properties.memory_total_bytes = memory.total_bytes;
    properties.memory_free_bytes = memory.free_bytes;
    properties.memory_alignment_bytes = kMemoryAlignment;
    properties.compute_units = static_cast<std::uint32_t>(shares_[index].num_threads);
    properties.preferred_vector_bytes = libraries_.simd().vector_bytes;
    properties.sub_group_width = 1;
    properties.max_group_size = executor::kMaxGroupSize;
    const long l2_cache_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);  // of one core
    properties.l2_cache_bytes = static_cast<std::uint64_t>(std::max(l2_cache_bytes, 0L));
    properties.dlpack_device_type = 1;  // all CPU devices share the host's memory
    found(properties);
  }
}

std::unique_ptr<plugin::Device> Driver::open_device(std::uint32_t index) {
  if (index >= shares_.size()) {
    plugin::invalid_argument("there is no device " + std::to_string(index) + " among " +
                             std::to_string(shares_.size()));
  }
  return std::make_unique<Device>(libraries_, executor_, shares_[index], host_);
}

void Driver::stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept {
  static_cast<Driver&>(plugin::detail::object(driver)).libraries_.blas_gate().close(deadline_ns);
}

const void* Driver::extension(std::string_view name, std::uint32_t version) {
  static constexpr patchbay_exit_table kExit = {sizeof(patchbay_exit_table), stop};
  const bool is_wanted = name == PATCHBAY_EXTENSION_EXIT && version == 1;
  return is_wanted && libraries_.blas() != nullptr ? &kExit : nullptr;
}

std::unique_ptr<plugin::Device> Driver::open_device_in(std::uint32_t, std::uint64_t) {
  plugin::unsupported("CPU devices have no contexts");
}

}  // namespace patchbay::cpu
