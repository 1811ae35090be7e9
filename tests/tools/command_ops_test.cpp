// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

Finished ops(std::vector<std::string> words) {
  words.insert(words.begin(), {"ops", "--plugin", fake_plugin()});
  return run_command(words);
}

TEST(Ops, AsJson) {
  const auto json = run_command({"ops", "--plugin", fake_plugin(), "--device", "fake:0", "--json"},
                                {"PATCHBAY_FAKE_F64=0"})
                        .json();
  int seen = 0;
  for (const auto& entry : json["operators"]) {
    if (entry["name"] != "exp") continue;
    ++seen;
    EXPECT_EQ(entry["kernel"], "exp.1");
    EXPECT_EQ(entry["family"], "elementwise");
    EXPECT_EQ(entry["derivative"], "grad * out");
    EXPECT_EQ(entry["error_bound"]["of"], "result");
    EXPECT_EQ(entry["error_bound"]["f32"], 3);
    const auto& support = entry["devices"]["fake:0"];
    EXPECT_TRUE(support["f32"].is_null()) << support;
    EXPECT_TRUE(support["bf16"].is_null()) << support;
    EXPECT_EQ(support["f64"], "exp f64: the device fake:0 has no such dtype");
  }
  EXPECT_EQ(seen, 1);
}

/// The line that starts with `name`, with one blank between its columns.
std::string line_of(const std::string& table, const std::string& name) {
  std::istringstream lines(table);
  for (std::string line, word, joined; std::getline(lines, line); joined.clear()) {
    std::istringstream words(line);
    while (words >> word) joined += (joined.empty() ? "" : " ") + word;
    if (joined.starts_with(name + " ")) return joined;
  }
  return "no line of " + name;
}

TEST(Ops, AsATable) {
  const Finished finished = ops({"--device", "fake:1"}).exits(0);
  EXPECT_EQ(line_of(finished.out, "OPERATOR"), "OPERATOR fake:1 DTYPES");
  EXPECT_EQ(line_of(finished.out, "exp"), "exp all f32 f64 f16 bf16");
  EXPECT_EQ(line_of(finished.out, "logical_not"), "logical_not all bool");
  EXPECT_EQ(line_of(finished.out, "conv2d"), "conv2d all f32 f64 f16 bf16");
  const std::size_t second = finished.out.find("\nexp ") + 1;
  EXPECT_EQ(finished.out.find("all", second) - second, finished.out.find("fake:1"))
      << "columns are not aligned:\n"
      << finished.out;
}

/// Programs can use an operator that a plugin leaves to the library.
TEST(Ops, NamesWhatTheLibraryComposes) {
  const Finished finished = ops({"--device", "fake:0"});
  EXPECT_EQ(line_of(finished.out, "linear"), "linear composed f32 f64 f16 bf16");
  EXPECT_TRUE(finished.out.ends_with(
      "\ncomposed: the library makes the operator of others, because the plugin has no kernel.\n"))
      << finished.out;
}

TEST(Ops, ADtypeThatADeviceLacksIsNotComposed) {
  const Finished finished = run_command({"ops", "--plugin", fake_plugin(), "--device", "fake:0"},
                                        {"PATCHBAY_FAKE_F64=0"});
  EXPECT_EQ(line_of(finished.out, "linear"), "linear all but f64, composed f32 f64 f16 bf16");
  EXPECT_EQ(line_of(finished.out, "exp"), "exp all but f64 f32 f64 f16 bf16");
}

TEST(Ops, ShowsWhatIsKeptAndNotComputedIn) {
  const auto json = ops({"--device", "fake:0", "--json"}).json();
  for (const auto& entry : json["operators"]) {
    const auto& support = entry["devices"]["fake:0"];
    for (const char* dtype : {"i8", "i16", "u16", "u32", "u64"}) {
      const bool is_there = support.contains(dtype);
      if (entry["name"] == "add" || entry["name"] == "gemm") {
        EXPECT_FALSE(is_there) << dtype;
      }
      if (entry["name"] == "cast" || entry["name"] == "gather" || entry["name"] == "lt") {
        EXPECT_TRUE(is_there && support[dtype].is_null()) << dtype << support;
      }
    }
  }
}

TEST(Ops, OfTheFirstDeviceOfEachBackend) {
  const Finished finished = ops({});
  EXPECT_HAS(finished.out, "fake:0");
  EXPECT_EQ(finished.out.find("fake:1"), std::string::npos) << finished.out;
}

/// A device that compiles its operators may take minutes.
TEST(Ops, ShowsItsProgressOnATerminal) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminals here: /dev/pts is not mounted";
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int kept = open(ptsname(terminal), O_RDWR | O_NOCTTY);  // keeps what is written
  std::string shown;
  std::thread reader([&] {
    char text[4096];
    for (ssize_t n; (n = read(terminal, text, sizeof text)) > 0;) {
      shown.append(text, static_cast<std::size_t>(n));
    }
  });
  const TemporaryDirectory directory;
  const std::string out = (directory.path() / "out").string();
  const std::string command = PATCHBAY_COMMAND " ops --plugin " + fake_plugin() +
                              " --device fake:0 --json 2>" + ptsname(terminal) + " >'" + out + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  close(kept);  // the reader's last
  reader.join();
  close(terminal);
  EXPECT_HAS(shown, "\r\x1b[K1/");
  EXPECT_HAS(shown, " exp on fake:0\r");
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << shown;
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(out))["operators"].is_array());
}

TEST(Ops, SaysWhyThereIsNoDevice) {
  const Finished finished = run_command({"ops", "--plugin", fake_plugin()},
                                        {"PATCHBAY_PLUGINS=fake", "PATCHBAY_VISIBLE_DEVICES=x"})
                                .exits(0);
  EXPECT_EQ(line_of(finished.out, "exp"), "exp f32 f64 f16 bf16");
  EXPECT_HAS(finished.out, "\nNo device.\n  fake loaded: 2 devices\n");
  EXPECT_TRUE(finished.out.ends_with("\nHidden by PATCHBAY_VISIBLE_DEVICES=x: fake:0, fake:1.\n"))
      << finished.out;
}

TEST(Ops, OfADeviceThatIsNotThere) {
  const Finished finished = ops({"--device", "fake:9"}).exits(1);
  EXPECT_HAS(finished.err, "fake:9");
}

}  // namespace
}  // namespace patchbay::tests
