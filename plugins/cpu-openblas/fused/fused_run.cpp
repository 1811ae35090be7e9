// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/fused/fused_run.hpp"

#include <algorithm>

namespace patchbay::cpu {
namespace {

using expression::Source;
using expression::Value;

constexpr std::int64_t kLineBytes = 64;
// The size of all registers of a tile, so that they and the operands fit in the first-level cache.
constexpr std::int64_t kRegistersBytes = 16 << 10;
// The most of an operand; more would displace the others.
constexpr std::int64_t kMostBytes = 4 << 10;
// The same if the memory beyond the caches is read: in small tiles more of its streams are under
// way at once. Stores past the caches need longer runs than others.
constexpr std::int64_t kMostBytesInMemory = 1 << 10, kMostBytesPastCaches = 2 << 10;
constexpr std::int64_t kFewElements = 128;
constexpr std::int64_t kTurnedColumns = 64;

std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

std::int64_t whole_lines(std::int64_t bytes) { return pieces(bytes, kLineBytes) * kLineBytes; }

}  // namespace

struct FusedRun::State {
  alignas(kLineBytes) char memory[kMemoryBytes];
  char* at[expression::kMaxValues];
};

FusedRun::FusedRun(const FusedPlan& plan, const SimdTable& simd, bool in_caches,
                   plugin::Arguments tensors, plugin::Arguments scalars)
    : plan_(plan),
      simd_(simd),
      nest_(expression::nest_of(tensors)),
      num_elements_(nest_.num_elements()),
      num_outputs_(plan.program.outputs.size()),
      num_tensors_(plan.program.num_tensors()),
      num_registers_(plan.num_registers),
      most_bytes_(kMostBytes) {
  const expression::Program& program = plan.program;
  const int rank = nest_.rank;
  for (std::size_t t = 0; t < num_tensors_; ++t) {
    Tensor& tensor = tensors_[t];
    tensor.data = data_of(tensors[t]);
    tensor.dtype = tensors[t].dtype;
    tensor.element_bytes = cpu::element_bytes(tensor.dtype);
    tensor.step = nest_.inner_stride(static_cast<int>(t));
    tensor.row_step = rank > 1 ? nest_.strides[t][rank - 2] : 0;
    tensor.stream = false;
    tensor.register_ = FusedPlan::kNone;
  }
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const Value& value = program.values[i];
    if (value.source == Source::kConstant) cells_[i] = value.bits;
    if (value.source == Source::kScalar) cells_[i] = scalars[value.bits].value.bits;
    if (value.source == Source::kInput) {
      tensors_[num_outputs_ + value.bits].value = static_cast<std::uint16_t>(i);
    }
  }
  if (!in_caches) set_streams();
  choose_shape(nest_.inner_size(), rank > 1 ? nest_.shape[rank - 2] : 1);
  mark_uniform();
  for (std::size_t o = 0; o < num_outputs_; ++o) set_output(tensors_[o], o);
  register_bytes_ = whole_lines(rows_ * columns_ * plan.element_bytes);
}

void FusedRun::set_streams() {
  most_bytes_ = kMostBytesInMemory;
  for (std::size_t o = 0; o < num_outputs_; ++o) {
    Tensor& output = tensors_[o];
    output.stream = std::none_of(tensors_ + num_outputs_, tensors_ + num_tensors_,
                                 [&](const Tensor& input) { return input.data == output.data; });
    if (output.stream) most_bytes_ = kMostBytesPastCaches;
  }
}

/// The number of elements of a tile if every tensor needs a register.
std::int64_t FusedRun::tile_elements() const {
  const std::int64_t most =
      std::max<std::int64_t>(1, num_registers_ + static_cast<std::int64_t>(num_tensors_));
  const std::int64_t wanted =
      std::clamp(kRegistersBytes / (std::max(1, num_registers_ + 1) * plan_.element_bytes),
                 kFewElements, most_bytes_ / plan_.element_bytes);
  const std::int64_t fitting = (kMemoryBytes / most - kLineBytes) / plan_.element_bytes;
  return std::max<std::int64_t>(1, std::min(wanted, fitting) / kLineBytes * kLineBytes);
}

