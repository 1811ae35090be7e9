// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/parallel/shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace patchbay::nn::parallel {

std::vector<std::int64_t> divide(std::int64_t num_rows, const std::vector<double>& speeds) {
  const auto num_devices = static_cast<std::int64_t>(speeds.size());
  if (num_rows == 0) return {0};
  if (num_rows <= num_devices) return std::vector<std::int64_t>(num_rows, 1);
  // One row each, and the others in proportion; what rounding leaves goes to the largest fractions.
  std::vector<std::int64_t> shares(speeds.size(), 1);
  std::vector<double> wanted;
  const double total = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  for (const double speed : speeds) {
    wanted.push_back(std::max(speed / total * static_cast<double>(num_rows) - 1, 0.0));
  }
  const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  const auto spare = static_cast<double>(num_rows - num_devices);
  std::int64_t left = num_rows;
  std::vector<std::size_t> order(speeds.size());
  for (std::size_t i = 0; i < speeds.size(); ++i) {
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
  if (num_rows == 0 || !(seconds > 0)) return;
  const double now = static_cast<double>(num_rows) / seconds;
  double& known = rows_a_second_[device];
  constexpr double kWeightOfLast = 0.5;
  known = known == 0 ? now : known + kWeightOfLast * (now - known);
}

std::vector<double> Speeds::known() const {
  const bool are_known = std::ranges::all_of(rows_a_second_, [](double each) { return each > 0; });
  return are_known ? rows_a_second_ : std::vector<double>(rows_a_second_.size(), 1);
}

}  // namespace patchbay::nn::parallel
