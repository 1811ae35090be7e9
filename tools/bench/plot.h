// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Line plots as SVG, both axes logarithmic.
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

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_BENCH_PLOT_H_
