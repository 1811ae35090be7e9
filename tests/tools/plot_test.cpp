// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/plot.h"

#include <regex>

#include "support/text.h"

namespace patchbay::tools {
namespace {

TEST(Plot, PutsPowersAtEqualDistances) {
  const std::string svg =
      plot_bandwidth("t", {{"a", {{4096, 1e8}, {65536, 1e9}, {1048576, 1e10}}}});
  EXPECT_NE(svg.find(R"(points="90.0,420.0 400.0,240.0 710.0,60.0")"), std::string::npos) << svg;
  for (const char* label :
       {">4.0 KiB<", ">64.0 KiB<", ">1.0 MiB<", ">100 MB/s<", ">2 GB/s<", ">10 GB/s<"}) {
    EXPECT_HAS(svg, label) << label << svg;
  }
}

TEST(Plot, EscapesNames) {
  const std::string svg = plot_bandwidth("a < b & \"c\"", {{"<d>", {{2, 3}}}});
  EXPECT_HAS(svg, ">a &lt; b &amp; &quot;c&quot;<");
  EXPECT_HAS(svg, ">&lt;d&gt;<");
}

TEST(Plot, NothingIsAnEmptyPlot) {
  for (const auto& series : {std::vector<Series>{}, std::vector<Series>{{"none", {}}}}) {
    const std::string svg = plot_bandwidth("t", series);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
    EXPECT_HAS(svg, "</svg>");
  }
}

/// All matches of a pattern, as the numbers in its groups.
std::vector<std::vector<double>> numbers_of(const std::string& svg, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<std::vector<double>> found;
  for (std::sregex_iterator at(svg.begin(), svg.end(), wanted), end; at != end; ++at) {
    found.emplace_back();
    for (std::size_t i = 1; i < at->size(); ++i) found.back().push_back(std::stod((*at)[i]));
  }
  return found;
}
const char* const kCircle = R"x(<circle cx="([0-9.]+)" cy="([0-9.]+)")x";

TEST(Roofline, DrawsBothLimits) {
  const Roofline roofline{1e9, 1e10, {{"slope", 1, 1e9}, {"ridge", 10, 1e10}, {"flat", 50, 1e10}}};
  EXPECT_EQ(roofline.bound(0.5), 5e8);
  EXPECT_EQ(roofline.bound(10), 1e10);
  EXPECT_EQ(roofline.bound(1000), 1e10);
  const std::string svg = plot_roofline("t", roofline);
  const auto roof =
      numbers_of(svg, R"x(points="([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+) ([0-9.]+),([0-9.]+)")x");
  const auto dots = numbers_of(svg, kCircle);
  ASSERT_EQ(roof.size(), 1u) << svg;
  ASSERT_EQ(dots.size(), 3u) << svg;
  const auto& line = roof[0];
  const double slope = (line[3] - line[1]) / (line[2] - line[0]);
  EXPECT_NEAR(dots[0][1], line[1] + slope * (dots[0][0] - line[0]), 0.2) << "on the slope";
  EXPECT_EQ(dots[1], (std::vector<double>{line[2], line[3]})) << "at the ridge";
  EXPECT_EQ(dots[2][1], line[5]) << "on the flat part";
  EXPECT_EQ(line[3], line[5]);
  for (const char* words :
       {">limits: 1 GB/s of memory, 10 GFLOP/s of products<", ">FLOP per byte<", ">1<", ">10<",
        ">1 GFLOP/s<", ">10 GFLOP/s<", ">slope<", ">ridge<", ">flat<"}) {
    EXPECT_HAS(svg, words) << words << svg;
  }
}

TEST(Roofline, NamesDoNotOverlap) {
  Roofline roofline{1e9, 1e10, {}};
  for (int i = 0; i < 12; ++i) {
    roofline.dots.push_back({"operator " + std::to_string(10 + i), 1.0 + 0.01 * i, 5e8});
  }
  const auto names = numbers_of(
      plot_roofline("t", roofline),
      R"x(<text x="([0-9.]+)" y="([0-9.]+)" text-anchor="(?:start|end)">operator ([0-9]+)<)x");
  ASSERT_EQ(names.size(), 12u);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(std::abs(names[i][1] - names[j][1]) >= 12 ||
                  std::abs(names[i][0] - names[j][0]) >= 15)
          << "operators " << names[i][2] << " and " << names[j][2];
    }
  }
}

TEST(Roofline, EscapesNamesAndNeedsNoDot) {
  const std::string svg = plot_roofline("a < b", {1e9, 1e10, {{"<c>", 1, 1e9}}});
  EXPECT_HAS(svg, ">a &lt; b<");
  EXPECT_HAS(svg, ">&lt;c&gt;<");
  const std::string empty = plot_roofline("t", {1e9, 1e10, {}});
  EXPECT_EQ(empty.find("nan"), std::string::npos) << empty;
  EXPECT_TRUE(empty.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace patchbay::tools
