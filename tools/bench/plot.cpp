// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tools/text.h"

namespace patchbay::tools {
namespace {

constexpr double kLeft = 90, kTop = 60, kWidth = 620, kHeight = 360;
constexpr double kLegendLine = 22;
/// Colours that colour-blind people can distinguish; the marks differ too.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                    "#cc79a7", "#56b4e9", "#e69f00"};
constexpr std::size_t kNumColours = std::size(kColours);

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

/// Maps values to lengths on a logarithmic scale.
struct Axis {
  double low = 1, high = 10;

  double at(double value) const {
    return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  }
};

struct Plot {
  Axis x, y;

  double left_of(double value) const { return kLeft + kWidth * x.at(value); }
  double top_of(double value) const { return kTop + kHeight * (1 - y.at(value)); }
};

Plot make_plot(const std::vector<Series>& series) {
  constexpr double kMost = std::numeric_limits<double>::max();
  Plot plot{{kMost, 0}, {kMost, 0}};
  const auto widen = [](Axis& axis, double value) {
    axis.low = std::min(axis.low, value);
    axis.high = std::max(axis.high, value);
  };
  for (const Series& one : series) {
    for (const auto& [size, speed] : one.points) {
      widen(plot.x, size);
      widen(plot.y, speed);
    }
  }
  if (plot.x.high == 0) return {{1, 2}, {1, 10}};
  // Round the ends to whole powers, which also avoids an axis of length 0.
  plot.x = {std::exp2(std::floor(std::log2(plot.x.low))),
            std::exp2(std::max(std::ceil(std::log2(plot.x.high)),
                               std::floor(std::log2(plot.x.low)) + 1))};
  const double low = std::floor(std::log10(plot.y.low));
  plot.y = {std::pow(10, low), std::pow(10, std::max(std::ceil(std::log10(plot.y.high)), low + 1))};
  return plot;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                     "\n",
                     x, y, anchor, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)"
                     "\n",
                     x1, y1, x2, y2);
}

std::string show_speed(double bytes_per_second) {
  constexpr const char* kUnits[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
  std::size_t unit = 0;
  for (; bytes_per_second >= 999.5 && unit + 1 < std::size(kUnits); ++unit) {
    bytes_per_second /= 1000;
  }
  return fmt::format("{:.3g} {}", bytes_per_second, kUnits[unit]);
}

std::string axes(const Plot& plot) {
  std::string grid, labels;
  // If there is little space, label every fourth power of two from 4 on: 4 KiB, 64 KiB, 1 MiB.
  const double powers = std::log2(plot.x.high / plot.x.low);
  const double step = powers > 10 ? 16 : powers > 5 ? 4 : 2;
  for (double size = plot.x.low; size <= plot.x.high * 1.001; size *= step) {
    grid += line(plot.left_of(size), kTop, plot.left_of(size), kTop + kHeight);
    labels += text_at(plot.left_of(size), kTop + kHeight + 20, "middle",
                      show_bytes(static_cast<std::uint64_t>(size)));
  }
  for (double decade = plot.y.low; decade <= plot.y.high * 1.001; decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double speed = decade * factor;
      if (speed > plot.y.high * 1.001) break;
      grid += line(kLeft, plot.top_of(speed), kLeft + kWidth, plot.top_of(speed));
      labels += text_at(kLeft - 8, plot.top_of(speed) + 4, "end", show_speed(speed));
    }
  }
  return fmt::format("<g stroke=\"#d0d0d0\">\n{}</g>\n{}", grid, labels);
}

std::string curve(const Plot& plot, const Series& series, std::size_t index) {
  const char* const colour = kColours[index % kNumColours];
  std::string points, marks;
  for (const auto& [size, speed] : series.points) {
    const double x = plot.left_of(size), y = plot.top_of(speed);
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    marks += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>)"
                         "\n",
                         x, y, colour);
  }
  const double legend = kTop + kHeight + 50 + kLegendLine * static_cast<double>(index);
  return fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>)"
                     "\n{}"
                     R"(<rect x="{:.1f}" y="{:.1f}" width="14" height="14" fill="{}"/>)"
                     "\n",
                     points, colour, marks, kLeft, legend, colour) +
         text_at(kLeft + 22, legend + 12, "start", series.name);
}

}  // namespace

std::string plot_bandwidth(const std::string& title, const std::vector<Series>& series) {
  const Plot plot = make_plot(series);
  const double height = kTop + kHeight + 60 +
                        kLegendLine * static_cast<double>(std::max<std::size_t>(series.size(), 1));
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
      R"(height="{1:.0f}" font-family="sans-serif" font-size="12">)"
      "\n"
      R"(<rect width="100%" height="100%" fill="white"/>)"
      "\n"
      R"(<text x="{2:.0f}" y="30" font-size="16">{3}</text>)"
      "\n",
      kLeft + kWidth + 40, height, kLeft, escaped(title));
  svg += axes(plot);
  for (std::size_t i = 0; i < series.size(); ++i) svg += curve(plot, series[i], i);
  return svg + "</svg>\n";
}

}  // namespace patchbay::tools
