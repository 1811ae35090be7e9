// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Divides the rows of a batch among devices.
#ifndef PATCHBAY_CORE_NN_PARALLEL_SHARES_H_
#define PATCHBAY_CORE_NN_PARALLEL_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay::nn::parallel {

/// The rows of each device with work, which are the first ones: at least one each, and all of an
/// empty batch for the first. In proportion to `rows`, which has a positive number for each
/// device.
std::vector<std::int64_t> divide(std::int64_t num_rows, const std::vector<double>& rows);

/// How long each device needs: seconds = fixed + rows x seconds a row, a line through its last
/// batches. Rows a second alone would call a device slow because it had few rows, and give it ever
/// fewer. Devices may be noted by several threads, each by one.
class Speeds {
 public:
  explicit Speeds(std::size_t num_devices) : devices_(num_devices) {}

  /// A device's first batch does not count: kernels are compiled in it.
  void note(std::size_t device, std::int64_t num_rows, double seconds);
  /// The rows with which all devices should end at the same time; equal ones until each was
  /// measured.
  std::vector<double> wanted(std::int64_t num_rows) const;

 private:
  /// Weighted sums over the batches of a device.
  struct Sums {
    bool is_warm = false;
    double count = 0, rows = 0, seconds = 0, rows_squared = 0, rows_seconds = 0;
  };
  struct Line {
    double fixed, a_row;
  };
  static Line line_of(const Sums& sums);

  std::vector<Sums> devices_;
};

}  // namespace patchbay::nn::parallel

#endif  // PATCHBAY_CORE_NN_PARALLEL_SHARES_H_
