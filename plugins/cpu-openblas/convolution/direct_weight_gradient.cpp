// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A unit of work has some channels and some filters of a group to itself. It takes a chunk of the
// windows at a time: several images, or a band of rows of one. The lanes of a vector are
// neighbouring windows; their sums are kept apart, in vectors, until all chunks are done.
#include "cpu-openblas/convolution/direct_weight_gradient.hpp"

#include <algorithm>

#include "cpu-openblas/convolution/source.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kChunkBytes = 4 << 10;  // of a filter's gradient, unless a row has more;
                                               // those of a tile stay in the first-level cache
constexpr std::int64_t kSumBytes = 128 << 10;  // unless the sums of one channel have more
constexpr double kLeastUse = 0.6;              // of the lanes
constexpr std::int64_t kMostWidth = 64;        // filters for which patches cost more

}  // namespace

template <class T>
struct DirectWeightGradient<T>::Problem : SourceSizes {
  Problem(const Convolution& sizes, const DirectLoop& loop, int num_threads)
      : SourceSizes(sizes, false),
        kernel_h(sizes.h.kernel),
        kernel_w(sizes.w.kernel),
        step_h(sizes.h.dilation),
        step_w(sizes.w.dilation),
        lanes(loop.lanes_of(sizes.w.windows)),
        tile(loop.weight_filters) {
    const std::int64_t line = pieces(to_w, lanes) * lanes;
    pitch = line + reach_w;
    copies_grad = line != to_w;
    grad_pitch = line;
    // Chains of sums do not depend on the threads, and so the bits do not.
    const std::int64_t rows =
        std::max(kChunkBytes / (line * std::int64_t{sizeof(T)}), std::int64_t{1});
    band = pieces(to_h, pieces(to_h, std::min(rows, to_h)));
    together = std::clamp(rows / to_h, std::int64_t{1}, images);
    const std::int64_t tiles = pieces(width, tile);
    filters = pieces(tiles, std::min(tiles, pieces(num_threads, groups * depth))) * tile;
    const std::int64_t most =
        std::max(kSumBytes / (channel_sums() * std::int64_t{sizeof(T)}), std::int64_t{1});
    const std::int64_t shared = pieces(num_threads, groups * filter_blocks());
    const std::int64_t blocks = pieces(pieces(depth, most), shared) * shared;
    channels = pieces(depth, std::min(blocks, depth));
  }

  std::int64_t filter_blocks() const { return pieces(width, filters); }
  std::int64_t channel_blocks() const { return pieces(depth, channels); }
  std::int64_t units() const { return groups * filter_blocks() * channel_blocks(); }
  std::int64_t channel_sums() const { return kernel * filters * lanes; }
  std::int64_t plane() const { return (band + reach_h) * pitch; }
  double use_of_lanes() const {
    return static_cast<double>(to_w) / static_cast<double>(grad_pitch);
  }

  // Parts of a room, in elements.
  std::int64_t sum_elements() const { return channels * channel_sums(); }
  std::int64_t image_elements() const { return together * channels * plane(); }
  std::int64_t grad_elements() const {
    return copies_grad ? together * filters * band * grad_pitch : 0;
  }

  std::int64_t kernel_h, kernel_w, step_h, step_w;
  std::int64_t lanes, tile;  // filters of a tile
  std::int64_t pitch, grad_pitch;
  bool copies_grad;                // so that its rows end with whole vectors
  std::int64_t filters, channels;  // of a unit
  std::int64_t together, band;     // images and rows of a chunk
};

template <class T>
struct DirectWeightGradient<T>::Unit {
  Unit(const Problem& p, std::int64_t number)
      : group(number / p.channel_blocks() / p.filter_blocks()),
        channel(number % p.channel_blocks() * p.channels),
        filter(number / p.channel_blocks() % p.filter_blocks() * p.filters),
        channels(std::min(p.channels, p.depth - channel)),
        filters(std::min(p.filters, p.width - filter)) {}

  const std::int64_t group;
  const std::int64_t channel, filter;    // the first ones, in the group
  const std::int64_t channels, filters;  // how many
};

