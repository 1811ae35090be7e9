// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Divides the rows of a batch among devices.
#ifndef PATCHBAY_CORE_NN_PARALLEL_SHARES_H_
#define PATCHBAY_CORE_NN_PARALLEL_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::nn::parallel {

/// The rows of each device with work, which are the first ones: at least one each, and all of an
/// empty batch for the first. In proportion to `speeds`, which has a positive number for each
/// device.
std::vector<std::int64_t> divide(std::int64_t num_rows, const std::vector<double>& speeds);

/// The rows a second of each device, from its last batches.
class Speeds {
 public:
  explicit Speeds(std::size_t num_devices) : rows_a_second_(num_devices, 0) {}

  void note(std::size_t device, std::int64_t num_rows, double seconds);
  /// Equal ones until each device was measured.
  std::vector<double> known() const;

 private:
  std::vector<double> rows_a_second_;  // 0: not measured
};

}  // namespace patchbay::nn::parallel

#endif  // PATCHBAY_CORE_NN_PARALLEL_SHARES_H_
