// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/plugin_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "core/base/status.h"
#include "core/runtime/plugin/guarded_call.h"
#include "core/runtime/search/arrival.h"

namespace patchbay::runtime {
namespace {

struct Entry {
  const char* name;
  std::size_t offset;
};
#define PATCHBAY_ENTRY(table, name) \
  Entry { #name, offsetof(table, name) }

constexpr Entry kPlugin[] = {
    PATCHBAY_ENTRY(patchbay_plugin, open),         PATCHBAY_ENTRY(patchbay_plugin, close),
    PATCHBAY_ENTRY(patchbay_plugin, enumerate),    PATCHBAY_ENTRY(patchbay_plugin, open_device),
    PATCHBAY_ENTRY(patchbay_plugin, close_device), PATCHBAY_ENTRY(patchbay_plugin, memory),
    PATCHBAY_ENTRY(patchbay_plugin, stream),       PATCHBAY_ENTRY(patchbay_plugin, event),
    PATCHBAY_ENTRY(patchbay_plugin, kernel)};
constexpr Entry kMemory[] = {PATCHBAY_ENTRY(patchbay_memory_table, allocate),
                             PATCHBAY_ENTRY(patchbay_memory_table, release),
                             PATCHBAY_ENTRY(patchbay_memory_table, info),
                             PATCHBAY_ENTRY(patchbay_memory_table, copy_to_device),
                             PATCHBAY_ENTRY(patchbay_memory_table, copy_to_host),
                             PATCHBAY_ENTRY(patchbay_memory_table, copy_on_device)};
constexpr Entry kStream[] = {PATCHBAY_ENTRY(patchbay_stream_table, create),
                             PATCHBAY_ENTRY(patchbay_stream_table, destroy),
                             PATCHBAY_ENTRY(patchbay_stream_table, flush),
                             PATCHBAY_ENTRY(patchbay_stream_table, synchronize),
                             PATCHBAY_ENTRY(patchbay_stream_table, wait_event)};
constexpr Entry kEvent[] = {
    PATCHBAY_ENTRY(patchbay_event_table, create), PATCHBAY_ENTRY(patchbay_event_table, destroy),
    PATCHBAY_ENTRY(patchbay_event_table, record), PATCHBAY_ENTRY(patchbay_event_table, query),
    PATCHBAY_ENTRY(patchbay_event_table, wait)};
constexpr Entry kKernel[] = {PATCHBAY_ENTRY(patchbay_kernel_table, prepare),
                             PATCHBAY_ENTRY(patchbay_kernel_table, destroy),
                             PATCHBAY_ENTRY(patchbay_kernel_table, workspace_bytes),
                             PATCHBAY_ENTRY(patchbay_kernel_table, launch)};
constexpr Entry kEngine[] = {PATCHBAY_ENTRY(patchbay_plugin, open),
                             PATCHBAY_ENTRY(patchbay_plugin, close),
                             PATCHBAY_ENTRY(patchbay_plugin, get_extension)};
constexpr Entry kCollective[] = {PATCHBAY_ENTRY(patchbay_collective_table, describe),
                                 PATCHBAY_ENTRY(patchbay_collective_table, join),
                                 PATCHBAY_ENTRY(patchbay_collective_table, leave),
                                 PATCHBAY_ENTRY(patchbay_collective_table, start),
                                 PATCHBAY_ENTRY(patchbay_collective_table, test),
                                 PATCHBAY_ENTRY(patchbay_collective_table, wait),
                                 PATCHBAY_ENTRY(patchbay_collective_table, release),
                                 PATCHBAY_ENTRY(patchbay_collective_table, abort)};
#undef PATCHBAY_ENTRY

/// Copies the fields that both sides know and checks the required entries.
template <class Table>
std::string adopt(const char* name, const Table& raw, std::span<const Entry> required,
                  Table& table) {
  if (raw.size % sizeof(void*) != 0) {
    return fmt::format("its {} table is {} bytes, expected a multiple of {}", name, raw.size,
                       sizeof(void*));
  }
  std::memcpy(&table, &raw, std::min<std::size_t>(raw.size, sizeof(table)));
  table.size = sizeof(table);
  for (const Entry& entry : required) {
    if (raw.size < entry.offset + sizeof(void*)) {
      return fmt::format("its {} table is {} bytes, too short for the required entry '{}'", name,
                         raw.size, entry.name);
    }
    const void* value = nullptr;
    std::memcpy(&value, reinterpret_cast<const char*>(&table) + entry.offset, sizeof(value));
    if (value == nullptr) {
      return fmt::format("its {} table lacks the required entry '{}'", name, entry.name);
    }
  }
  return {};
}

/// The name of an entry, as a parameter of a template.
template <std::size_t kSize>
struct EntryName {
  consteval EntryName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }

  char text[kSize];
};
template <EntryName kName, class... Args>
patchbay_status* unimplemented(Args...) {
  return base::make_status(PATCHBAY_UNSUPPORTED,
                           fmt::format("this plugin does not implement {}", kName.text));
}
std::uint32_t no_peer(patchbay_device*, patchbay_device*) { return 0; }
patchbay_string no_name(std::uint32_t) { return {nullptr, 0}; }
const void* no_extension(patchbay_driver*, patchbay_string, std::uint32_t) { return nullptr; }
const void* no_device_extension(patchbay_driver*, std::uint32_t, patchbay_string, std::uint32_t) {
  return nullptr;
}
void nothing_to_unload(patchbay_module*) {}

template <EntryName kName, class... Args>
void fill(patchbay_status* (*&entry)(Args...)) {
  if (entry == nullptr) entry = unimplemented<kName, Args...>;
}
template <class Entry>
void fill(Entry& entry, Entry absent) {
  if (entry == nullptr) entry = absent;
}

void fill_gaps(PluginTables& tables) {
  tables.has_peer_copies = tables.memory.copy_to_peer != nullptr;
  fill(tables.plugin.feature_name, &no_name);
  fill(tables.plugin.get_extension, &no_extension);
  fill(tables.plugin.get_device_extension, &no_device_extension);
  fill<"plugin.native_handle">(tables.plugin.native_handle);
  fill<"memory.copy_to_peer">(tables.memory.copy_to_peer);
  fill(tables.memory.can_access_peer, &no_peer);
  fill<"memory.wrap">(tables.memory.wrap);
  fill<"stream.add_callback">(tables.stream.add_callback);
  fill<"stream.wrap">(tables.stream.wrap);
  fill<"event.elapsed">(tables.event.elapsed);
  fill<"kernel.load_module">(tables.kernel.load_module);
  fill(tables.kernel.unload_module, &nothing_to_unload);
  fill<"kernel.module_kernel">(tables.kernel.module_kernel);
  fill<"kernel.launch_grid">(tables.kernel.launch_grid);
}

/// Refuses a plugin that needs an unknown feature; names the first one.
std::string refuse_features(const patchbay_plugin& plugin) {
  const std::uint64_t unknown = plugin.required_features & ~PATCHBAY_KNOWN_FEATURES;
  if (unknown == 0) return {};
  std::uint32_t bit = 0;
  while (((unknown >> bit) & 1) == 0) ++bit;
  patchbay_string name{nullptr, 0};
  if (plugin.feature_name != nullptr) {
    const auto ask = [&] { name = plugin.feature_name(bit); };
    if (std::string thrown = call_guarded("feature_name", ask); !thrown.empty()) return thrown;
  }
  Arrival arrival;
  const std::string text = arrival.text("the feature's name", name);
  return fmt::format("it requires {} (bit {}), which this library does not have",
                     text.empty() ? "a feature without a name" : "the feature '" + text + "'", bit);
}

std::string adopt_plugin(const patchbay_plugin& raw, std::span<const Entry> required,
                         patchbay_plugin& plugin) {
  if (raw.size < offsetof(patchbay_plugin, abi_minor) + sizeof(raw.abi_minor)) {
    return fmt::format("its plugin table is {} bytes, too short for its version", raw.size);
  }
  if (raw.abi_major != PATCHBAY_ABI_MAJOR) {
    return fmt::format("its table is of plugin interface {}.{}, this library has {}.{}",
                       raw.abi_major, raw.abi_minor, PATCHBAY_ABI_MAJOR, PATCHBAY_ABI_MINOR);
  }
  std::string failure = adopt("plugin", raw, required, plugin);
  return failure.empty() ? refuse_features(plugin) : failure;
}

}  // namespace

std::string adopt_engine(const patchbay_plugin& raw, patchbay_plugin& plugin) {
  std::string failure = adopt_plugin(raw, kEngine, plugin);
  fill(plugin.feature_name, &no_name);
  return failure;
}

std::string adopt_collective(const patchbay_collective_table& raw,
                             patchbay_collective_table& table) {
  std::string failure = adopt("collective", raw, kCollective, table);
  fill<"collective.make_id">(table.make_id);
  fill<"collective.split">(table.split);
  fill<"collective.health">(table.health);
  fill<"collective.shrink">(table.shrink);
  return failure;
}

std::string adopt_tables(const patchbay_plugin& raw, PluginTables& tables) {
  std::string failure = adopt_plugin(raw, kPlugin, tables.plugin);
  if (failure.empty()) failure = adopt("memory", *raw.memory, kMemory, tables.memory);
  if (failure.empty()) failure = adopt("stream", *raw.stream, kStream, tables.stream);
  if (failure.empty()) failure = adopt("event", *raw.event, kEvent, tables.event);
  if (failure.empty()) failure = adopt("kernel", *raw.kernel, kKernel, tables.kernel);
  fill_gaps(tables);
  return failure;
}

}  // namespace patchbay::runtime
