// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A unit of work is a block of tiles. All their channels are transformed, multiplied by the
// transformed weight and brought back while they are in the cache. Channels lie side by side,
// kWinogradLanes at a time, so that the transforms fill vectors whatever the extents of an image
// are.
#include "cpu-openblas/convolution/winograd_convolution.hpp"

#include <algorithm>

#include "cpu-openblas/convolution/source.hpp"

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kLanes = kWinogradLanes;
constexpr std::int64_t kTile = 4;               // results along an axis of a tile
constexpr std::int64_t kEdge = 2;               // more pixels that they need
constexpr std::int64_t kKernel = 9;             // elements
constexpr std::int64_t kMostTiles = 64;         // of a unit, unless a row has more
constexpr std::int64_t kMostRowTiles = 32;      // of a row that is not divided
constexpr std::int64_t kStrip = 48;             // results whose products need no packing ...
constexpr std::int64_t kDepth = 256;            // ... up to so many channels
constexpr std::int64_t kApart = 16;             // floats between matrices, against cache conflicts
constexpr std::int64_t kLeastChannels = 16;     // of a group, on each side
constexpr std::int64_t kLeastTiles = 32;        // that pay for the transform of a new weight
constexpr std::int64_t kMostKernels = 1 << 20;  // 144 bytes for each

constexpr std::int64_t whole_lanes(std::int64_t n) { return pieces(n, kLanes) * kLanes; }
constexpr std::int64_t bytes_of(std::int64_t floats) {
  return whole_lines(floats * std::int64_t{sizeof(float)});
}

}  // namespace

struct WinogradConvolution::Problem : SourceSizes {
  Problem(const Convolution& sizes, bool of_input, int num_threads) : SourceSizes(sizes, of_input) {
    tile_rows = pieces(to_h, kTile);
    row_tiles = pieces(to_w, kTile);
    columns = pieces(row_tiles, pieces(row_tiles, kMostRowTiles));
    rows = images * tile_rows * pieces(row_tiles, columns);
    const std::int64_t wanted_tiles =
        std::clamp(pieces(num_tiles(), 2 * num_threads), kLanes, kMostTiles);
    block = std::clamp(wanted_tiles / columns, std::int64_t{1}, rows);
    const std::int64_t wanted_parts = pieces(num_threads, groups * blocks());
    part_width = std::min(whole_lanes(pieces(width, wanted_parts)), padded_width());
  }

  bool is_worthwhile() const {
    return std::min(depth, width) >= kLeastChannels && num_tiles() >= kLeastTiles &&
           groups * depth * width <= kMostKernels &&
           // at most half of the tiles' results lie outside of the image
           2 * to_pixels() >= tile_rows * row_tiles * kTile * kTile;
  }

  std::int64_t num_tiles() const { return images * tile_rows * row_tiles; }
  std::int64_t padded_depth() const { return whole_lanes(depth); }
  std::int64_t padded_width() const { return whole_lanes(width); }
  std::int64_t blocks() const { return pieces(rows, block); }
  std::int64_t parts() const { return pieces(padded_width(), part_width); }
  std::int64_t units() const { return groups * blocks() * parts(); }
  std::int64_t block_tiles() const { return block * columns; }
  /// Pixels of a row of tiles.
  std::int64_t pitch() const { return columns * kTile + kEdge; }

  // Floats from one matrix to the next, and of all.
  std::int64_t weight_next() const { return depth * padded_width() + kApart; }
  std::int64_t input_next() const { return block_tiles() * padded_depth() + kApart; }
  std::int64_t output_next() const { return block_tiles() * part_width + kApart; }
  std::int64_t group_weight_floats() const { return kWinogradElements * weight_next(); }
  std::int64_t weight_floats() const { return groups * group_weight_floats(); }
  std::int64_t input_floats() const { return kWinogradElements * input_next(); }
  std::int64_t output_floats() const { return kWinogradElements * output_next(); }
  std::int64_t pixels_floats() const { return (block * kTile + kEdge) * pitch() * kLanes; }

  std::int64_t tile_rows, row_tiles;  // of an image
  std::int64_t columns;               // tiles of a row, or of a piece of a long one
  std::int64_t rows, block;           // rows of tiles of all images, and of a unit
  std::int64_t part_width;            // channels of the result of a unit
};

/// A block of rows of tiles and a part of the channels of one group, and memory for it.
struct WinogradConvolution::Unit {
  /// Some of the rows that are neighbours in one image. The first tile has the number `tile`.
  struct Run {
    std::int64_t image, row, rows, column, columns, tile;
  };

