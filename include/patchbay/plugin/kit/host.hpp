// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The host table as a C++ object: options, log, clock, cache, scratch memory.
#ifndef PATCHBAY_PLUGIN_KIT_HOST_HPP_
#define PATCHBAY_PLUGIN_KIT_HOST_HPP_

#include <optional>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {

/// A borrowed view of the host; copy it freely. Every call is thread-safe.
class Host {
 public:
  Host() = default;
  explicit Host(const patchbay_host* table) : table_(table) {}

  const patchbay_host* table() const { return table_; }

  /// The user's setting of this lower-case name, if there is one.
  std::optional<std::string> option(std::string_view name) const {
    std::string value;
    if (table_->option(table_->context, to_abi(name), append, &value) == 0) return std::nullopt;
    return value;
  }
  std::optional<std::string> cache_get(std::string_view key) const {
    std::string value;
    if (table_->cache_get(table_->context, to_abi(key), append, &value) == 0) return std::nullopt;
    return value;
  }
  void cache_put(std::string_view key, std::string_view blob) const {
    table_->cache_put(table_->context, to_abi(key), blob.data(), blob.size());
  }
  void log(std::int32_t level, std::string_view message) const {
    table_->log(table_->context, level, to_abi(message));
  }
  void trace(std::int32_t phase, std::string_view name) const {
    table_->trace(table_->context, phase, to_abi(name));
  }
  std::uint64_t now_ns() const { return table_->now_ns(table_->context); }

  /// Drops a status that is not passed on.
  void release(patchbay_status* status) const {
    if (status != nullptr) table_->release_status(table_->context, status);
  }

 private:
  static void append(void* user, const void* data, std::uint64_t size_bytes) {
    static_cast<std::string*>(user)->assign(static_cast<const char*>(data), size_bytes);
  }

  const patchbay_host* table_ = nullptr;
};

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_HOST_HPP_
