// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A fused expression over one group of tensors: divides them into tiles and computes each tile.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_RUN_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_RUN_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/fused/fused_plan.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "kit/expression/nest.hpp"

namespace patchbay::cpu {

/// Tiles are rectangles of the last two dimensions: a part of one row if rows are long, several
/// rows if they are short or an input is transposed.
class FusedRun {
 public:
  /// `in_caches`: whether the caches hold all tensors of the launch.
  FusedRun(const FusedPlan& plan, const SimdTable& simd, bool in_caches, plugin::Arguments tensors,
           plugin::Arguments scalars);

  std::int64_t num_tiles() const noexcept { return planes_ * strips_ * blocks_; }
  std::int64_t work_bytes() const noexcept { return num_elements_ * plan_.work_bytes; }
  void compute(std::int64_t first_tile, std::int64_t last_tile) const noexcept;

 private:
  enum class Mode : std::uint8_t {
    kInPlace,  // read or written in memory
    kUniform,  // one element for the whole tile
    kGather,   // copied to a register row by row
    kTurn      // the same for a transposed input
  };
  struct Tensor {
    char* data;
    std::int64_t element_bytes, step, row_step;  // in elements
    std::uint8_t dtype;
    std::uint16_t value;
    Mode mode;
    bool stream;    // an output that is no input, to be stored with non-temporal stores
    int register_;  // its number, or kNone
  };
  struct Tile {
    std::int64_t rows, columns, size;
    char* data[expression::kMaxTensors];
  };
  /// The addresses of the values of a tile.
  struct State;

  /// For tensors that the caches do not hold.
  void set_streams();
  void choose_shape(std::int64_t length, std::int64_t height);
  void set_input(Tensor& input);
  void set_output(Tensor& output, std::size_t number);
  void mark_uniform();
  bool is_read_after(const char* data, int step) const;
  std::int64_t tile_elements() const;
  Tile tile_at(std::int64_t number) const noexcept;
  void gather(const Tile& tile, State& state) const noexcept;
  void run_steps(const Tile& tile, State& state) const noexcept;
  void store(const Tile& tile, const State& state) const noexcept;

  static constexpr std::int64_t kMemoryBytes = 64 << 10;

  const FusedPlan& plan_;
  const SimdTable& simd_;
  const expression::Nest nest_;
  const std::int64_t num_elements_;
  std::size_t num_outputs_, num_tensors_;
  Tensor tensors_[expression::kMaxTensors];
  std::uint64_t cells_[expression::kMaxValues];  // scalars and constants, by value
  bool uniform_[expression::kMaxValues];
  std::int64_t rows_ = 1, columns_ = 1;  // of a tile
  std::int64_t height_ = 1, length_ = 1;
  std::int64_t planes_ = 1, strips_ = 1, blocks_ = 1;
  int num_registers_;
  std::int64_t most_bytes_;  // of an operand in a tile
  std::int64_t register_bytes_ = 64;
  bool any_turned_ = false;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_FUSED_FUSED_RUN_HPP_