  Unit(const Problem& problem, std::int64_t number, char* room)
      : part(number % problem.parts() * problem.part_width),
        part_end(std::min(part + problem.part_width, problem.padded_width())),
        begin(number / problem.parts() % problem.blocks() * problem.block),
        end(std::min(begin + problem.block, problem.rows)),
        group(number / problem.parts() / problem.blocks()),
        input(reinterpret_cast<float*>(room)),
        output(reinterpret_cast<float*>(room + bytes_of(problem.input_floats()))),
        pixels(reinterpret_cast<float*>(room + bytes_of(problem.input_floats()) +
                                        bytes_of(problem.output_floats()))) {}

  static std::int64_t room_bytes(const Problem& problem) {
    return bytes_of(problem.input_floats()) + bytes_of(problem.output_floats()) +
           bytes_of(problem.pixels_floats());
  }

  /// Calls body(run) for the runs of the block. Returns the number of tiles.
  template <class Body>
  std::int64_t for_runs(const Problem& problem, const Body& body) const noexcept {
    std::int64_t tile = 0;
    for (std::int64_t row = begin; row < end;) {
      const std::int64_t first = row % problem.tile_rows, above = row / problem.tile_rows;
      const std::int64_t column = above / problem.images * problem.columns;
      const Run run{above % problem.images,
                    first,
                    std::min(end - row, problem.tile_rows - first),
                    column,
                    std::min(problem.columns, problem.row_tiles - column),
                    tile};
      body(run);
      row += run.rows;
      tile += run.rows * run.columns;
    }
    return tile;
  }

  std::int64_t part, part_end;  // channels of the result
  std::int64_t begin, end;      // rows of tiles
  std::int64_t group;
  const float* source = nullptr;
  const float* weight = nullptr;  // transformed
  float* result = nullptr;
  float *input, *output, *pixels;  // matrices, and some channels of an image side by side
};

/// The matrices of a group consist of strips of up to kStrip results for all channels of the
/// source.
void WinogradConvolution::transform_weight(const Problem& problem, const float* weight,
                                           float* to) const noexcept {
  const std::int64_t blocks = problem.padded_width() / kLanes;
  workers_.split(
      problem.groups * blocks, 1, problem.weight_floats() * std::int64_t{sizeof(float)},
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t group = i / blocks, lane = i % blocks * kLanes;
          const std::int64_t strip = lane / kStrip * kStrip;
          const std::int64_t step = std::min(kStrip, problem.padded_width() - strip);
          const float* const from =
              weight + group * problem.width * problem.depth * kKernel + lane * problem.width_step;
          float* const out =
              to + group * problem.group_weight_floats() + strip * problem.depth + (lane - strip);
          for (std::int64_t k = 0; k < problem.depth; ++k) {
            loops_.weight(std::min(kLanes, problem.width - lane), from + k * problem.depth_step,
                          problem.width_step, of_input_, out + k * step, problem.weight_next());
          }
        }
      });
}

std::int64_t WinogradConvolution::transform_input(const Problem& problem,
                                                  const Unit& unit) const noexcept {
  const std::int64_t pitch = problem.pitch(), step = problem.padded_depth();
  return unit.for_runs(problem, [&](const Unit::Run& run) {
    const std::int64_t y = run.row * kTile - problem.top, x = run.column * kTile - problem.left;
    const std::int64_t height = run.rows * kTile + kEdge, width = run.columns * kTile + kEdge;
    const std::int64_t first = std::clamp<std::int64_t>(-x, 0, width);
    const std::int64_t last = std::clamp(problem.from_w - x, first, width);
    for (std::int64_t lane = 0; lane < problem.depth; lane += kLanes) {
      const float* const planes =
          unit.source + ((run.image * problem.groups + unit.group) * problem.depth + lane) *
                            problem.from_pixels();
      for (std::int64_t i = 0; i < height; ++i) {
        float* const row = unit.pixels + i * pitch * kLanes;
        if (y + i < 0 || y + i >= problem.from_h || first == last) {
          std::fill_n(row, width * kLanes, 0.0F);
          continue;
        }
        std::fill_n(row, first * kLanes, 0.0F);
        loops_.take(last - first, problem.depth - lane,
                    planes + (y + i) * problem.from_w + x + first, problem.from_pixels(),
                    row + first * kLanes);
        std::fill_n(row + last * kLanes, (width - last) * kLanes, 0.0F);
      }
      for (std::int64_t i = 0; i < run.rows; ++i) {
        loops_.input(run.columns, unit.pixels + i * kTile * pitch * kLanes, pitch,
                     unit.input + (run.tile + i * run.columns) * step + lane, step,
                     problem.input_next());
      }
    }
  });
}