void FusedRun::choose_shape(std::int64_t length, std::int64_t height) {
  length_ = length;
  height_ = height;
  const std::int64_t elements = tile_elements();
  constexpr std::int64_t kLeastTurned = 8;
  for (std::size_t t = num_outputs_; t < num_tensors_; ++t) {
    const Tensor& input = tensors_[t];
    any_turned_ = any_turned_ || (input.row_step == 1 && input.step > 1 && height >= kLeastTurned &&
                                  length >= kLeastTurned);
  }
  columns_ = std::min(length, any_turned_ ? std::min(kTurnedColumns, elements) : elements);
  // A row of at least half a tile forms a tile by itself.
  const bool several = any_turned_ || length < elements / 2;
  rows_ = several ? std::clamp<std::int64_t>(elements / columns_, 1, height) : 1;
  blocks_ = pieces(length, columns_);
  strips_ = pieces(height, rows_);
  for (int d = 0; d + 2 < nest_.rank; ++d) planes_ *= nest_.shape[d];
  for (std::size_t t = num_outputs_; t < num_tensors_; ++t) set_input(tensors_[t]);
}

void FusedRun::set_input(Tensor& input) {
  const bool one_row = rows_ == 1;
  // An input that is copied to an output must be saved if another output overwrites it.
  const bool is_output = plan_.last_use[input.value] == static_cast<int>(plan_.steps.size());
  const bool is_overwritten =
      std::any_of(tensors_, tensors_ + num_outputs_,
                  [&](const Tensor& output) { return output.data == input.data; });
  if (input.step == 0 && (one_row || input.row_step == 0)) {
    input.mode = Mode::kUniform;
  } else if (one_row && (input.step == 1 || length_ == 1) && !(is_output && is_overwritten)) {
    input.mode = Mode::kInPlace;
  } else {
    const bool lies_across = input.row_step == 1 && input.step > 1;
    input.mode = any_turned_ && lies_across ? Mode::kTurn : Mode::kGather;
    input.register_ = num_registers_++;
  }
}

void FusedRun::mark_uniform() {
  const expression::Program& program = plan_.program;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const Value& value = program.values[i];
    bool uniform = value.source != Source::kInput;
    if (value.source == Source::kInput) {
      uniform = tensors_[num_outputs_ + value.bits].mode == Mode::kUniform;
    }
    for (int k = 0; k < value.num_operands; ++k) uniform = uniform && uniform_[value.operands[k]];
    uniform_[i] = uniform;
  }
}

/// Whether a step after `step` reads an input in place at `data`.
bool FusedRun::is_read_after(const char* data, int step) const {
  for (std::size_t t = num_outputs_; t < num_tensors_; ++t) {
    const Tensor& input = tensors_[t];
    if (input.mode != Mode::kInPlace || input.data != data) continue;
    if (plan_.last_use[input.value] > step) return true;
  }
  return false;
}

/// The output is written in place if its step may do so: nothing reads the value, or the previous
/// content, later.
void FusedRun::set_output(Tensor& output, std::size_t number) {
  const std::uint16_t value = plan_.program.outputs[number];
  output.value = value;
  output.mode = Mode::kGather;
  if (plan_.program.values[value].source != Source::kOperator) return;
  for (std::size_t o = 0; o < number; ++o) {
    if (tensors_[o].value == value) {  // another output has the same value
      if (tensors_[o].mode == Mode::kInPlace) {
        tensors_[o].mode = Mode::kGather;
        tensors_[o].register_ = num_registers_++;
      }
      output.register_ = tensors_[o].register_;
      return;
    }
  }
  const auto step = std::find_if(plan_.steps.begin(), plan_.steps.end(),
                                 [&](const auto& made) { return made.value == value; });
  const bool unit = rows_ == 1 && (output.step == 1 || length_ == 1);
  if (unit && !uniform_[value] && plan_.last_use[value] == FusedPlan::kNone &&
      !is_read_after(output.data, static_cast<int>(step - plan_.steps.begin()))) {
    output.mode = Mode::kInPlace;
  } else {
    output.register_ = num_registers_++;
  }
}

FusedRun::Tile FusedRun::tile_at(std::int64_t number) const noexcept {
  const std::int64_t block = number % blocks_, band = number / blocks_;
  const std::int64_t strip = band % strips_;
  std::int64_t plane = band / strips_;
  Tile tile;
  tile.rows = std::min(rows_, height_ - strip * rows_);
  tile.columns = std::min(columns_, length_ - block * columns_);
  tile.size = tile.rows * tile.columns;
  std::int64_t offsets[expression::kMaxTensors];
  for (std::size_t t = 0; t < num_tensors_; ++t) {
    offsets[t] = strip * rows_ * tensors_[t].row_step + block * columns_ * tensors_[t].step;
  }
  for (int d = nest_.rank - 3; d >= 0; --d) {
    const std::int64_t index = plane % nest_.shape[d];
    plane /= nest_.shape[d];
    for (std::size_t t = 0; t < num_tensors_; ++t) offsets[t] += index * nest_.strides[t][d];
  }
  for (std::size_t t = 0; t < num_tensors_; ++t) {
    tile.data[t] = tensors_[t].data + offsets[t] * tensors_[t].element_bytes;
  }
  return tile;
}

