// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_API_LAZY_HPP_
#define PATCHBAY_KIT_CARD_API_LAZY_HPP_

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "patchbay/plugin/kit/host.hpp"

#include "kit/library/library.hpp"

namespace patchbay::card {

/// The library that the setting names, else one of `files` as `open` chooses: the first that can be
/// opened, or one that the process has loaded already. It stays loaded.
inline Library library_of(plugin::Host host, const char* setting,
                          const std::vector<std::string>& files,
                          decltype(&Library::first_of) open = &Library::first_of) {
  const auto path = host.option(setting);
  return path ? Library(*path, Library::Lifetime::kProcess)
              : open(files, Library::Lifetime::kProcess);
}

/// What to do where a library can't be used: the end of a message.
inline std::string remedy_of(plugin::Host host, const std::string& setting) {
  return host.option(setting) ? "Correct the setting " + setting + ", which names it"
                              : "Install it, or name it by the setting " + setting;
}

/// A table of a library's functions, opened at its first use. Thread-safe.
template <class Table>
class Lazy {
 public:
  /// The library must work with this driver version.
  Lazy(plugin::Host host, int driver_version) : host_(host), driver_version_(driver_version) {}

  /// If the table's constructor throws, each call throws the same.
  const Table& get() {
    const std::lock_guard lock(mutex_);
    if (!table_) table_.emplace(host_, driver_version_);
    return *table_;
  }

 private:
  const plugin::Host host_;
  const int driver_version_;
  std::mutex mutex_;
  std::optional<Table> table_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_API_LAZY_HPP_
