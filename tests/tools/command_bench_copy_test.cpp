// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

/// On small devices, so that sizes are cut and the test is short.
Finished bench(std::vector<std::string> words, const std::string& peer = "1") {
  words.insert(words.begin(), {"bench", "copy", "--plugin", fake_plugin()});
  return run_command(words, {"PATCHBAY_FAKE_MEMORY_BYTES=2000000", "PATCHBAY_FAKE_PEER=" + peer});
}

TEST(BenchCopy, MeasuresEachWayAtEachSize) {
  const Finished finished = bench({"--device", "fake:0", "--json"}, "0");
  EXPECT_EQ(finished.exit_status, 0) << finished.err;
  const auto json = finished.json();
  EXPECT_EQ(json["device"], "fake:0");
  ASSERT_EQ(json["series"].size(), 4u);
  EXPECT_EQ(json["series"][0]["from"], "host");
  EXPECT_EQ(json["series"][1]["to"], "host");
  EXPECT_EQ(json["series"][2]["route"], "staged");
  EXPECT_EQ(json["series"][3]["route"], "two legs");
  for (const auto& series : json["series"]) {
    ASSERT_GE(series["points"].size(), 4u) << series;
    EXPECT_EQ(series["points"][0]["bytes"], 4096);
    EXPECT_EQ(series["points"][1]["bytes"], 16384);
    for (const auto& point : series["points"]) {
      EXPECT_GT(point["seconds"], 0);
      EXPECT_GT(point["bytes_per_second"], 0);
    }
  }
  EXPECT_NE(json["cut"].get<std::string>().find("there is no memory"), std::string::npos) << json;
}

TEST(BenchCopy, TheNeighbourIsReachedByItsOwnRoute) {
  const auto json = bench({"--device", "fake:1", "--json"}).json();
  ASSERT_EQ(json["series"].size(), 3u);
  EXPECT_EQ(json["series"][2]["to"], "fake:0");
  EXPECT_EQ(json["series"][2]["route"], "peer");
}

TEST(BenchCopy, LeavesOutWhatWouldTakeTooLong) {
  const Finished finished = bench({"--device", "fake:0", "--seconds", "0.001"});
  EXPECT_EQ(finished.exit_status, 0) << finished.err;
  EXPECT_NE(finished.out.find("are left out: they would not end within 0.001 s"), std::string::npos)
      << finished.out;
  EXPECT_NE(finished.out.find("(1) host to fake:0 (host to device)"), std::string::npos);
  EXPECT_NE(finished.out.find("4.0 KiB"), std::string::npos) << finished.out;
}

TEST(BenchCopy, DrawsAPlot) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "copies.svg").string();
  EXPECT_EQ(bench({"--device", "fake:0", "--plot", path}).exit_status, 0);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string svg = text.str();
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0u) << svg.substr(0, 80);
  for (const char* words : {"Copies of fake:0", "host to fake:0 (host to device)", "<polyline",
                            "4.0 KiB", "GB/s", "</svg>"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
}

TEST(BenchCopy, APlotThatCantBeWrittenIsAnError) {
  const Finished finished =
      bench({"--device", "fake:0", "--plot", "/nowhere/copies.svg", "--json"});
  EXPECT_EQ(finished.exit_status, 1);
  EXPECT_EQ(finished.json()["error"]["code"], "io");
}

TEST(BenchCopy, WantsToKnowWhat) {
  const Finished none = run_command({"bench"});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_EQ(none.err,
            "patchbay: bench: expected what to measure; `patchbay bench --help` lists it\n");
  const Finished unknown = run_command({"bench", "copyy"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(
      unknown.err,
      "patchbay: unknown command 'copyy', the nearest is 'copy'; `patchbay bench --help` lists "
      "them\n");
  EXPECT_EQ(run_command({"bench", "--json"}).json()["error"]["code"], "usage");
}

TEST(BenchCopy, WantsSomeTime) {
  for (const char* seconds : {"0", "-1", "nan", "soon", "5s", ""}) {
    const Finished finished = bench({"--seconds", seconds});
    EXPECT_EQ(finished.exit_status, 2) << seconds;
    EXPECT_EQ(finished.err, "patchbay: --seconds: expected a number above 0, got '" +
                                std::string(seconds) + "'\n");
  }
}

TEST(BenchCopy, HelpListsWhatAllCommandsTake) {
  const Finished finished = run_command({"bench", "copy", "--help"});
  EXPECT_EQ(finished.exit_status, 0);
  for (const char* option : {"--json", "--plugin ", "--plugin-path", "--seconds"}) {
    EXPECT_NE(finished.out.find(option), std::string::npos) << option << finished.out;
  }
}

}  // namespace
}  // namespace patchbay::tests
