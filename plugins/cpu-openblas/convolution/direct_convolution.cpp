// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A unit of work is a band of rows of windows of one image, and some filters of a group. The rows
// that it reads are copied with the zeros around them, which costs one copy of each element instead
// of one for each element of a kernel.
#include "cpu-openblas/convolution/direct_convolution.hpp"

#include <algorithm>

#include "cpu-openblas/convolution/source.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kBandBytes = 256 << 10;  // of a band of the source, unless a row has more
constexpr std::int64_t kSteps = 384;            // of a chain, unless a kernel has more
constexpr std::int64_t kMostWidth = 192;        // filters for which patches cost more

}  // namespace

template <class T>
struct DirectConvolution<T>::Problem : SourceSizes {
  Problem(const Convolution& sizes, bool of_input, const DirectLoop& loop, int num_threads)
      : SourceSizes(sizes, of_input), columns(loop.columns) {
    together = std::clamp(kSteps / kernel, std::int64_t{1}, depth);
    pitch = pieces(to_w, loop.lanes) * loop.lanes + reach_w;
    const std::int64_t row_bytes = depth * pitch * std::int64_t{sizeof(T)};
    band = std::clamp(kBandBytes / row_bytes - reach_h, std::int64_t{1}, to_h);
    band = pieces(to_h, pieces(to_h, band));
    const std::int64_t parts =
        std::min(pieces(num_threads, images * groups * bands()), pieces(width, columns));
    part_width = pieces(pieces(width, parts), columns) * columns;
  }

  std::int64_t bands() const { return pieces(to_h, band); }
  std::int64_t parts() const { return pieces(width, part_width); }
  std::int64_t units() const { return images * groups * bands() * parts(); }
  std::int64_t plane() const { return (band + reach_h) * pitch; }
  std::int64_t weight_elements() const { return groups * width * depth * kernel; }
  std::int64_t steps() const { return together * kernel; }

  std::int64_t columns;      // filters of a tile
  std::int64_t together;     // channels of a chain
  std::int64_t pitch, band;  // of a copied row; rows of windows
  std::int64_t part_width;   // filters of a unit
};

/// For each group and chain, and for `columns` filters at a time: their elements at each step.
template <class T>
void DirectConvolution<T>::pack_weight(const Problem& p, const T* weight, T* to) const noexcept {
  const std::int64_t chains = pieces(p.depth, p.together);
  const auto pack_chain = [&](std::int64_t group, std::int64_t first) {
    const std::int64_t steps = std::min(p.together, p.depth - first) * p.kernel;
    const std::int64_t start = group * p.width * p.depth * p.kernel;
    const T* const from = weight + start + first * p.depth_step;
    T* out = to + start + p.width * first * p.kernel;
    for (std::int64_t filter = 0; filter < p.width; filter += p.columns) {
      const std::int64_t count = std::min(p.columns, p.width - filter);
      for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t channel = step / p.kernel, k = step % p.kernel;
        const T* const at = from + channel * p.depth_step + filter * p.width_step +
                            (of_input_ ? p.kernel - 1 - k : k);
        for (std::int64_t j = 0; j < count; ++j) *out++ = at[j * p.width_step];
      }
    }
  };
  workers_.split(p.groups * chains, 1, p.weight_elements() * std::int64_t{sizeof(T)},
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) {
                     pack_chain(i / chains, i % chains * p.together);
                   }
                 });
}

template <class T>
bool DirectConvolution<T>::compute(const Convolution& sizes, const T* source, const T* weight,
                                   std::uint64_t weight_contents, T* result) const {
  if (sizes.h.stride != 1 || sizes.w.stride != 1 || sizes.kernel() <= 1) return false;
  if (sizes.channels == 0 || sizes.filters == 0) return false;
  const Problem p(sizes, of_input_, loop_, workers_.num_threads());
  if (p.width > kMostWidth) return false;

  const PackedCache::Key key{weight_contents,
                             weight,
                             {-2 - std::int64_t{sizeof(T)}, sizes.h.kernel << 32 | sizes.w.kernel,
                              2 * p.groups + (of_input_ ? 1 : 0), p.width, p.depth}};
  const PreparedWeight prepared(
      kept_, scratch_, key, whole_lines(p.weight_elements() * std::int64_t{sizeof(T)}),
      [&](char* to) { pack_weight(p, weight, reinterpret_cast<T*>(to)); });
  const auto* const packed = reinterpret_cast<const T*>(prepared.data());
  const ScratchPool::Lease lease =
      scratch_.take(static_cast<std::size_t>(p.steps()) * sizeof(std::int64_t));
  const int threads = static_cast<int>(std::min<std::int64_t>(p.units(), workers_.num_threads()));
  const ScratchRooms rooms(scratch_, p.depth * p.plane() * std::int64_t{sizeof(T)}, threads);
  auto* const offsets = reinterpret_cast<std::int64_t*>(lease.data());
  for (std::int64_t step = 0; step < p.steps(); ++step) {
    const std::int64_t k = step % p.kernel, row = k / sizes.w.kernel, column = k % sizes.w.kernel;
    offsets[step] =
        step / p.kernel * p.plane() + row * sizes.h.dilation * p.pitch + column * sizes.w.dilation;
  }

  workers_.for_units(p.units(), threads, [&](int thread, std::int64_t unit) {
    T* const room = reinterpret_cast<T*>(rooms.of(thread));
    const std::int64_t filter = unit % p.parts() * p.part_width;
    const std::int64_t row = unit / p.parts() % p.bands() * p.band;
    const std::int64_t plane = unit / p.parts() / p.bands();  // group of an image
    for (std::int64_t channel = 0; channel < p.depth; ++channel) {
      p.copy_rows(source + (plane * p.depth + channel) * p.from_pixels(), row, p.band + p.reach_h,
                  p.pitch, room + channel * p.plane());
    }
    const T* const group = packed + plane % p.groups * p.width * p.depth * p.kernel;
    for (std::int64_t channel = 0; channel < p.depth; channel += p.together) {
      const std::int64_t steps = std::min(p.together, p.depth - channel) * p.kernel;
      loop_.sum({steps, offsets, room + channel * p.plane(), p.pitch,
                 group + p.width * channel * p.kernel + filter * steps,
                 result + (plane * p.width + filter) * p.to_pixels() + row * p.to_w, p.to_pixels(),
                 std::min(p.band, p.to_h - row), p.to_w, std::min(p.part_width, p.width - filter),
                 channel > 0});
    }
  });
  return true;
}

template class DirectConvolution<float>;
template class DirectConvolution<double>;

}  // namespace patchbay::cpu
