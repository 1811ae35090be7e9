// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Plots as SVG, with both axes logarithmic.
#ifndef PATCHBAY_TOOLS_BENCH_PLOT_H_
#define PATCHBAY_TOOLS_BENCH_PLOT_H_

#include <string>
#include <utility>
#include <vector>

namespace patchbay::tools {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // all above 0
};

/// A complete file: bandwidth in bytes per second over size in bytes.
std::string plot_bandwidth(const std::string& title, const std::vector<Series>& series);

/// The limits of a device, and what operators achieve. All numbers are above 0.
struct Roofline {
  struct Dot {
    std::string name;
    double intensity = 1;  // FLOP per byte
    double flops_per_second = 1;
  };
  double bytes_per_second = 1, flops_per_second = 1;
  std::vector<Dot> dots;

  /// The bound at an intensity: min(flops_per_second, intensity * bytes_per_second).
  double bound(double intensity) const;
};

/// A complete file: the roofline, and a dot with its name for each operator. Names do not overlap
/// each other or a dot while there is space beside their dot.
std::string plot_roofline(const std::string& title, const Roofline& roofline);

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_BENCH_PLOT_H_
