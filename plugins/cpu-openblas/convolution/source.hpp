// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the algorithms have in common that compute a convolution with stride 1 without patches.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_SOURCE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_SOURCE_HPP_

#include <algorithm>
#include <cstdint>

#include "cpu-openblas/products/packed_cache.hpp"
#include "cpu-openblas/products/scratch.hpp"
#include "kit/windows.hpp"

namespace patchbay::cpu {

/// How many pieces of at most `piece` make n.
constexpr std::int64_t pieces(std::int64_t n, std::int64_t piece) {
  return (n + piece - 1) / piece;
}

/// A convolution with stride 1: the forward one, or, with `of_input`, the one that gives the
/// gradient of the images. Its source is the windows' gradient, and its kernels are turned by 180
/// degrees.
struct SourceSizes {
  SourceSizes(const Convolution& sizes, bool of_input)
      : images(sizes.images), groups(sizes.groups), kernel(sizes.kernel()) {
    const WindowAxis &h = sizes.h, &w = sizes.w;
    const std::int64_t channels = sizes.group_channels(), filters = sizes.group_filters();
    depth = of_input ? filters : channels;
    width = of_input ? channels : filters;
    from_h = of_input ? h.windows : h.extent;
    from_w = of_input ? w.windows : w.extent;
    to_h = of_input ? h.extent : h.windows;
    to_w = of_input ? w.extent : w.windows;
    reach_h = (h.kernel - 1) * h.dilation;
    reach_w = (w.kernel - 1) * w.dilation;
    top = of_input ? reach_h - h.padding : h.padding;
    left = of_input ? reach_w - w.padding : w.padding;
    depth_step = of_input ? channels * kernel : kernel;
    width_step = of_input ? kernel : channels * kernel;
  }

  /// Copies `rows` rows of a plane of the source, from that under the windows of `row` on, each
  /// with `pitch` elements from the first under its windows on. Elements beyond the plane are 0.
  template <class T>
  void copy_rows(const T* plane, std::int64_t row, std::int64_t rows, std::int64_t pitch,
                 T* to) const noexcept {
    const std::int64_t first = std::clamp(left, std::int64_t{0}, pitch);
    const std::int64_t count = std::clamp(from_w + left, first, pitch) - first;
    for (std::int64_t i = 0; i < rows; ++i, to += pitch) {
      const std::int64_t y = row + i - top;
      if (y < 0 || y >= from_h || count == 0) {
        std::fill_n(to, pitch, T(0));
        continue;
      }
      std::fill_n(to, first, T(0));
      std::copy_n(plane + y * from_w + first - left, count, to + first);
      std::fill_n(to + first + count, pitch - first - count, T(0));
    }
  }

  std::int64_t from_pixels() const { return from_h * from_w; }
  std::int64_t to_pixels() const { return to_h * to_w; }

  std::int64_t images, groups;
  std::int64_t kernel;        // elements
  std::int64_t depth, width;  // channels of a group of the source and of the result
  std::int64_t from_h, from_w, to_h, to_w;
  std::int64_t reach_h, reach_w;        // from the first to the last element under a window
  std::int64_t top, left;               // padding of the source; negative if it is cut
  std::int64_t depth_step, width_step;  // of the weight
};

/// A weight in the form that an algorithm reads: kept between calls, or in scratch memory for one.
class PreparedWeight {
 public:
  /// `prepare(char* to)` writes the form. Throws PATCHBAY_OUT_OF_MEMORY.
  template <class Prepare>
  PreparedWeight(PackedCache& cache, ScratchPool& scratch, const PackedCache::Key& key,
                 std::int64_t size_bytes, const Prepare& prepare)
      : kept_(find(cache, key, size_bytes, prepare)),
        lease_(scratch.take(static_cast<std::size_t>(kept_ != nullptr ? 0 : size_bytes))) {
    if (kept_ == nullptr) prepare(lease_.data());
  }
  const char* data() const noexcept { return kept_ != nullptr ? kept_.get() : lease_.data(); }

 private:
  template <class Prepare>
  static PackedCache::Block find(PackedCache& cache, const PackedCache::Key& key,
                                 std::int64_t size_bytes, const Prepare& prepare) noexcept {
    if (key.contents == 0) return nullptr;
    return cache.find(key, size_bytes, cache.next_launch(), [&](char* to) {
      prepare(to);
      return true;
    });
  }

  const PackedCache::Block kept_;
  const ScratchPool::Lease lease_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_CONVOLUTION_SOURCE_HPP_
