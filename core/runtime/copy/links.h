// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The measured speed of copies between two places.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_LINKS_H_
#define PATCHBAY_CORE_RUNTIME_COPY_LINKS_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace patchbay::runtime {

/// A copy takes `latency_seconds` plus its size divided by `bytes_per_second`.
struct Link {
  double latency_seconds = 0;
  double bytes_per_second = 0;
  std::size_t chunk_bytes = 0;  // for staged copies
};

/// The links of one runtime, by the names of their ends.
class Links {
 public:
  /// The chunk size of staged copies before anything is measured: small enough that the chunks in
  /// flight fit into a processor's cache.
  static constexpr std::size_t kDefaultChunkBytes = std::size_t{1} << 20;
  static constexpr std::size_t kLeastChunkBytes = std::size_t{128} << 10;

  void set(const std::string& from, const std::string& to, const Link& link) {
    const std::scoped_lock lock(mutex_);
    links_[{from, to}] = link;
  }
  std::optional<Link> find(const std::string& from, const std::string& to) const {
    const std::scoped_lock lock(mutex_);
    const auto found = links_.find({from, to});
    return found != links_.end() ? std::optional(found->second) : std::nullopt;
  }
  /// The chunk size for a staged copy of `size_bytes`, which is more than 0; without a measurement
  /// at most `unmeasured`.
  std::size_t chunk_bytes(const std::string& from, const std::string& to, std::size_t size_bytes,
                          std::size_t unmeasured) const {
    const auto link = find(from, to);
    const bool is_measured = link && link->chunk_bytes != 0;
    const std::size_t most = is_measured ? link->chunk_bytes : unmeasured;
    // At least two chunks, so that both legs run at once. Starting smaller chunks takes longer than
    // the overlap saves.
    const std::size_t half = std::max((size_bytes + 1) / 2, kLeastChunkBytes);
    return std::min({size_bytes, most, half});
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Link> links_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_LINKS_H_
