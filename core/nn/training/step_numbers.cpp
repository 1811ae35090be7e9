// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/training/step_numbers.h"

#include <algorithm>

#include "patchbay/fuse.h"
#include "patchbay/graph.h"
#include "patchbay/ops.h"

#include "core/base/error.h"

namespace patchbay::nn {
namespace {

void check_not_recording(std::string_view question) {
  if (!is_recording_graph()) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] a graph is being recorded, whose replays count the steps on the device: "
              "expected the question outside of the recording. Ask before it or after a replay.",
              question);
}

/// The elements from `first` to the one before `end`.
Tensor part_of(const Tensor& counts, std::size_t first, std::size_t end) {
  return counts.slice(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end));
}

/// Adds a number where `applies` is true or undefined.
void advance(const Tensor& counts, const Tensor& applies, int by) {
  static const auto& asked =
      *new auto(fuse([](const Expression& count, const Expression& applied,
                        const Expression& step) { return where(applied, count + step, count); },
                     "step"));
  if (applies.defined()) {
    asked.out(counts, counts, applies, by);
  } else {
    add_out(counts, counts, by);
  }
}

}  // namespace

StepNumbers::StepNumbers(std::span<const Parameter> parameters, const Counts& counts,
                         double learning_rate) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Device device = parameters[i].device();
    auto block = std::ranges::find(blocks_, device, &Block::device);
    if (block == blocks_.end()) block = blocks_.insert(block, Block{device, {}, {}, {}, {}});
    places_.emplace_back(block - blocks_.begin(), block->members.size());
    block->members.push_back(i);
  }
  for (Block& block : blocks_) {
    const auto size = static_cast<std::int64_t>(block.members.size()) + 1;
    block.counts = zeros({size}, {DType::i64, block.device});
    const DType dtype = block.device.properties().f64 ? DType::f64 : DType::f32;
    block.rate = full({}, learning_rate, {dtype, block.device});
  }
  set_counts(counts);
}

/// By fills, which are no copies from the host.
void StepNumbers::set_counts(const Counts& counts) {
  for (const Block& block : blocks_) {
    block.counts.select(0, -1).fill_(counts.num_steps);
    const std::size_t size = block.members.size();
    for (std::size_t first = 0; first < size;) {
      const std::int64_t steps = counts.parameter_steps[block.members[first]];
      std::size_t end = first + 1;
      while (end < size && counts.parameter_steps[block.members[end]] == steps) ++end;
      part_of(block.counts, first, end).fill_(steps);
      first = end;
    }
  }
}

bool StepNumbers::fit(std::span<const Parameter> parameters) const {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (blocks_[places_[i].first].device != parameters[i].device()) return false;
  }
  return true;
}

void StepNumbers::count(std::span<const Parameter> parameters, const Tensor& applies) {
  for (Block& block : blocks_) {
    block.applies =
        applies.defined() && applies.device() != block.device ? applies.to(block.device) : applies;
  }
  add(parameters, 1);
}

void StepNumbers::add(std::span<const Parameter> parameters, int by) const {
  for (const Block& block : blocks_) {
    const std::size_t size = block.members.size();
    const auto counts = [&](std::size_t member) {
      if (member == size) return true;
      const Parameter& parameter = parameters[block.members[member]];
      return parameter.defined() && parameter->grad().defined();
    };
    for (std::size_t first = 0; first <= size; ++first) {
      if (!counts(first)) continue;
      std::size_t end = first + 1;
      while (end <= size && counts(end)) ++end;
      advance(part_of(block.counts, first, end), block.applies, by);
      first = end;
    }
  }
}

UpdateNumbers StepNumbers::of(std::size_t parameter) const {
  const auto [number, place] = places_[parameter];
  const Block& block = blocks_[number];
  return {block.counts.select(0, static_cast<std::int64_t>(place)), block.rate, block.applies};
}

void StepNumbers::set_learning_rate(double rate) {
  for (const Block& block : blocks_) block.rate.fill_(rate);
}

std::int64_t StepNumbers::num_steps() const {
  check_not_recording("num_steps");
  const Block& block = blocks_.front();
  return block.counts.select(0, -1).item<std::int64_t>();
}

double StepNumbers::learning_rate() const {
  check_not_recording("learning_rate");
  const Tensor& rate = blocks_.front().rate;
  return rate.dtype() == DType::f64 ? rate.item<double>() : rate.item<float>();
}

StepNumbers::Counts StepNumbers::counts() const {
  check_not_recording("state");
  Counts counts{0, std::vector<std::int64_t>(places_.size())};
  for (const Block& block : blocks_) {
    const auto values = block.counts.to_vector<std::int64_t>();
    for (std::size_t i = 0; i < block.members.size(); ++i) {
      counts.parameter_steps[block.members[i]] = values[i];
    }
    if (&block == &blocks_.front()) counts.num_steps = values.back();
  }
  return counts;
}

}  // namespace patchbay::nn
