// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/call_watch.h"

#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "patchbay/plugin_calls.h"

#include "core/base/cancellation.h"
#include "core/base/fork.h"
#include "core/base/status.h"

namespace patchbay {
namespace runtime {
namespace {

struct Notes {
  std::mutex mutex;
  std::size_t num_calls = 0;
  std::map<std::size_t, PluginCall> running;
  std::vector<std::string> breaches;
};
constinit base::OfProcess<Notes> all_notes;
constinit thread_local const char* current_entry = nullptr;

std::string note_exception(const char* entry, const char* what) {
  std::string text = fmt::format("{} threw an exception across the boundary", entry);
  if (what != nullptr) text += fmt::format(": {}", what);
  Notes& notes = all_notes.get();
  const std::scoped_lock lock(notes.mutex);
  notes.breaches.push_back(text);
  return text;
}

/// The result of an entry that threw: an error status, or a default value.
template <class R>
R answer_exception(const char* entry, const char* what) {
  const std::string text = note_exception(entry, what);
  if constexpr (std::is_same_v<R, patchbay_status*>) {
    return base::make_status(PATCHBAY_INTERNAL, text);
  } else if constexpr (!std::is_void_v<R>) {
    return R{};
  }
}

/// The plugin's own entries. A library's tables keep their addresses while a runtime holds it.
template <class Table>
Table own_entries{};

template <auto Member>
struct Watched;
template <class Table, class R, class... Args, R (*Table::*Member)(Args...)>
struct Watched<Member> {
  static inline const char* name = "";

  static R call(Args... args) {
    const base::CancellationOff not_cancelled;  // an exception becomes an answer
    const RunningCall running(name);
    try {
      return (own_entries<Table>.*Member)(args...);
    } catch (const std::exception& error) {
      return answer_exception<R>(name, error.what());
    } catch (...) {
      return answer_exception<R>(name, nullptr);
    }
  }
  void install(Table& table, const char* entry) const {
    if (name[0] == '\0') name = entry;
    table.*Member = call;
  }
};

/// Keeps a table. Only its entries are called.
template <class Table>
void keep(const Table& table) {
  if (std::memcmp(&own_entries<Table>, &table, sizeof(table)) != 0) own_entries<Table> = table;
}

#define PATCHBAY_WATCH(table, entry)                               \
  (Watched<&decltype(tables.table)::entry>{}.install(tables.table, \
                                                     #entry " of the " #table " table"))

void watch_plugin(PluginTables& tables) {
  PATCHBAY_WATCH(plugin, feature_name);
  PATCHBAY_WATCH(plugin, open);
  PATCHBAY_WATCH(plugin, close);
  PATCHBAY_WATCH(plugin, get_extension);
  PATCHBAY_WATCH(plugin, get_device_extension);
  PATCHBAY_WATCH(plugin, enumerate);
  PATCHBAY_WATCH(plugin, open_device);
  PATCHBAY_WATCH(plugin, close_device);
  PATCHBAY_WATCH(plugin, native_handle);
}

void watch_memory(PluginTables& tables) {
  PATCHBAY_WATCH(memory, allocate);
  PATCHBAY_WATCH(memory, release);
  PATCHBAY_WATCH(memory, info);
  PATCHBAY_WATCH(memory, copy_to_device);
  PATCHBAY_WATCH(memory, copy_to_host);
  PATCHBAY_WATCH(memory, copy_on_device);
  PATCHBAY_WATCH(memory, copy_to_peer);
  PATCHBAY_WATCH(memory, can_access_peer);
  PATCHBAY_WATCH(memory, wrap);
}

void watch_streams(PluginTables& tables) {
  PATCHBAY_WATCH(stream, create);
  PATCHBAY_WATCH(stream, destroy);
  PATCHBAY_WATCH(stream, flush);
  PATCHBAY_WATCH(stream, synchronize);
  PATCHBAY_WATCH(stream, wait_event);
  PATCHBAY_WATCH(stream, add_callback);
  PATCHBAY_WATCH(stream, wrap);
  PATCHBAY_WATCH(event, create);
  PATCHBAY_WATCH(event, destroy);
  PATCHBAY_WATCH(event, record);
  PATCHBAY_WATCH(event, query);
  PATCHBAY_WATCH(event, wait);
  PATCHBAY_WATCH(event, elapsed);
}

void watch_kernels(PluginTables& tables) {
  PATCHBAY_WATCH(kernel, prepare);
  PATCHBAY_WATCH(kernel, destroy);
  PATCHBAY_WATCH(kernel, workspace_bytes);
  PATCHBAY_WATCH(kernel, launch);
  PATCHBAY_WATCH(kernel, load_module);
  PATCHBAY_WATCH(kernel, unload_module);
  PATCHBAY_WATCH(kernel, module_kernel);
  PATCHBAY_WATCH(kernel, launch_grid);
}
#undef PATCHBAY_WATCH

}  // namespace

RunningCall::RunningCall(const char* entry) : outer_(current_entry) {
  Notes& notes = all_notes.get();
  const std::scoped_lock lock(notes.mutex);
  number_ = notes.num_calls++;
  notes.running[number_] = {entry, std::chrono::steady_clock::now()};
  current_entry = entry;
}

RunningCall::~RunningCall() {
  current_entry = outer_;
  Notes& notes = all_notes.get();
  const std::scoped_lock lock(notes.mutex);
  notes.running.erase(number_);
}

void watch_calls(PluginTables& tables) {
  const std::scoped_lock lock(all_notes.get().mutex);
  keep(tables.plugin);
  keep(tables.memory);
  keep(tables.stream);
  keep(tables.event);
  keep(tables.kernel);
  watch_plugin(tables);
  watch_memory(tables);
  watch_streams(tables);
  watch_kernels(tables);
}

}  // namespace runtime

std::vector<PluginCall> running_plugin_calls() {
  runtime::Notes& notes = runtime::all_notes.get();
  const std::scoped_lock lock(notes.mutex);
  std::vector<PluginCall> calls;
  for (const auto& [number, call] : notes.running) calls.push_back(call);
  return calls;
}

const char* current_plugin_call() noexcept { return runtime::current_entry; }

std::vector<std::string> take_plugin_breaches() {
  runtime::Notes& notes = runtime::all_notes.get();
  const std::scoped_lock lock(notes.mutex);
  return std::exchange(notes.breaches, {});
}

}  // namespace patchbay
