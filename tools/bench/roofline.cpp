// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Draws a roofline (Williams, Waterman, Patterson, Roofline, 2009).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/bench/plot.h"
#include "tools/text.h"

namespace patchbay::tools {
namespace {

using svg::Frame;
using svg::kHeight;
using svg::kLeft;
using svg::kTop;
using svg::kWidth;

constexpr double kLetter = 7.2, kLine = 13;  // the width and height of text of size 12
constexpr const char* kRoof = "#d55e00";
constexpr const char* kDot = "#0072b2";

struct Box {
  double left, top, right, bottom;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
  bool is_inside() const {
    return left >= kLeft + 3 && right <= kLeft + kWidth + 36 && top >= kTop &&
           bottom <= kTop + kHeight;
  }
};

/// A name beside a dot: where its text starts or ends.
struct Label {
  double x, y;
  bool is_right;

  Box box(std::size_t num_letters) const {
    const double width = kLetter * static_cast<double>(num_letters);
    const double left = is_right ? x : x - width;
    return {left, y - kLine + 3, left + width, y + 3};
  }
};

/// Finds free places for names, one after the other.
class Placer {
 public:
  void take(const Box& box) { taken_.push_back(box); }

  /// Beside the dot, else as little above or below that as possible.
  Label place(double x, double y, std::size_t num_letters) {
    constexpr int kMostSteps = 60;
    for (int step = 0; step <= kMostSteps; ++step) {
      for (const double sign : {-1.0, 1.0}) {
        for (const bool is_right : {true, false}) {
          const double shift = 4 + (step > 0 ? 8 : 4);
          const Label label{is_right ? x + shift : x - shift, y + 4 + sign * step * kLine / 2,
                            is_right};
          if (try_take(label.box(num_letters))) return label;
        }
      }
    }
    return {x + 8, y + 4, true};
  }

 private:
  bool try_take(const Box& box) {
    const auto meets = [&](const Box& other) { return box.meets(other); };
    if (!box.is_inside() || std::any_of(taken_.begin(), taken_.end(), meets)) return false;
    taken_.push_back(box);
    return true;
  }

  std::vector<Box> taken_;
};

Frame make_frame(const Roofline& roofline) {
  const double ridge = roofline.flops_per_second / roofline.bytes_per_second;
  double least = ridge / 10, most = ridge * 10, slowest = roofline.flops_per_second / 10;
  double fastest = roofline.flops_per_second;
  for (const Roofline::Dot& dot : roofline.dots) {
    least = std::min(least, dot.intensity);
    most = std::max(most, dot.intensity);
    slowest = std::min(slowest, dot.flops_per_second);
    fastest = std::max(fastest, dot.flops_per_second);
  }
  return {{least / 1.5, most * 1.5}, {slowest / 1.5, fastest * 1.5}};
}

/// The first power of ten in the range.
double first_power(const svg::Axis& axis) {
  return std::pow(10, std::ceil(std::log10(axis.low) - 1e-9));
}

std::string axes(const Frame& frame) {
  std::string grid, labels;
  for (double x = first_power(frame.x); x <= frame.x.high; x *= 10) {
    grid += svg::line(frame.left_of(x), kTop, frame.left_of(x), kTop + kHeight);
    labels += svg::words(frame.left_of(x), kTop + kHeight + 20, "middle", fmt::format("{:g}", x));
  }
  for (double y = first_power(frame.y); y <= frame.y.high; y *= 10) {
    grid += svg::line(kLeft, frame.top_of(y), kLeft + kWidth, frame.top_of(y));
    labels += svg::words(kLeft - 8, frame.top_of(y) + 4, "end", show_rate(y, "FLOP/s"));
  }
  labels += svg::words(kLeft + kWidth / 2, kTop + kHeight + 42, "middle", "FLOP per byte");
  const std::string edge = svg::line(kLeft, kTop, kLeft, kTop + kHeight) +
                           svg::line(kLeft, kTop + kHeight, kLeft + kWidth, kTop + kHeight);
  return svg::stroked("#d0d0d0", grid) + svg::stroked("#606060", edge) + labels;
}

/// From the left edge, or from where the slope enters at the bottom.
std::string roof(const Frame& frame, const Roofline& roofline) {
  const double ridge = roofline.flops_per_second / roofline.bytes_per_second;
  const double first = std::max(frame.x.low, frame.y.low / roofline.bytes_per_second);
  const double flat = frame.top_of(roofline.flops_per_second);
  return fmt::format(
      R"(<polyline points="{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}" fill="none" stroke="{}" )"
      R"(stroke-width="2"/>)"
      "\n",
      frame.left_of(first), frame.top_of(roofline.bound(first)), frame.left_of(ridge), flat,
      kLeft + kWidth, flat, kRoof);
}

/// The two limits in words, above the frame.
std::string legend(const Roofline& roofline) {
  return svg::words(kLeft, kTop - 10, "start",
                    fmt::format("limits: {} of memory, {} of products",
                                show_rate(roofline.bytes_per_second, "B/s"),
                                show_rate(roofline.flops_per_second, "FLOP/s")));
}

std::string dots(const Frame& frame, const Roofline& roofline) {
  Placer placer;
  for (double x = frame.x.low; x < frame.x.high; x *= 1.02) {  // names don't cross the roof
    const double left = frame.left_of(x), top = frame.top_of(roofline.bound(x));
    placer.take({left - 1, top - 1, left + 1, top + 1});
  }
  for (const Roofline::Dot& dot : roofline.dots) {
    const double x = frame.left_of(dot.intensity), y = frame.top_of(dot.flops_per_second);
    placer.take({x - 4, y - 4, x + 4, y + 4});
  }
  std::string marks, leaders, names;
  for (const Roofline::Dot& dot : roofline.dots) {
    const double x = frame.left_of(dot.intensity), y = frame.top_of(dot.flops_per_second);
    const Label label = placer.place(x, y, dot.name.size());
    marks += svg::circle(x, y, kDot);
    names += svg::words(label.x, label.y, label.is_right ? "start" : "end", dot.name);
    if (std::abs(label.y - y - 4) > 1) {
      leaders += svg::line(x, y, label.is_right ? label.x - 1 : label.x + 1, label.y - 4);
    }
  }
  return svg::stroked("#a0a0a0", leaders) + marks + names;
}

}  // namespace

double Roofline::bound(double intensity) const {
  return std::min(flops_per_second, intensity * bytes_per_second);
}

std::string plot_roofline(const std::string& title, const Roofline& roofline) {
  const Frame frame = make_frame(roofline);
  return svg::head(title, kTop + kHeight + 60) + axes(frame) + legend(roofline) +
         roof(frame, roofline) + dots(frame, roofline) + svg::tail();
}

}  // namespace patchbay::tools
