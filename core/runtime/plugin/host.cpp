// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/host.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "patchbay/plugin/abi.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/cache/blob_cache.h"
#include "core/runtime/plugin/plugin_file.h"
#include "core/runtime/search/arrival.h"

namespace patchbay::runtime {
namespace {

/// The largest compiled kernel that is cached.
constexpr std::uint64_t kMostBlobBytes = std::uint64_t{1} << 30;

/// The longest line, and the longest build log, that a user is shown.
constexpr std::size_t kMostLineBytes = 4096, kMostBuildLogBytes = std::size_t{256} << 10;

HostTable& host(patchbay_host_context* context) { return *reinterpret_cast<HostTable*>(context); }

/// A name from the plugin; empty if it is unreadable.
std::string_view name_of(patchbay_string text) {
  const bool is_sound = text.size != 0 && text.data != nullptr && text.size <= kMostNameBytes;
  return is_sound ? std::string_view(text.data, text.size) : std::string_view();
}

/// The beginning of a text that is too long.
std::string shortened(std::string text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  const std::size_t num_left_out = text.size() - most_bytes;
  text.resize(most_bytes);
  return text + fmt::format("... ({} bytes more)", num_left_out);
}

/// Returns `fallback` if there is no memory.
template <class T, class Call>
T or_else(T fallback, const Call& call) noexcept {
  try {
    return call();
  } catch (...) {  // no exception may cross the plugin
    return fallback;
  }
}

bool is_code(std::int32_t code) {
  return code >= PATCHBAY_INVALID_ARGUMENT && code <= PATCHBAY_IO_FAILED;
}

patchbay_status* make_status_entry(patchbay_host_context*, const patchbay_status_info* info) {
  return or_else(base::out_of_memory_status(), [&] {
    // A plugin of an earlier minor version has fewer fields.
    patchbay_status_info known{};
    if (info != nullptr)
      std::memcpy(&known, info, std::min<std::size_t>(info->size, sizeof(known)));
    const bool is_log = known.code == PATCHBAY_BUILD_FAILED;
    std::string message =
        shortened(readable(known.message), is_log ? kMostBuildLogBytes : kMostLineBytes);
    if (message.empty()) message = "it gave no message";
    if (!is_code(known.code)) {
      message +=
          fmt::format(" (status code {}, which the plugin interface does not have)", known.code);
      known.code = PATCHBAY_INTERNAL;
    }
    message = is_log ? printable_lines(message) : printable(base::without_line_breaks(message));
    constexpr std::uint32_t kFlags = PATCHBAY_STATUS_RETRYABLE | PATCHBAY_STATUS_DEVICE_LOST;
    return base::make_status(known.code, message, known.native_code, known.flags & kFlags,
                             printable(name_of(known.origin)));
  });
}

void release_status_entry(patchbay_host_context*, patchbay_status* status) {
  base::release_status(status);
}

void log_entry(patchbay_host_context* context, std::int32_t level, patchbay_string message) {
  const auto clamped = static_cast<LogLevel>(std::clamp<std::int32_t>(level, 1, 4));
  HostTable& table = host(context);
  const output::ServiceThread service;
  or_else(0, [&] {
    const std::string text = shortened(readable(message), kMostLineBytes);
    table.plugin.owner.logger.write(
        clamped,
        fmt::format("[{}] {}", table.plugin.name, printable(base::without_line_breaks(text))));
    return 0;
  });
}

void trace_entry(patchbay_host_context* context, std::int32_t phase, patchbay_string name) {
  Tracer* const tracer = host(context).plugin.owner.tracing.tracer();
  if (tracer == nullptr) return;
  const Track track = tracer->host_track();
  if (phase == PATCHBAY_TRACE_BEGIN) tracer->begin(track, name_of(name));
  if (phase == PATCHBAY_TRACE_END) tracer->end(track);
  if (phase == PATCHBAY_TRACE_INSTANT) tracer->instant(track, name_of(name), {});
}

std::uint64_t now_entry(patchbay_host_context*) { return base::now_ns(); }

/// Whether the program sets it. An empty variable counts as unset.
bool is_in_code(const base::Environment& environment, std::string_view setting) noexcept {
  return or_else(false, [&] {
    const std::vector<std::string> names = environment.names_in_code();
    return std::find(names.begin(), names.end(), setting) != names.end();
  });
}

std::uint32_t option_entry(patchbay_host_context* context, patchbay_string name,
                           patchbay_bytes_callback call, void* user) {
  const std::string_view wanted = name_of(name);
  if (wanted.empty() || call == nullptr) return 0;
  const HostTable& table = host(context);
  const output::ServiceThread service;
  or_else(0, [&] {
    table.plugin.warn_undeclared(wanted);
    return 0;
  });
  const auto value = table.plugin.environment.find(wanted);
  if (!value) return 0;
  if (value->empty() && !is_in_code(table.plugin.environment, wanted)) return 0;
  call(user, value->data(), value->size());
  return 1;
}

std::uint32_t cache_get_entry(patchbay_host_context* context, patchbay_string key,
                              patchbay_bytes_callback call, void* user) {
  const auto blob = or_else(decltype(cache_get(host(context).plugin.environment, {}))(), [&] {
    return cache_get(host(context).plugin.environment, name_of(key));
  });
  if (!blob || call == nullptr) return 0;
  call(user, blob->data(), blob->size());
  return 1;
}

void cache_put_entry(patchbay_host_context* context, patchbay_string key, const void* data,
                     std::uint64_t size_bytes) {
  or_else(0, [&] {
    const patchbay_string blob = {static_cast<const char*>(data), size_bytes};
    if (find_text_fault(blob, kMostBlobBytes) != "") return 0;
    cache_put(host(context).plugin.environment, name_of(key),
              {static_cast<const char*>(data), size_bytes});
    return 0;
  });
}

std::int32_t scratch_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return PATCHBAY_INVALID_ARGUMENT;
    case ErrorCode::kOutOfMemory: return PATCHBAY_OUT_OF_MEMORY;
    case ErrorCode::kTimedOut: return PATCHBAY_TIMED_OUT;
    default: return PATCHBAY_DRIVER_ERROR;
  }
}

