// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/windows/winograd_convolution.hpp"

#include <algorithm>
#include <atomic>

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kMostTiles = 48;  // of a unit, whose products need no packing ...
constexpr std::int64_t kDepth = 384;     // ... up to so many channels
// Fewer do not pay: docs/performance.md. For few tiles the transformation of the weight is most of
// the work, if it does not stay.
constexpr std::int64_t kLeastChannels = 24, kLeastTiles = 64;
constexpr std::int64_t kFloatBytes = 4, kIndexBytes = 8;

constexpr std::int64_t pieces(std::int64_t n, std::int64_t piece) {
  return (n + piece - 1) / piece;
}
constexpr std::int64_t whole_lanes(std::int64_t tiles) {
  return pieces(tiles, kWinogradLanes) * kWinogradLanes;
}

}  // namespace

/// A call. "Source" and "result" are images or windows, depending on what is computed.
struct WinogradConvolution::Job {
  struct Planes {
    std::int64_t channels;  // of a group
    std::int64_t height, width;
    std::int64_t image;  // elements

    std::int64_t elements() const { return height * width; }
  };

  Job(const Convolution& sizes, bool of_input, int num_threads)
      : groups(sizes.groups),
        source{sizes.group_channels(), sizes.h.extent, sizes.w.extent,
               sizes.channels * sizes.pixels()},
        result{sizes.group_filters(), sizes.h.windows, sizes.w.windows,
               sizes.filters * sizes.places()},
        above(sizes.h.padding),
        before(sizes.w.padding) {
    if (of_input) {
      std::swap(source, result);
      above = 2 - above;
      before = 2 - before;
    }
    down = pieces(result.height, kWinogradTile);
    across = pieces(result.width, kWinogradTile);
    num_tiles = sizes.images * down * across;
    unit_tiles = std::clamp(whole_lanes(pieces(num_tiles, 2 * num_threads)),
                            std::int64_t{kWinogradLanes}, kMostTiles);
    blocks = pieces(num_tiles, unit_tiles);
    const std::int64_t wanted = pieces(num_threads, groups * blocks);
    unit_channels = pieces(result.channels, wanted);
    channel_pieces = pieces(result.channels, unit_channels);
  }

  std::int64_t num_units() const { return groups * blocks * channel_pieces; }
  std::int64_t matrix() const { return result.channels * source.channels; }
  std::int64_t weight_floats() const { return groups * kWinogradElements * matrix(); }
  std::int64_t source_floats() const { return kWinogradElements * source.channels * unit_tiles; }
  std::int64_t result_floats() const { return kWinogradElements * unit_channels * unit_tiles; }
  std::int64_t places_bytes() const { return whole_lines(6 * unit_tiles * kIndexBytes); }
  std::int64_t room_bytes() const {
    return places_bytes() + (source_floats() + result_floats()) * kFloatBytes;
  }

  std::int64_t groups;
  Planes source, result;
  std::int64_t above, before;  // elements of padding
  std::int64_t down = 0, across = 0, num_tiles = 0;
  std::int64_t unit_tiles = 0, unit_channels = 0;  // of the result
  std::int64_t blocks = 0, channel_pieces = 0;
  const float* taken_source = nullptr;
  const float* transformed = nullptr;  // the weight
  float* given = nullptr;
};

/// to[group][e][channel of the result][channel of the source]
void WinogradConvolution::transform_weight(const Job& job, const float* weight,
                                           float* to) const noexcept {
  constexpr std::int64_t kKernel = 9;
  const std::int64_t sources = job.source.channels, results = job.result.channels;
  const std::int64_t line = of_input_ ? kKernel : sources * kKernel;
  const std::int64_t next = of_input_ ? results * kKernel : kKernel;
  workers_.split(
      job.groups * results, 1, job.weight_floats() * kFloatBytes,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t group = i / results, channel = i % results;
          const float* const from = weight + group * job.matrix() * kKernel + channel * line;
          float* const matrices = to + group * kWinogradElements * job.matrix();
          loops_.weight(from, sources, next, of_input_, matrices + channel * sources, job.matrix());
        }
      });
}

