// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Losses over steps, as SVG.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "patchbay/nn/trainer.h"

#include "core/nn/files/file.h"

namespace patchbay::nn {
namespace {

// The rectangle of the axes in the picture, in pixels.
constexpr double kLeft = 70, kTop = 50, kWidth = 600, kHeight = 320;

struct Point {
  double step, loss;
};
struct Series {
  const char* name;
  const char* colour;
  std::vector<Point> points;
};

/// A linear axis with steps of 1, 2 or 5 times a power of ten.
struct Axis {
  double low = 0, high = 1, step = 0.2;

  static Axis around(double low, double high) {
    if (!(high > low)) high = low + 1;
    constexpr double kMostSteps = 8;
    double step = std::pow(10, std::floor(std::log10((high - low) / kMostSteps)));
    for (const double factor : {2.0, 2.5, 2.0}) {
      if ((high - low) / step > kMostSteps) step *= factor;
    }
    return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
  }
  double part(double value) const { return (value - low) / (high - low); }
};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
    }
  }
  return result;
}

std::string words(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

class Picture {
 public:
  Picture(Axis x, Axis y) : x_(x), y_(y) {}

  std::string axes() const {
    std::string lines = "<g stroke=\"#ddd\">\n", labels;
    for (double at = x_.low; at <= x_.high + x_.step / 2; at += x_.step) {
      lines += line(at, y_.low, at, y_.high);
      labels += words(left(at), kTop + kHeight + 18, "middle", fmt::format("{:.6g}", at));
    }
    for (double at = y_.low; at <= y_.high + y_.step / 2; at += y_.step) {
      lines += line(x_.low, at, x_.high, at);
      const double shown = std::abs(at) < y_.step / 2 ? 0 : at;
      labels += words(kLeft - 8, top(at) + 4, "end", fmt::format("{:.3g}", shown));
    }
    labels += words(kLeft + kWidth / 2, kTop + kHeight + 38, "middle", "steps");
    return lines + "</g>\n" + labels;
  }

  std::string curve(const Series& series) const {
    std::string points;
    for (const Point& point : series.points) {
      points += fmt::format("{:.1f},{:.1f} ", left(point.step), top(point.loss));
    }
    std::string result =
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"{}\"/>\n",
                    series.colour, points);
    if (series.points.size() > 60) return result;
    for (const Point& point : series.points) {
      result += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                            left(point.step), top(point.loss), series.colour);
    }
    return result;
  }

 private:
  double left(double step) const { return kLeft + kWidth * x_.part(step); }
  double top(double loss) const { return kTop + kHeight * (1 - y_.part(loss)); }
  std::string line(double x1, double y1, double x2, double y2) const {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       left(x1), top(y1), left(x2), top(y2));
  }

  Axis x_, y_;
};

/// Points that can be drawn.
std::vector<Series> series_of(const TrainingHistory& history) {
  std::array<Series, 2> all = {Series{"training", "#0072b2", {}},
                               Series{"validation", "#d55e00", {}}};
  const auto add = [](Series& to, std::int64_t step, double loss) {
    if (std::isfinite(loss)) to.points.push_back({static_cast<double>(step), loss});
  };
  for (const LossRow& row : history.losses) add(all[0], row.step, row.loss);
  for (const EpochRow& row : history.epochs) {
    if (history.losses.empty()) add(all[0], row.step, row.loss);
    if (row.validation) add(all[1], row.step, row.validation->loss);
  }
  std::vector<Series> result;
  for (Series& series : all) {
    if (!series.points.empty()) result.push_back(std::move(series));
  }
  return result;
}

Picture frame_of(const std::vector<Series>& all) {
  double most_steps = 1, low = 0, high = 0;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      most_steps = std::max(most_steps, point.step);
      low = std::min(low, point.loss);
      high = std::max(high, point.loss);
    }
  }
  return {Axis::around(0, most_steps), Axis::around(low, high)};
}

}  // namespace

void save_loss_plot(const std::filesystem::path& file, const TrainingHistory& history,
                    const std::string& title) {
  const std::vector<Series> all = series_of(history);
  const Picture picture = frame_of(all);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kLeft + kWidth + 40, kTop + kHeight + 60);
  text += words(kLeft, 24, "start", title) + picture.axes();
  double legend = kLeft + kWidth;
  for (const Series& series : all) {
    text += picture.curve(series);
    text += fmt::format("<g fill=\"{}\">{}</g>\n", series.colour,
                        words(legend, 24, "end", series.name));
    legend -= 100;
  }
  text += "</svg>\n";
  files::AtomicFile out(file, "save_loss_plot");
  out.write(text.data(), text.size());
  out.commit();
}

}  // namespace patchbay::nn
