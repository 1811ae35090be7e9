// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "patchbay/copy.h"

#include "core/base/error.h"
#include "core/base/fork.h"
#include "core/runtime/device/context.h"

namespace patchbay {

using base::one_line;

std::string_view to_string(Route route) {
  switch (route) {
    case Route::kNone: return "none";
    case Route::kSameDevice: return "same device";
    case Route::kHostToDevice: return "host to device";
    case Route::kDeviceToHost: return "device to host";
    case Route::kHostToHost: return "host to host";
    case Route::kPeer: return "peer";
    case Route::kStaged: return "staged";
    case Route::kScalar: return "scalar";
  }
  return "unknown";
}

struct Ledger::Impl {
  struct Counts {
    std::uint64_t copies = 0;
    std::uint64_t bytes = 0;
  };
  const base::HomeProcess home;
  using Key = std::tuple<std::string, std::string, Route, std::string>;
  mutable std::mutex mutex;
  std::map<Key, Counts> counts;
};

Ledger::Ledger() : impl_(std::make_unique<Impl>()) {}
Ledger::~Ledger() = default;

void Ledger::record(const std::string& from, const std::string& to, Route route,
                    std::size_t bytes) {
  impl_->home.check("copy", "ledger");
  Impl::Key key{from, to, route, runtime::context().tag};
  const std::scoped_lock lock(impl_->mutex);
  Impl::Counts& counts = impl_->counts[std::move(key)];
  ++counts.copies;
  counts.bytes += bytes;
}

std::vector<LedgerEntry> Ledger::entries() const {
  impl_->home.check("ledger", "its entries");
  const std::scoped_lock lock(impl_->mutex);
  std::vector<LedgerEntry> result;
  for (const auto& [key, counts] : impl_->counts) {
    const auto& [from, to, route, tag] = key;
    result.push_back({from, to, route, tag, counts.copies, counts.bytes});
  }
  return result;
}

LedgerEntry Ledger::total(std::string_view from, std::string_view to) const {
  LedgerEntry sum;
  sum.from = from;
  sum.to = to;
  for (const LedgerEntry& entry : entries()) {
    if ((!from.empty() && entry.from != from) || (!to.empty() && entry.to != to)) continue;
    sum.copies += entry.copies;
    sum.bytes += entry.bytes;
  }
  return sum;
}

void Ledger::reset() {
  impl_->home.check("ledger", "its entries");
  const std::scoped_lock lock(impl_->mutex);
  impl_->counts.clear();
}

std::string Ledger::to_text() const {
  std::string text = fmt::format("{:<12} {:<12} {:<16} {:>10} {:>16}  {}\n", "from", "to", "route",
                                 "copies", "bytes", "tag");
  for (const LedgerEntry& entry : entries()) {
    text +=
        fmt::format("{:<12} {:<12} {:<16} {:>10} {:>16}  {}\n", entry.from, entry.to,
                    to_string(entry.route), entry.copies, entry.bytes, base::one_line(entry.tag));
  }
  return text;
}

std::string Ledger::to_json() const {
  nlohmann::json copies = nlohmann::json::array();
  for (const LedgerEntry& entry : entries()) {
    copies.push_back({{"from", entry.from},
                      {"to", entry.to},
                      {"route", to_string(entry.route)},
                      {"tag", entry.tag},
                      {"copies", entry.copies},
                      {"bytes", entry.bytes}});
  }
  // A tag is the user's text: replace what is not UTF-8 rather than fail.
  return nlohmann::json{{"copies", std::move(copies)}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace patchbay
