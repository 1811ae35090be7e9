// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/device_info.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/search/arrival.h"

namespace patchbay::runtime {
namespace {

constexpr std::uint64_t kMostAlignmentBytes = std::uint64_t{1} << 21, kMostUnits = 1 << 24,
                        kMostKilohertz = 100'000'000;

/// Reports errors to `arrival`.
DeviceProperties to_properties(const patchbay_device_properties& raw, Arrival& arrival) {
  const auto can = [&raw](std::uint64_t bit) { return (raw.capabilities & bit) != 0; };
  DeviceProperties result;
  result.name = arrival.text("its name", raw.name);
  result.vendor = arrival.text("its vendor", raw.vendor);
  result.driver_version = arrival.text("its driver_version", raw.driver_version);
  result.pci_address = arrival.text("its pci_address", raw.pci_address);
  std::copy(std::begin(raw.uuid), std::end(raw.uuid), result.uuid.begin());
  result.kind = raw.kind == PATCHBAY_DEVICE_CPU ? DeviceKind::kCpu : DeviceKind::kAccelerator;
  result.f64 = can(PATCHBAY_CAN_F64);
  result.f16 = can(PATCHBAY_CAN_F16);
  result.bf16 = can(PATCHBAY_CAN_BF16);
  result.peer_access = can(PATCHBAY_CAN_PEER_ACCESS);
  result.unified_memory = can(PATCHBAY_CAN_UNIFIED_MEMORY);
  result.unified_buffers = ((raw.host_addressable_kinds >> PATCHBAY_MEMORY_UNIFIED) & 1) != 0;
  result.stream_priorities = can(PATCHBAY_CAN_STREAM_PRIORITY);
  result.pageable_copies_block = can(PATCHBAY_PAGEABLE_COPIES_BLOCK);
  result.modules = can(PATCHBAY_CAN_MODULES);
  result.completes_inline = can(PATCHBAY_CAN_INLINE_STREAM);
  result.host_addressable = ((raw.host_addressable_kinds >> PATCHBAY_MEMORY_DEVICE) & 1) != 0;
  result.memory_total_bytes = raw.memory_total_bytes;
  result.compute_units = raw.compute_units;
  result.preferred_vector_bytes = raw.preferred_vector_bytes;
  result.sub_group_width = raw.sub_group_width;
  result.max_group_size = raw.max_group_size;
  result.architecture = arrival.text("its architecture", raw.architecture);
  result.l2_cache_bytes = raw.l2_cache_bytes;
  result.shared_memory_bytes = raw.shared_memory_bytes;
  result.clock_khz = raw.clock_khz;
  result.memory_clock_khz = raw.memory_clock_khz;
  return result;
}

/// The system knows it by the checked PCI address; -1 if it does not, or the machine has one node.
int numa_node_of(const std::string& pci_address) {
  if (pci_address.empty()) return -1;
  std::ifstream file("/sys/bus/pci/devices/" + pci_address + "/numa_node");
  int node = -1;
  return file >> node ? node : -1;
}

/// "0000:65:00.0": hexadecimal, a domain of four to eight digits. Empty is fine.
bool is_pci_address(std::string_view text) {
  if (text.empty()) return true;
  constexpr std::string_view kTail = ":xx:xx.x";
  if (text.size() < 4 + kTail.size() || text.size() > 8 + kTail.size()) return false;
  const std::size_t domain = text.size() - kTail.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char expected = i < domain ? 'x' : kTail[i - domain];
    const bool fits = expected == 'x' ? std::isxdigit(static_cast<unsigned char>(text[i])) != 0
                                      : text[i] == expected;
    if (!fits) return false;
  }
  return true;
}

/// In lower case, with a domain of four digits if they are enough.
std::string spell(std::string address) {
  constexpr std::size_t kUsual = std::string_view("0000:65:00.0").size();
  for (char& c : address) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (address.size() > kUsual && address.front() == '0') address.erase(0, 1);
  return address;
}

void check_bits(const patchbay_device_properties& raw, Arrival& arrival) {
  const auto expect_known = [&](const char* what, std::uint64_t bits, std::uint64_t known) {
    arrival.expect((bits & ~known) == 0, "its {} have unknown bits, {:#x}", what, bits & ~known);
  };
  expect_known("capabilities", raw.capabilities, PATCHBAY_KNOWN_CAPABILITIES);
  expect_known("host_addressable_kinds", raw.host_addressable_kinds, PATCHBAY_KNOWN_MEMORY_KINDS);
}

void check_numbers(const patchbay_device_properties& raw, Arrival& arrival) {
  arrival.expect(raw.kind == PATCHBAY_DEVICE_CPU || raw.kind == PATCHBAY_DEVICE_ACCELERATOR,
                 "its kind is {}, expected {} or {}", raw.kind, int{PATCHBAY_DEVICE_CPU},
                 int{PATCHBAY_DEVICE_ACCELERATOR});
  const auto expect_at_most = [&](const char* what, std::uint64_t value, std::uint64_t most) {
    arrival.expect(value <= most, "its {} is {}, expected at most {}", what, value, most);
  };
  expect_at_most("memory_total_bytes", raw.memory_total_bytes, kMostMemoryBytes);
  expect_at_most("memory_free_bytes", raw.memory_free_bytes, kMostMemoryBytes);
  if (raw.memory_total_bytes != 0) {
    expect_at_most("memory_free_bytes", raw.memory_free_bytes, raw.memory_total_bytes);
  }
  expect_at_most("memory_alignment_bytes", raw.memory_alignment_bytes, kMostAlignmentBytes);
  expect_at_most("compute_units", raw.compute_units, kMostUnits);
  expect_at_most("preferred_vector_bytes", raw.preferred_vector_bytes, kMostUnits);
  expect_at_most("sub_group_width", raw.sub_group_width, kMostUnits);
  expect_at_most("max_group_size", raw.max_group_size, kMostUnits);
  expect_at_most("l2_cache_bytes", raw.l2_cache_bytes, kMostMemoryBytes);
  expect_at_most("shared_memory_bytes", raw.shared_memory_bytes, kMostMemoryBytes);
  expect_at_most("clock_khz", raw.clock_khz, kMostKilohertz);
  expect_at_most("memory_clock_khz", raw.memory_clock_khz, kMostKilohertz);
  const std::uint64_t alignment = raw.memory_alignment_bytes;
  arrival.expect((alignment & (alignment - 1)) == 0 || alignment == 0,
                 "its memory_alignment_bytes is {}, expected a power of two", alignment);
  arrival.expect(raw.dlpack_device_type >= 0 && raw.dlpack_device_id >= 0,
                 "its DLPack device is ({}, {}), expected no negative number",
                 raw.dlpack_device_type, raw.dlpack_device_id);
  constexpr int kDlpackHost = 1;
  arrival.expect(
      raw.dlpack_device_type != kDlpackHost ||
          ((raw.host_addressable_kinds >> PATCHBAY_MEMORY_DEVICE) & 1) != 0,
      "its DLPack device is the host, and its host_addressable_kinds lack device memory");
  arrival.expect((raw.capabilities & PATCHBAY_PAGEABLE_COPIES_BLOCK) == 0 ||
                     ((raw.host_addressable_kinds >> PATCHBAY_MEMORY_PINNED) & 1) != 0,
                 "its copies of pageable memory block, and its host_addressable_kinds lack pinned "
                 "memory");
}

}  // namespace