void WinogradConvolution::multiply(const Problem& problem, const Unit& unit,
                                   std::int64_t tiles) const noexcept {
  const float one = 1, zero = 0;
  for (std::int64_t e = 0; e < kWinogradElements; ++e) {
    const float* const input = unit.input + e * problem.input_next();
    const float* const weight = unit.weight + e * problem.weight_next();
    float* const output = unit.output + e * problem.output_next();
    for (std::int64_t lane = unit.part; lane < unit.part_end;) {
      const std::int64_t strip = lane / kStrip * kStrip;
      const std::int64_t step = std::min(kStrip, problem.padded_width() - strip);
      const std::int64_t width = std::min(strip + step, unit.part_end) - lane;
      const float* const columns = weight + strip * problem.depth + (lane - strip);
      for (std::int64_t k = 0; k < problem.depth; k += kDepth) {
        product_.multiply({width,
                           tiles,
                           std::min(kDepth, problem.depth - k),
                           columns + k * step,
                           input + k,
                           output + (lane - unit.part),
                           {1, step},
                           {1, problem.padded_depth()},
                           {1, problem.part_width},
                           &one,
                           k == 0 ? &zero : &one,
                           nullptr,
                           false});
      }
      lane += width;
    }
  }
}

void WinogradConvolution::transform_output(const Problem& problem,
                                           const Unit& unit) const noexcept {
  const std::int64_t pitch = problem.pitch(), step = problem.part_width;
  unit.for_runs(problem, [&](const Unit::Run& run) {
    const std::int64_t x = run.column * kTile;
    const std::int64_t count = std::min(run.columns * kTile, problem.to_w - x);
    for (std::int64_t lane = unit.part; lane < std::min(unit.part_end, problem.width);
         lane += kLanes) {
      float* const planes =
          unit.result +
          ((run.image * problem.groups + unit.group) * problem.width + lane) * problem.to_pixels();
      for (std::int64_t i = 0; i < run.rows; ++i) {
        loops_.output(run.columns,
                      unit.output + (run.tile + i * run.columns) * step + (lane - unit.part), step,
                      problem.output_next(), unit.pixels, pitch);
        const std::int64_t y = (run.row + i) * kTile;
        for (std::int64_t k = 0; k < std::min(kTile, problem.to_h - y); ++k) {
          loops_.give_back(count, std::min(kLanes, problem.width - lane),
                           unit.pixels + k * pitch * kLanes, planes + (y + k) * problem.to_w + x,
                           problem.to_pixels());
        }
      }
    }
  });
}

bool WinogradConvolution::compute(const Convolution& sizes, const float* source,
                                  const float* weight, std::uint64_t weight_contents,
                                  float* result) const {
  for (const WindowAxis* axis : {&sizes.h, &sizes.w}) {
    if (axis->kernel != 3 || axis->stride != 1 || axis->dilation != 1) return false;
  }
  const Problem problem(sizes, of_input_, workers_.num_threads());
  if (!problem.is_worthwhile()) return false;

  const PackedCache::Key key{
      weight_contents,
      weight,
      {-2, of_input_ ? 1 : 0, sizes.groups, sizes.group_filters(), sizes.group_channels()}};
  const PreparedWeight prepared(
      kept_, scratch_, key, bytes_of(problem.weight_floats()),
      [&](char* to) { transform_weight(problem, weight, reinterpret_cast<float*>(to)); });
  const auto* const transformed = reinterpret_cast<const float*>(prepared.data());
  const int threads =
      static_cast<int>(std::min<std::int64_t>(problem.units(), workers_.num_threads()));
  const ScratchRooms rooms(scratch_, Unit::room_bytes(problem), threads);
  workers_.for_units(problem.units(), threads, [&](int thread, std::int64_t number) {
    Unit unit(problem, number, rooms.of(thread));
    unit.source = source;
    unit.weight = transformed + unit.group * problem.group_weight_floats();
    unit.result = result;
    const std::int64_t tiles = transform_input(problem, unit);
    multiply(problem, unit, tiles);
    transform_output(problem, unit);
  });
  return true;
}

}  // namespace patchbay::cpu
