// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/kernels/device_library.hpp"

#include <string>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::card {

namespace {

/// No library's handle needs more.
constexpr std::size_t kMostHandleBytes = std::size_t{1} << 30;

}  // namespace

bool DeviceLibrary::open(plugin::Host host) {
  std::uint32_t level = PATCHBAY_LOG_INFO;
  std::string line;  // logged without the lock, because a sink may compute on the device
  bool is_there = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_open_ || is_absent_) return is_open_;
    try {
      open_library();
      create_handle();
      is_open_ = is_there = true;
      line = "uses " + std::string(library_name()) + ": " + library_file();
    } catch (const plugin::StatusError& error) {
      if (error.code() != PATCHBAY_UNSUPPORTED) throw;
      is_absent_ = true;
      const bool is_named = host.option(setting()).has_value();
      level = is_named ? std::uint32_t{PATCHBAY_LOG_WARNING} : absence_level();
      line = std::string(instead()) + ": " + error.what();
    }
  }
  host.log(level, line);
  return is_there;
}

void DeviceLibrary::check(std::string_view doing, const char* entry, int status) {
  if (status == 0) return;
  const std::string why = std::string(doing.empty() ? library_name() : doing) + ": " + entry +
                          " gives status " + std::to_string(status);
  if (status == out_of_memory_status()) {
    throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, why, status, PATCHBAY_STATUS_RETRYABLE);
  }
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, why, status);
}

void DeviceLibrary::throw_full(const char* entry, int status) {
  const std::string failure = std::string(entry) + " gives status " + std::to_string(status);
  const bool is_certain = status == out_of_memory_status();
  const std::string room =
      context_.check_room(failure, status, is_certain ? Context::kAnyRoom : kMostHandleBytes);
  plugin::unsupported(std::string(library_name()) + " does not work here: " + failure +
                      ", though " + room);
}

void DeviceLibrary::check_device(Stream& stream, std::string_view name) {
  const auto& query = context_.api().stream_query;
  const Result code = context_.attempt(query, stream.native());
  if (context_.api().loses_device(code)) context_.fail(query.name, code, name);
}

}  // namespace patchbay::card