/// The results of some tiles for some channels.
void WinogradConvolution::compute_unit(const Job& job, std::int64_t unit,
                                       char* room) const noexcept {
  const std::int64_t piece = unit % job.channel_pieces,
                     block = unit / job.channel_pieces % job.blocks,
                     group = unit / job.channel_pieces / job.blocks;
  const std::int64_t first_channel = piece * job.unit_channels,
                     channels = std::min(job.unit_channels, job.result.channels - first_channel);
  const std::int64_t first_tile = block * job.unit_tiles,
                     count = std::min(job.unit_tiles, job.num_tiles - first_tile);
  const std::int64_t step = job.unit_tiles, sources = job.source.channels;
  auto* const places = reinterpret_cast<std::int64_t*>(room);
  std::int64_t *const source_planes = places, *const source_y = places + step,
                      *const source_x = places + 2 * step, *const result_planes = places + 3 * step,
                      *const result_y = places + 4 * step, *const result_x = places + 5 * step;
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int64_t tile = first_tile + t, in_image = tile % (job.down * job.across),
                       image = tile / (job.down * job.across);
    result_y[t] = in_image / job.across * kWinogradTile;
    result_x[t] = in_image % job.across * kWinogradTile;
    result_planes[t] = image * job.result.image +
                       (group * job.result.channels + first_channel) * job.result.elements();
    source_y[t] = result_y[t] - job.above;
    source_x[t] = result_x[t] - job.before;
    source_planes[t] = image * job.source.image + group * sources * job.source.elements();
  }

  auto* const taken = reinterpret_cast<float*>(room + job.places_bytes());
  float* const products = taken + job.source_floats();
  const WinogradTiles from{count,         job.source.height, job.source.width,
                           source_planes, source_y,          source_x};
  for (std::int64_t c = 0; c < sources; ++c) {
    loops_.input(from, job.taken_source + c * job.source.elements(), taken + c * step,
                 sources * step);
  }
  const float* const weight =
      job.transformed + group * kWinogradElements * job.matrix() + first_channel * sources;
  for (std::int64_t e = 0; e < kWinogradElements; ++e) {
    for (std::int64_t k = 0; k < sources; k += kDepth) {
      const float alpha = 1, beta = k == 0 ? 0.0F : 1.0F;
      product_.multiply({whole_lanes(count),
                         channels,
                         std::min(kDepth, sources - k),
                         taken + (e * sources + k) * step,
                         weight + e * job.matrix() + k,
                         products + e * channels * step,
                         {1, step},
                         {1, sources},
                         {1, step},
                         &alpha,
                         &beta,
                         nullptr,
                         false});
    }
  }
  const WinogradTiles to{count,         job.result.height, job.result.width,
                         result_planes, result_y,          result_x};
  for (std::int64_t c = 0; c < channels; ++c) {
    loops_.output(to, products + c * step, channels * step, job.given + c * job.result.elements());
  }
}

bool WinogradConvolution::compute(const Convolution& sizes, const float* source,
                                  const float* weight, std::uint64_t weight_contents,
                                  float* result) const {
  for (const WindowAxis* axis : {&sizes.h, &sizes.w}) {
    if (axis->kernel != 3 || axis->stride != 1 || axis->dilation != 1) return false;
  }
  if (std::min(sizes.group_channels(), sizes.group_filters()) < kLeastChannels) return false;
  Job job(sizes, of_input_, workers_.num_threads());
  if (job.num_tiles < kLeastTiles) return false;
  job.taken_source = source;
  job.given = result;

  const PackedCache::Key key{
      weight_contents,
      weight,
      {-2, of_input_ ? 1 : 0, sizes.groups, sizes.group_filters(), sizes.group_channels()}};
  const std::int64_t weight_bytes = job.weight_floats() * kFloatBytes;
  PackedCache::Block kept;
  if (weight_contents != 0) {
    kept = kept_.find(key, weight_bytes, kept_.next_launch(), [&](char* to) {
      transform_weight(job, weight, reinterpret_cast<float*>(to));
      return true;
    });
  }
  const ScratchPool::Lease lease =
      scratch_.take(static_cast<std::size_t>(kept != nullptr ? 0 : weight_bytes));
  const int parts =
      static_cast<int>(std::min<std::int64_t>(job.num_units(), workers_.num_threads()));
  const ScratchRooms rooms(scratch_, job.room_bytes(), parts);
  if (kept == nullptr) transform_weight(job, weight, reinterpret_cast<float*>(lease.data()));
  job.transformed = reinterpret_cast<const float*>(kept != nullptr ? kept.get() : lease.data());
  std::atomic<std::int64_t> next{0};
  workers_.parallel_for(parts, [&](int part) {
    for (;;) {
      const std::int64_t unit = next.fetch_add(1, std::memory_order_relaxed);
      if (unit >= job.num_units()) return;
      compute_unit(job, unit, rooms.of(part));
    }
  });
  return true;
}

}  // namespace patchbay::cpu
