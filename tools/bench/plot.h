// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Plots as SVG, with both axes logarithmic.
#ifndef PATCHBAY_TOOLS_BENCH_PLOT_H_
#define PATCHBAY_TOOLS_BENCH_PLOT_H_

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace patchbay::tools::svg {

/// The rectangle of the axes.
inline constexpr double kLeft = 90, kTop = 60, kWidth = 620, kHeight = 360;
/// Colours that colour-blind people can distinguish.
inline constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                           "#cc79a7", "#56b4e9", "#e69f00"};

/// Maps values to lengths on a logarithmic scale.
struct Axis {
  double low = 1, high = 10;

  /// The smallest range of whole powers of `base` that has both values, and a length.
  static Axis of_powers(double base, double lowest, double highest);
  double at(double value) const {
    return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  }
};

struct Frame {
  Axis x, y;

  double left_of(double value) const { return kLeft + kWidth * x.at(value); }
  double top_of(double value) const { return kTop + kHeight * (1 - y.at(value)); }
};

/// The start of a file: its size, a white ground and the title.
std::string head(const std::string& title, double height);
inline std::string tail() { return "</svg>\n"; }
/// Words at a point; `anchor` is start, middle or end. Special characters are escaped.
std::string words(double x, double y, const char* anchor, const std::string& text);
std::string line(double x1, double y1, double x2, double y2);
/// A group of elements of one colour.
std::string stroked(const char* colour, const std::string& elements);
std::string circle(double x, double y, const char* colour);

}  // namespace patchbay::tools::svg

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
