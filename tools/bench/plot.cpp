// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tools/text.h"

namespace patchbay::tools::svg {
namespace {

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

}  // namespace

Axis Axis::of_powers(double base, double lowest, double highest) {
  const double unit = std::log2(base);
  const double first = std::floor(std::log2(lowest) / unit);
  const double last = std::max(std::ceil(std::log2(highest) / unit), first + 1);
  return {std::pow(base, first), std::pow(base, last)};
}

std::string head(const std::string& title, double height) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
      R"(height="{1:.0f}" font-family="sans-serif" font-size="12">)"
      "\n"
      R"(<rect width="100%" height="100%" fill="white"/>)"
      "\n"
      R"(<text x="{2:.0f}" y="30" font-size="16">{3}</text>)"
      "\n",
      kLeft + kWidth + 40, height, kLeft, escaped(title));
}

std::string words(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                     "\n",
                     x, y, anchor, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)"
                     "\n",
                     x1, y1, x2, y2);
}

std::string stroked(const char* colour, const std::string& elements) {
  return fmt::format("<g stroke=\"{}\">\n{}</g>\n", colour, elements);
}

std::string circle(double x, double y, const char* colour) {
  return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="{}"/>)"
                     "\n",
                     x, y, colour);
}

}  // namespace patchbay::tools::svg

namespace patchbay::tools {
namespace {

using svg::Frame;
using svg::kHeight;
using svg::kLeft;
using svg::kTop;
using svg::kWidth;

constexpr double kLegendLine = 22;
constexpr std::size_t kNumColours = std::size(svg::kColours);

Frame make_frame(const std::vector<Series>& series) {
  constexpr double kMost = std::numeric_limits<double>::max();
  Frame frame{{kMost, 0}, {kMost, 0}};
  const auto widen = [](svg::Axis& axis, double value) {
    axis.low = std::min(axis.low, value);
    axis.high = std::max(axis.high, value);
  };
  for (const Series& one : series) {
    for (const auto& [size, speed] : one.points) {
      widen(frame.x, size);
      widen(frame.y, speed);
    }
  }
  if (frame.x.high == 0) return {{1, 2}, {1, 10}};
  return {svg::Axis::of_powers(2, frame.x.low, frame.x.high),
          svg::Axis::of_powers(10, frame.y.low, frame.y.high)};
}

std::string axes(const Frame& frame) {
  std::string grid, labels;
  // If there is little space, label every fourth power of two from 4 on: 4 KiB, 64 KiB, 1 MiB.
  const double powers = std::log2(frame.x.high / frame.x.low);
  const double step = powers > 10 ? 16 : powers > 5 ? 4 : 2;
  for (double size = frame.x.low; size <= frame.x.high * 1.001; size *= step) {
    grid += svg::line(frame.left_of(size), kTop, frame.left_of(size), kTop + kHeight);
    labels += svg::words(frame.left_of(size), kTop + kHeight + 20, "middle",
                         show_bytes(static_cast<std::uint64_t>(size)));
  }
  for (double decade = frame.y.low; decade <= frame.y.high * 1.001; decade *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double speed = decade * factor;
      if (speed > frame.y.high * 1.001) break;
      grid += svg::line(kLeft, frame.top_of(speed), kLeft + kWidth, frame.top_of(speed));
      labels += svg::words(kLeft - 8, frame.top_of(speed) + 4, "end", show_rate(speed, "B/s"));
    }
  }
  return svg::stroked("#d0d0d0", grid) + labels;
}

std::string curve(const Frame& frame, const Series& series, std::size_t index) {
  const char* const colour = svg::kColours[index % kNumColours];
  std::string points, marks;
  for (const auto& [size, speed] : series.points) {
    const double x = frame.left_of(size), y = frame.top_of(speed);
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
    marks += svg::circle(x, y, colour);
  }
  const double legend = kTop + kHeight + 50 + kLegendLine * static_cast<double>(index);
  return fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>)"
                     "\n{}"
                     R"(<rect x="{:.1f}" y="{:.1f}" width="14" height="14" fill="{}"/>)"
                     "\n",
                     points, colour, marks, kLeft, legend, colour) +
         svg::words(kLeft + 22, legend + 12, "start", series.name);
}

}  // namespace

std::string plot_bandwidth(const std::string& title, const std::vector<Series>& series) {
  const Frame frame = make_frame(series);
  const double height = kTop + kHeight + 60 +
                        kLegendLine * static_cast<double>(std::max<std::size_t>(series.size(), 1));
  std::string text = svg::head(title, height) + axes(frame);
  for (std::size_t i = 0; i < series.size(); ++i) text += curve(frame, series[i], i);
  return text + svg::tail();
}

}  // namespace patchbay::tools