void FusedRun::gather(const Tile& tile, State& state) const noexcept {
  for (std::size_t t = 0; t < num_tensors_; ++t) {
    const Tensor& tensor = tensors_[t];
    if (tensor.mode == Mode::kInPlace || (t >= num_outputs_ && tensor.mode == Mode::kUniform)) {
      state.at[tensor.value] = tile.data[t];
      continue;
    }
    if (t < num_outputs_) continue;
    char* const to = state.at[tensor.value];
    if (tensor.mode == Mode::kTurn) {
      simd_.transpose[tensor.dtype](tile.rows, tile.columns, to, tile.columns, tile.data[t],
                                    tensor.step);
      continue;
    }
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      simd_.copy[tensor.dtype](tile.columns, to + row * tile.columns * tensor.element_bytes,
                               tile.data[t] + row * tensor.row_step * tensor.element_bytes, nullptr,
                               {1, tensor.step, 0, false});
    }
  }
}

void FusedRun::run_steps(const Tile& tile, State& state) const noexcept {
  for (const FusedPlan::Step& step : plan_.steps) {
    const std::int64_t n = uniform_[step.value] ? 1 : tile.size;
    const auto at = [&](int k) { return state.at[step.operands[k < step.num_operands ? k : 0]]; };
    // One element is a row with unit steps, which uses the fast loop.
    const auto step_of = [&](int k) {
      const std::uint16_t operand = step.operands[k < step.num_operands ? k : 0];
      return std::int64_t{uniform_[operand] && n > 1 ? 0 : 1};
    };
    Steps steps{1, step_of(0), step_of(1), false, step_of(2)};
    for (std::size_t o = 0; o < num_outputs_; ++o) {
      const Tensor& output = tensors_[o];
      if (output.value == step.value && output.mode == Mode::kInPlace) steps.stream = output.stream;
    }
    if (step.row != nullptr) {
      step.row(n, state.at[step.value], at(0), at(1), steps);
    } else if (step.copy != nullptr && uniform_[step.operands[0]]) {
      const int chosen = *at(0) != 0 ? 1 : 2;
      steps.a = step_of(chosen);
      step.copy(n, state.at[step.value], at(chosen), nullptr, steps);
    } else {
      step.row3(n, state.at[step.value], at(0), at(1), at(2), steps);
    }
  }
}

/// Stores outputs that were not written in place.
void FusedRun::store(const Tile& tile, const State& state) const noexcept {
  for (std::size_t o = 0; o < num_outputs_; ++o) {
    const Tensor& output = tensors_[o];
    if (output.mode == Mode::kInPlace) continue;
    const bool uniform = uniform_[output.value];
    const Steps steps{tile.columns == 1 ? 1 : output.step, uniform ? 0 : 1, 0, false};
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      const char* from = state.at[output.value];
      if (!uniform) from += row * tile.columns * output.element_bytes;
      Steps now = steps;
      now.stream = output.stream && now.out == 1 &&
                   tile.columns * output.element_bytes >= kMostBytesPastCaches;
      simd_.copy[output.dtype](tile.columns,
                               tile.data[o] + row * output.row_step * output.element_bytes, from,
                               nullptr, now);
    }
  }
}

void FusedRun::compute(std::int64_t first_tile, std::int64_t last_tile) const noexcept {
  State state;
  const expression::Program& program = plan_.program;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    state.at[i] = plan_.registers[i] != FusedPlan::kNone
                      ? state.memory + plan_.registers[i] * register_bytes_
                      : const_cast<char*>(reinterpret_cast<const char*>(&cells_[i]));
  }
  for (std::size_t t = 0; t < num_tensors_; ++t) {
    const Tensor& tensor = tensors_[t];
    if (tensor.register_ == FusedPlan::kNone) continue;
    state.at[tensor.value] = state.memory + tensor.register_ * register_bytes_;
  }
  for (std::int64_t number = first_tile; number < last_tile; ++number) {
    const Tile tile = tile_at(number);
    gather(tile, state);
    run_steps(tile, state);
    store(tile, state);
  }
}

}  // namespace patchbay::cpu
