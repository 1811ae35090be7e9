// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

/// On small devices, so that sizes are cut and the test is short.
Finished bench(std::vector<std::string> words, const std::string& peer = "1") {
  words.insert(words.begin(), {"bench", "copy", "--plugin", fake_plugin()});
  return run_command(words, {"PATCHBAY_FAKE_MEMORY_BYTES=2000000", "PATCHBAY_FAKE_PEER=" + peer});
}

TEST(BenchCopy, MeasuresEachWayAtEachSize) {
  const auto json = bench({"--device", "fake:0", "--json"}, "0").exits(0).json();
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
  EXPECT_HAS(json["cut"].get<std::string>(), "there is no memory") << json;
}

TEST(BenchCopy, TheNeighbourIsReachedByItsOwnRoute) {
  const auto json = bench({"--device", "fake:1", "--json"}).json();
  ASSERT_EQ(json["series"].size(), 3u);
  EXPECT_EQ(json["series"][2]["to"], "fake:0");
  EXPECT_EQ(json["series"][2]["route"], "peer");
}

TEST(BenchCopy, LeavesOutWhatWouldTakeTooLong) {
  const Finished finished = bench({"--device", "fake:0", "--seconds", "0.001"}).exits(0);
  EXPECT_HAS(finished.out, "are left out: they would not end within 0.001 s");
  EXPECT_HAS(finished.out, "(1) host to fake:0 (host to device)");
  EXPECT_HAS(finished.out, "4.0 KiB");
}

TEST(BenchCopy, DrawsAPlot) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "copies.svg").string();
  EXPECT_EQ(bench({"--device", "fake:0", "--plot", path}).exit_status, 0);
  const std::string svg = read_text(path);
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0u) << svg.substr(0, 80);
  for (const char* words : {"Copies of fake:0", "host to fake:0 (host to device)", "<polyline",
                            "4.0 KiB", "GB/s", "</svg>"}) {
    EXPECT_HAS(svg, words) << words;
  }
}

TEST(BenchCopy, APlotThatCantBeWrittenIsAnError) {
  const Finished finished =
      bench({"--device", "fake:0", "--plot", "/nowhere/copies.svg", "--json"}).exits(1);
  EXPECT_EQ(finished.json()["error"]["code"], "io");

  const TemporaryDirectory folder;
  const std::string file = folder.write("file", "old");
  const auto expect = [](const std::string& path, const std::string& reason) {
    const Finished refused =
        bench({"--device", "fake:0", "--plot", path, "--seconds", "0.001"}).exits(1);
    EXPECT_EQ(refused.out, "") << path;
    EXPECT_EQ(refused.err, "patchbay: [bench copy] can't write '" + path + "': " + reason +
                               ". Name another file.\n");
  };
  expect("/nowhere/copies.svg", "No such file or directory");
  expect(folder.path(), "Is a directory");
  expect(file + "/copies.svg", "Not a directory");
  expect(folder.path() / std::string(256, 'x'), "File name too long");
  expect("/dev/full", "No space left on device");
  const std::string none = (folder.path() / "new").string() + "/";
  EXPECT_EQ(bench({"--device", "fake:0", "--plot", none}).err,
            "patchbay: [bench copy] no file name: expected the path of a file, got '" + none +
                "'. Add a name.\n");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"file"});
}

TEST(BenchCopy, AFailureLeavesTheFileOfThePlot) {
  const TemporaryDirectory folder;
  const std::string old = folder.write("old.svg", "old\n");
  const std::string beside = (folder.path() / "new.svg").string();
  for (const std::string& path : {old, beside}) {
    const Finished copies = run_command({"bench", "copy", "--plugin", fake_plugin(), "--device",
                                         "fake:0", "--seconds", "0.1", "--plot", path},
                                        {"PATCHBAY_FAKE_FAIL_COPY=3-"})
                                .exits(1);
    EXPECT_HAS(copies.err, "fake_fail_copy");
    for (const char* what : {"copy", "ops"}) {
      const Finished device =
          run_command({"bench", what, "--device", "nope", "--plot", path}).exits(1);
      EXPECT_HAS(device.err, "no backend 'nope'");
    }
  }
  EXPECT_EQ(read_text(old), "old\n");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"old.svg"});
}

/// Bandwidth for the smallest size only.
void plot_quickly(const std::string& path) {
  const Finished finished =
      bench({"--device", "fake:0", "--seconds", "0.001", "--plot", path}).exits(0);
}

TEST(BenchCopy, APlotReplacesAFile) {
  const TemporaryDirectory folder;
  const std::string old = folder.write("old.svg", std::string(1 << 20, 'x'));
  plot_quickly(old);
  EXPECT_TRUE(read_text(old).ends_with("</svg>\n")) << read_text(old).size();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"old.svg"});
}

TEST(BenchCopy, APlotGoesWhereALinkLeads) {
  const TemporaryDirectory folder;
  const std::string old = folder.write("old.svg", std::string(1 << 20, 'x'));
  const std::filesystem::path link = folder.path() / "link.svg";
  std::filesystem::create_symlink(old, link);
  plot_quickly(link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(read_text(old).ends_with("</svg>\n")) << read_text(old).size();
}

TEST(BenchCopy, APlotGoesIntoAPipe) {
  const TemporaryDirectory folder;
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string text;
  std::thread reader([&] { text = read_text(pipe); });
  plot_quickly(pipe);
  reader.join();
  EXPECT_TRUE(text.starts_with("<svg xmlns=")) << text.substr(0, 80);
  EXPECT_TRUE(text.ends_with("</svg>\n"));
}

TEST(BenchCopy, APlotIsNotMixedWithTheReport) {
  for (const char* path : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const Finished finished = bench({"--plot", path}).exits(2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(finished.err, "patchbay: --plot: expected a file, got '" + std::string(path) +
                                "', where the report goes\n");
  }
}

TEST(BenchCopy, WantsToKnowWhat) {
  const Finished none = run_command({"bench"}).exits(2);
  EXPECT_EQ(none.err,
            "patchbay: bench: expected what to measure; `patchbay bench --help` lists it\n");
  const Finished unknown = run_command({"bench", "copyy"}).exits(2);
  EXPECT_EQ(unknown.err,
            "patchbay: unknown command 'copyy', the nearest is 'copy'; `patchbay bench --help` "
            "lists them\n");
  EXPECT_EQ(run_command({"bench", "--json"}).json()["error"]["code"], "usage");
}

TEST(BenchCopy, WantsSomeTime) {
  for (const char* seconds : {"0", "-1", "nan", "soon", "5s", ""}) {
    const Finished finished = bench({"--seconds", seconds}).exits(2);
    EXPECT_EQ(finished.err, "patchbay: --seconds: expected a number above 0, got '" +
                                std::string(seconds) + "'\n");
  }
}

TEST(BenchCopy, HelpListsWhatAllCommandsTake) {
  const Finished finished = run_command({"bench", "copy", "--help"}).exits(0);
  for (const char* option : {"--json", "--plugin ", "--plugin-path", "--seconds"}) {
    EXPECT_HAS(finished.out, option) << option << finished.out;
  }
}

}  // namespace
}  // namespace patchbay::tests
