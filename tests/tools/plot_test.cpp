// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/bench/plot.h"

#include <string>

#include <gtest/gtest.h>

namespace patchbay::tools {
namespace {

TEST(Plot, PutsPowersAtEqualDistances) {
  const std::string svg =
      plot_bandwidth("t", {{"a", {{4096, 1e8}, {65536, 1e9}, {1048576, 1e10}}}});
  EXPECT_NE(svg.find(R"(points="90.0,420.0 400.0,240.0 710.0,60.0")"), std::string::npos) << svg;
  for (const char* label :
       {">4.0 KiB<", ">64.0 KiB<", ">1.0 MiB<", ">100 MB/s<", ">2 GB/s<", ">10 GB/s<"}) {
    EXPECT_NE(svg.find(label), std::string::npos) << label << svg;
  }
}

TEST(Plot, EscapesNames) {
  const std::string svg = plot_bandwidth("a < b & \"c\"", {{"<d>", {{2, 3}}}});
  EXPECT_NE(svg.find(">a &lt; b &amp; &quot;c&quot;<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">&lt;d&gt;<"), std::string::npos) << svg;
}

TEST(Plot, NothingIsAnEmptyPlot) {
  for (const auto& series : {std::vector<Series>{}, std::vector<Series>{{"none", {}}}}) {
    const std::string svg = plot_bandwidth("t", series);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
  }
}

}  // namespace
}  // namespace patchbay::tools