patchbay_status* scratch_allocate_entry(patchbay_host_context* context, std::uint32_t index,
                                        std::uint64_t size_bytes, patchbay_memory* memory) {
  if (memory == nullptr)
    return base::make_status(PATCHBAY_INVALID_ARGUMENT, "memory is a null pointer");
  PluginFile& plugin = host(context).plugin;
  const output::ServiceThread service;
  try {
    *memory = plugin.allocate_scratch(index, size_bytes);
    return nullptr;
  } catch (const Error& error) {
    const bool is_lost = error.code() == ErrorCode::kDeviceLost;
    return base::make_status(scratch_code_of(error.code()), error.what(), error.native_code(),
                             is_lost ? PATCHBAY_STATUS_DEVICE_LOST : 0);
  } catch (const std::exception& error) {
    return base::make_status(PATCHBAY_OUT_OF_MEMORY, error.what());
  } catch (...) {  // of the program's: its out-of-memory function or memory resource
    return base::make_status(PATCHBAY_OUT_OF_MEMORY, "an exception of an unknown type");
  }
}

void scratch_release_entry(patchbay_host_context* context, std::uint32_t index,
                           patchbay_memory memory, std::uint64_t) {
  PluginFile& plugin = host(context).plugin;
  const output::ServiceThread service;
  plugin.free_scratch(index, memory);
}

void parallel_for_entry(patchbay_host_context* context, std::uint64_t n,
                        void (*body)(void* user, std::uint64_t i), void* user) {
  if (body == nullptr) return;
  const ThreadPool& pool = host(context).plugin.owner.thread_pool;
  if (pool.num_threads > 0) return pool.parallel_for(n, [=](std::size_t i) { body(user, i); });
  for (std::uint64_t i = 0; i < n; ++i) body(user, i);
}

}  // namespace

HostTable::HostTable(PluginFile& owner) : plugin(owner) {
  table_.size = sizeof(table_);
  table_.abi_major = PATCHBAY_ABI_MAJOR;
  table_.abi_minor = PATCHBAY_ABI_MINOR;
  table_.context = reinterpret_cast<patchbay_host_context*>(this);
  table_.make_status = make_status_entry;
  table_.release_status = release_status_entry;
  table_.out_of_memory = base::out_of_memory_status();
  table_.log = log_entry;
  table_.trace = trace_entry;
  table_.now_ns = now_entry;
  table_.option = option_entry;
  table_.cache_get = cache_get_entry;
  table_.cache_put = cache_put_entry;
  table_.scratch_allocate = scratch_allocate_entry;
  table_.scratch_release = scratch_release_entry;
  table_.lent_threads = static_cast<std::uint32_t>(plugin.owner.thread_pool.num_threads);
  table_.parallel_for = parallel_for_entry;
}

void HostTable::agree(std::uint32_t plugin_minor, std::uint64_t plugin_features) {
  table_.abi_minor = std::min<std::uint32_t>(PATCHBAY_ABI_MINOR, plugin_minor);
  table_.features = plugin_features & PATCHBAY_KNOWN_FEATURES;
}

}  // namespace patchbay::runtime