std::string read_device_info(const patchbay_device_properties& raw, const std::string& backend,
                             bool is_newer, DeviceInfo& info) {
  constexpr std::size_t kLeastBytes = offsetof(patchbay_device_properties, name);
  if (raw.size < kLeastBytes) {
    return fmt::format("it enumerates a device with {} bytes of properties: expected at least {}",
                       raw.size, kLeastBytes);
  }
  if (raw.size % alignof(patchbay_device_properties) != 0) {
    return fmt::format(
        "it enumerates a device with {} bytes of properties: expected a multiple of "
        "{}",
        raw.size, alignof(patchbay_device_properties));
  }
  patchbay_device_properties known{};
  std::memcpy(&known, &raw, std::min<std::size_t>(raw.size, sizeof(known)));
  if (known.index > static_cast<std::uint32_t>(DeviceName::kMaxIndex)) {
    return fmt::format("it enumerates a device of index {}: expected 0 to {}", known.index,
                       DeviceName::kMaxIndex);
  }
  info.plugin_index = known.index;
  info.name = {backend, static_cast<int>(known.index)};
  info.name_text = info.name.to_string();
  Arrival arrival;
  info.properties = to_properties(known, arrival);
  arrival.expect(is_pci_address(info.properties.pci_address),
                 "its pci_address is '{}', expected one as '0000:65:00.0'",
                 info.properties.pci_address);
  check_numbers(known, arrival);
  if (!is_newer) check_bits(known, arrival);
  if (arrival.fault().empty()) {
    info.properties.pci_address = spell(std::move(info.properties.pci_address));
    info.properties.numa_node = numa_node_of(info.properties.pci_address);
  }
  info.host_addressable_kinds = known.host_addressable_kinds & PATCHBAY_KNOWN_MEMORY_KINDS;
  info.has_addresses = (known.capabilities & PATCHBAY_CAN_ADDRESS) != 0;
  info.takes_fused_groups = (known.capabilities & PATCHBAY_CAN_FUSED_GROUPS) != 0;
  info.takes_large_factors = (known.capabilities & PATCHBAY_CAN_LARGE_FACTORS) != 0;
  info.dlpack_device_type = known.dlpack_device_type;
  info.dlpack_device_id = known.dlpack_device_id;
  if (known.memory_alignment_bytes != 0) info.alignment_bytes = known.memory_alignment_bytes;
  if (arrival.fault().empty()) return {};
  return fmt::format("it enumerates {}: {}", info.name_text, arrival.fault());
}

}  // namespace patchbay::runtime

namespace patchbay {

bool is_same_hardware(const DeviceProperties& a, const DeviceProperties& b) {
  if (!a.pci_address.empty() && !b.pci_address.empty()) return a.pci_address == b.pci_address;
  return a.uuid == b.uuid && a.uuid != DeviceProperties().uuid;
}

}  // namespace patchbay
