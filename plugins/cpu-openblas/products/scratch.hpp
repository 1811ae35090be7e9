// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory for packed inputs of products and for entries to sort. It is kept for later launches.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_SCRATCH_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_SCRATCH_HPP_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace patchbay::cpu {

/// A block, aligned to a cache line.
struct ScratchBlock {
  char* data = nullptr;
  std::size_t size_bytes = 0;
};

class ScratchPool {
 public:
  /// A block for exclusive use, returned on destruction.
  class Lease {
   public:
    Lease() = default;
    Lease(ScratchPool& pool, ScratchBlock block) : pool_(&pool), block_(block) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), block_(other.block_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(block_);
    }
    char* data() const noexcept { return block_.data; }

   private:
    ScratchPool* pool_ = nullptr;
    ScratchBlock block_;
  };

  ScratchPool() = default;
  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;
  ~ScratchPool();

  /// Allocates nothing for 0 bytes. Throws PATCHBAY_OUT_OF_MEMORY.
  Lease take(std::size_t size_bytes);

 private:
  bool find_kept(std::size_t size_bytes, ScratchBlock& block) noexcept;
  void drop_largest() noexcept;
  void give_back(ScratchBlock block) noexcept;

  std::mutex mutex_;
  std::vector<ScratchBlock> kept_;
};

/// The smallest whole number of cache lines that has so many bytes.
constexpr std::int64_t whole_lines(std::int64_t bytes) noexcept {
  constexpr std::int64_t kLine = 64;
  return (bytes + kLine - 1) / kLine * kLine;
}

/// Equal rooms of scratch memory, one for each part of a launch.
class ScratchRooms {
 public:
  ScratchRooms(ScratchPool& pool, std::int64_t bytes, int num_parts)
      : each_(whole_lines(bytes)), lease_(pool.take(static_cast<std::size_t>(each_ * num_parts))) {}
  char* of(int part) const noexcept { return lease_.data() + each_ * part; }

 private:
  const std::int64_t each_;
  const ScratchPool::Lease lease_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_PRODUCTS_SCRATCH_HPP_
