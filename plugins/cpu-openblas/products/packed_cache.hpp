// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Packed operands that are kept for later launches, while the host's number says that their
// elements are the same.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_PACKED_CACHE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_PACKED_CACHE_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace patchbay::cpu {

/// Any thread may use it.
class PackedCache {
 public:
  /// What was packed, and how.
  struct Key {
    std::uint64_t contents;  // patchbay_argument's
    const void* elements;
    std::array<std::int64_t, 5> form;  // what else the packed bytes depend on

    bool operator==(const Key&) const = default;
  };
  /// Bytes from a cache line on.
  using Block = std::shared_ptr<const char>;

  /// Keeps at most so many bytes.
  explicit PackedCache(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// A number for each launch. An operand is kept from the second launch on that uses it, because
  /// most are used once.
  std::uint64_t next_launch() noexcept {
    return num_launches_.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  /// The operand as `pack(char* to)` writes it, which returns false if it fails. Null if the
  /// operand is not kept: it is new, there is no room, or another thread is packing it.
  template <class Pack>
  Block find(const Key& key, std::int64_t size_bytes, std::uint64_t launch,
             const Pack& pack) noexcept {
    bool is_to_pack = false;
    const Room room = reserve(key, static_cast<std::uint64_t>(size_bytes), launch, is_to_pack);
    if (!is_to_pack) return room;
    const bool is_packed = pack(room.get());
    finish(key, is_packed);
    return is_packed ? room : nullptr;
  }

 private:
  using Room = std::shared_ptr<char>;
  struct Entry {
    Key key;
    Room block;
    std::uint64_t size_bytes, launch;  // the last one that used it
    bool is_packed = false;
  };
  using Entries = std::list<Entry>;  // the latest used first
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  /// An operand that was used and not kept.
  struct Sight {
    std::size_t hash = 0;
    std::uint64_t launch = 0;
  };

  Room reserve(const Key& key, std::uint64_t size_bytes, std::uint64_t launch,
               bool& is_to_pack) noexcept;
  void finish(const Key& key, bool is_packed) noexcept;
  std::uint64_t distance_to_last_use(const Key& key, std::uint64_t launch) noexcept;
  bool make_room(std::uint64_t size_bytes, std::uint64_t launch, std::uint64_t distance) noexcept;
  void drop(Entries::iterator entry) noexcept;

  static constexpr std::size_t kSightPlaces = 512;

  const std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> num_launches_{0};
  std::mutex mutex_;
  Entries entries_;
  std::unordered_map<Key, Entries::iterator, Hash> by_key_;
  std::array<std::array<Sight, 4>, kSightPlaces> sights_{};  // by hash; the oldest gives way
  std::uint64_t num_bytes_ = 0;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_PACKED_CACHE_HPP_
