// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/svg.h"

#include <algorithm>

#include <fmt/format.h>

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
