// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace patchbay::nn::parallel {

std::vector<std::int64_t> divide(std::int64_t num_rows, const std::vector<double>& rows) {
  const auto num_devices = static_cast<std::int64_t>(rows.size());
  if (num_rows == 0) return {0};
  if (num_rows <= num_devices)
    return std::vector<std::int64_t>(static_cast<std::size_t>(num_rows), 1);
  // One row each, and the others in proportion; what rounding leaves goes to the largest fractions.
  std::vector<std::int64_t> shares(rows.size(), 1);
  std::vector<double> wanted;
  const double total = std::accumulate(rows.begin(), rows.end(), 0.0);
  for (const double each : rows) {
    wanted.push_back(std::max(each / total * static_cast<double>(num_rows) - 1, 0.0));
  }
  const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  const auto spare = static_cast<double>(num_rows - num_devices);
  std::int64_t left = num_rows;
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    order[i] = i;
    wanted[i] *= spare / sum;
    shares[i] += static_cast<std::int64_t>(wanted[i]);
    wanted[i] -= std::floor(wanted[i]);
    left -= shares[i];
  }
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return wanted[a] > wanted[b]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++shares[order[i % order.size()]];
  return shares;
}

void Speeds::note(std::size_t device, std::int64_t num_rows, double seconds) {
  Sums& sums = devices_[device];
  if (num_rows == 0 || !(seconds > 0) || !std::exchange(sums.is_warm, true)) return;
  constexpr double kKept = 0.9;  // of what was known, for each new batch
  const auto rows = static_cast<double>(num_rows);
  sums.count = kKept * sums.count + 1;
  sums.rows = kKept * sums.rows + rows;
  sums.seconds = kKept * sums.seconds + seconds;
  sums.rows_squared = kKept * sums.rows_squared + rows * rows;
  sums.rows_seconds = kKept * sums.rows_seconds + rows * seconds;
}

/// Least squares, with a small penalty for the fixed part: batches of one size say nothing of it.
Speeds::Line Speeds::line_of(const Sums& sums) {
  constexpr double kPenalty = 0.01;
  const double weight = sums.count * (1 + kPenalty);
  const double determinant = weight * sums.rows_squared - sums.rows * sums.rows;
  const double a_row = (weight * sums.rows_seconds - sums.rows * sums.seconds) / determinant;
  const double proportional = sums.seconds / sums.rows;
  // Noise may turn the line, but no row is free, and no start takes negative time.
  constexpr double kLeast = 0.05;
  const double bounded = std::clamp(a_row, kLeast * proportional, proportional);
  return {(sums.seconds - bounded * sums.rows) / sums.count, bounded};
}

std::vector<double> Speeds::wanted(std::int64_t num_rows) const {
  const bool are_known =
      std::ranges::all_of(devices_, [](const Sums& each) { return each.count > 0; });
  if (!are_known) return std::vector<double>(devices_.size(), 1);
  std::vector<Line> lines;
  for (const Sums& each : devices_) lines.push_back(line_of(each));
  // Each has at least one row. More time is more rows: half the interval until it fits.
  const auto rows_in = [](const Line& line, double seconds) {
    return std::max((seconds - line.fixed) / line.a_row, 1.0);
  };
  const auto all_in = [&](double seconds) {
    double rows = 0;
    for (const Line& line : lines) rows += rows_in(line, seconds);
    return rows;
  };
  double low = 0, high = 0;
  for (const Line& line : lines) {
    high = std::max(high, line.fixed + line.a_row * static_cast<double>(num_rows));
  }
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (all_in(middle) < static_cast<double>(num_rows) ? low : high) = middle;
  }
  std::vector<double> rows;
  for (const Line& line : lines) rows.push_back(rows_in(line, high));
  return rows;
}

}  // namespace patchbay::nn::parallel
