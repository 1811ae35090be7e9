// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The host table as a C++ object: options, log, clock, cache, scratch memory.
#ifndef PATCHBAY_PLUGIN_KIT_HOST_HPP_
#define PATCHBAY_PLUGIN_KIT_HOST_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/error.hpp"

namespace patchbay::plugin {

/// Throws for a wrong value of a user's setting; `expected` says which ones are right.
[[noreturn]] inline void refuse_setting(std::string_view name, std::string_view expected,
                                        std::string_view got) {
  std::string variable = "PATCHBAY_";
  for (const char letter : name) {
    variable += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  invalid_argument("setting " + std::string(name) + " (" + variable + "): expected " +
                   std::string(expected) + ", got '" + std::string(got) + "'");
}

/// A borrowed view of the host; copy it freely. Every call is thread-safe.
class Host {
 public:
  Host() = default;
  explicit Host(const patchbay_host* table) : table_(table) {}

  const patchbay_host* table() const { return table_; }

  /// The user's setting with this lower-case name, if it is set.
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
  /// The number of lent threads that share a job, including the caller; 0 if none are lent.
  std::uint32_t lent_threads() const { return has_lent_threads() ? table_->lent_threads : 0; }
  /// Calls body(i) once for each i below n on the lent threads; returns when all calls are done.
  /// `body` must not throw.
  template <class Body>
  void parallel_for(std::uint64_t n, const Body& body) const {
    table_->parallel_for(
        table_->context, n,
        [](void* user, std::uint64_t i) { (*static_cast<const Body*>(user))(i); },
        const_cast<Body*>(&body));
  }
  std::uint64_t now_ns() const { return table_->now_ns(table_->context); }

  /// Releases a status that is not returned to the caller.
  void release(patchbay_status* status) const {
    if (status != nullptr) table_->release_status(table_->context, status);
  }

 private:
  /// A host of an earlier minor version has a shorter table.
  bool has_lent_threads() const {
    return table_->size >= offsetof(patchbay_host, parallel_for) + sizeof(table_->parallel_for) &&
           table_->parallel_for != nullptr;
  }
  static void append(void* user, const void* data, std::uint64_t size_bytes) {
    static_cast<std::string*>(user)->assign(static_cast<const char*>(data), size_bytes);
  }

  const patchbay_host* table_ = nullptr;
};

/// The value whose name the setting has, or the first one if the setting is not set. Throws for any
/// other text.
template <class T, std::size_t N>
T choice_of(Host host, std::string_view setting,
            const std::pair<std::string_view, T> (&choices)[N]) {
  const std::optional<std::string> wish = host.option(setting);
  if (!wish) return choices[0].second;
  std::string names;
  for (std::size_t i = 0; i < N; ++i) {
    if (*wish == choices[i].first) return choices[i].second;
    names += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(choices[i].first);
  }
  refuse_setting(setting, names, *wish);
}

/// Whether a setting of 0 or 1 is 1; `otherwise` if it is not set. Throws for any other text.
inline bool is_on(Host host, std::string_view setting, bool otherwise = false) {
  constexpr std::pair<std::string_view, bool> kChoices[] = {{"0", false}, {"1", true}};
  return host.option(setting) ? choice_of(host, setting, kChoices) : otherwise;
}

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_HOST_HPP_
