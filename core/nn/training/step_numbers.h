// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The numbers of an optimiser's steps as elements of devices, which recorded steps read and count:
// made with the first recording, outside of it.
#ifndef PATCHBAY_CORE_NN_TRAINING_STEP_NUMBERS_H_
#define PATCHBAY_CORE_NN_TRAINING_STEP_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "patchbay/nn/parameter.h"
#include "patchbay/updates.h"

namespace patchbay::nn {

class StepNumbers {
 public:
  struct Counts {
    std::int64_t num_steps = 0;
    std::vector<std::int64_t> parameter_steps;
  };

  StepNumbers(std::span<const Parameter> parameters, const Counts& counts, double learning_rate);

  /// Whether each parameter is on the device that has its count.
  bool fit(std::span<const Parameter> parameters) const;

  /// Counts a step of the parameters that have a gradient, and of the optimiser on each device.
  /// Nothing is counted where `applies`, if it is defined, is false. Queued.
  void count(std::span<const Parameter> parameters, const Tensor& applies);
  /// Takes the newest count back: its step was not made. Queued.
  void count_back(std::span<const Parameter> parameters) const { add(parameters, -1); }
  /// Those of the newest step, for update functions: views, which later steps change.
  UpdateNumbers of(std::size_t parameter) const;
  // Queued.
  void set_learning_rate(double rate);
  void set_counts(const Counts& counts);

  // Fetch one number, or those of all parameters, in counted copies. Block.
  std::int64_t num_steps() const;
  double learning_rate() const;
  Counts counts() const;

 private:
  /// What the parameters of one device share.
  struct Block {
    Device device;
    std::vector<std::size_t> members;
    Tensor counts;   // i64 [members + 1]; the last one counts the optimiser's steps
    Tensor rate;     // 0-d
    Tensor applies;  // of the newest step; may be undefined
  };

  void add(std::span<const Parameter> parameters, int by) const;

  std::vector<Block> blocks_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // block and element of each parameter
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_CORE_NN_TRAINING_STEP_NUMBERS_H_