/// The sums of the lanes' sums, pairs first.
template <class T>
void DirectWeightGradient<T>::write_sums(const Problem& p, const Unit& unit, T* sums,
                                         T* result) const noexcept {
  for (std::int64_t channel = 0; channel < unit.channels; ++channel) {
    for (std::int64_t row = 0; row < p.kernel_h; ++row) {
      for (std::int64_t filter = 0; filter < unit.filters; ++filter) {
        T* to = result +
                ((unit.group * p.width + unit.filter + filter) * p.depth + unit.channel + channel) *
                    p.kernel +
                row * p.kernel_w;
        for (std::int64_t column = 0; column < p.kernel_w; ++column, sums += p.lanes) {
          for (std::int64_t half = p.lanes / 2; half > 0; half /= 2) {
            for (std::int64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
          }
          *to++ = sums[0];
        }
      }
    }
  }
}

/// The rows under `rows` rows of windows of some images, with the zeros around them.
template <class T>
void DirectWeightGradient<T>::copy_images(const Problem& p, const Unit& unit, const T* images,
                                          std::int64_t image, std::int64_t count, std::int64_t row,
                                          std::int64_t rows, T* to) const noexcept {
  for (std::int64_t i = image; i < image + count; ++i) {
    for (std::int64_t channel = 0; channel < unit.channels; ++channel, to += p.plane()) {
      const std::int64_t plane = (i * p.groups + unit.group) * p.depth + unit.channel + channel;
      p.copy_rows(images + plane * p.from_pixels(), row, rows + p.reach_h, p.pitch, to);
    }
  }
}

/// Moves the block's gradient to `to`, where each row ends with a whole vector.
template <class T>
void DirectWeightGradient<T>::copy_grad(const Problem& p, DirectWeightBlock& block,
                                        T* to) const noexcept {
  const T* const windows = static_cast<const T*>(block.grad);
  const std::int64_t image_step = block.grad_image, filter_step = block.grad_filter;
  block.grad = to;
  block.grad_pitch = p.grad_pitch;
  block.grad_filter = block.rows * p.grad_pitch;
  block.grad_image = block.filters * block.grad_filter;
  for (std::int64_t line = 0; line < block.images * block.filters; ++line) {
    const T* from =
        windows + line / block.filters * image_step + line % block.filters * filter_step;
    for (std::int64_t row = 0; row < block.rows; ++row, from += p.to_w, to += p.grad_pitch) {
      std::copy_n(from, p.to_w, to);
      std::fill_n(to + p.to_w, p.grad_pitch - p.to_w, T(0));
    }
  }
}

template <class T>
void DirectWeightGradient<T>::compute_unit(const Problem& p, const Unit& unit, const T* images,
                                           const T* grad, T* result, T* room) const noexcept {
  T* const sums = room;
  T* const planes = sums + p.sum_elements();
  T* const slopes = planes + p.image_elements();
  const std::int64_t block_sums = p.kernel_w * unit.filters * p.lanes;
  std::fill_n(sums, unit.channels * p.kernel_h * block_sums, T(0));
  for (std::int64_t image = 0; image < p.images; image += p.together) {
    const std::int64_t count = std::min(p.together, p.images - image);
    for (std::int64_t row = 0; row < p.to_h; row += p.band) {
      const std::int64_t rows = std::min(p.band, p.to_h - row);
      copy_images(p, unit, images, image, count, row, rows, planes);
      DirectWeightBlock block{};
      block.images = count;
      block.rows = rows;
      block.windows = p.to_w;
      block.source_image = unit.channels * p.plane();
      block.source_pitch = p.pitch;
      block.grad = grad +
                   ((image * p.groups + unit.group) * p.width + unit.filter) * p.to_pixels() +
                   row * p.to_w;
      block.grad_image = p.groups * p.width * p.to_pixels();
      block.grad_filter = p.to_pixels();
      block.grad_pitch = p.to_w;
      block.filters = unit.filters;
      block.columns = p.kernel_w;
      block.column_step = p.step_w;
      if (p.copies_grad) copy_grad(p, block, slopes);
      const T* const first = static_cast<const T*>(block.grad);
      for (std::int64_t filter = 0; filter < unit.filters; filter += p.tile) {
        block.grad = first + filter * block.grad_filter;
        block.filters = std::min(p.tile, unit.filters - filter);
        for (std::int64_t channel = 0; channel < unit.channels; ++channel) {
          for (std::int64_t k = 0; k < p.kernel_h; ++k) {
            block.source = planes + channel * p.plane() + k * p.step_h * p.pitch;
            block.sums =
                sums + (channel * p.kernel_h + k) * block_sums + filter * p.kernel_w * p.lanes;
            loop_.add_weight(block);
          }
        }
      }
    }
  }
  write_sums(p, unit, sums, result);
}

template <class T>
bool DirectWeightGradient<T>::compute(const Convolution& sizes, const T* images, const T* grad,
                                      T* result) const {
  if (sizes.h.stride != 1 || sizes.w.stride != 1 || sizes.kernel() <= 1) return false;
  if (sizes.images == 0 || sizes.places() == 0) return false;
  const Problem p(sizes, loop_, workers_.num_threads());
  if (p.width > kMostWidth || p.use_of_lanes() < kLeastUse) return false;
  const int threads = static_cast<int>(std::min<std::int64_t>(p.units(), workers_.num_threads()));
  const ScratchRooms rooms(
      scratch_,
      (p.sum_elements() + p.image_elements() + p.grad_elements()) * std::int64_t{sizeof(T)},
      threads);
  workers_.for_units(p.units(), threads, [&](int thread, std::int64_t unit) {
    compute_unit(p, Unit(p, unit), images, grad, result, reinterpret_cast<T*>(rooms.of(thread)));
  });
  return true;
}

template class DirectWeightGradient<float>;
template class DirectWeightGradient<double>;

}  // namespace patchbay::cpu
