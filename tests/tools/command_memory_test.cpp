// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

Finished memory(std::vector<std::string> words, const std::vector<std::string>& more = {}) {
  words.insert(words.begin(), {"memory", "--plugin", fake_plugin()});
  return run_command(words, more);
}

/// Writes a file, replays it on fake:0.
Finished replay(const std::string& text) {
  const TemporaryDirectory folder;
  return memory({"--replay", folder.write("steps.txt", text), "--device", "fake:0", "--json"});
}

TEST(Memory, OfEachDeviceAndKind) {
  const Finished finished = memory({"--json"}, {"PATCHBAY_FAKE_MEMORY_BYTES=1000000"});
  EXPECT_EQ(finished.exit_status, 0);
  int seen = 0;
  const auto json = finished.json();
  for (const auto& entry : json["memory"]) {
    if (entry["device"] != "fake:1") continue;
    ++seen;
    EXPECT_EQ(entry["live_bytes"], 0);
    EXPECT_EQ(entry["limit_bytes"], 0);
    if (entry["kind"] == "device") {
      EXPECT_EQ(entry["total_bytes"], 1000000);
    }
  }
  EXPECT_EQ(seen, 2);
}

TEST(Memory, OfOneDeviceAsATable) {
  const Finished finished = memory({"--device", "fake:1"});
  EXPECT_EQ(finished.exit_status, 0);
  EXPECT_NE(finished.out.find("DEVICE"), std::string::npos) << finished.out;
  EXPECT_NE(finished.out.find("fake:1  pinned"), std::string::npos) << finished.out;
  EXPECT_EQ(finished.out.find("fake:0"), std::string::npos) << finished.out;
}

TEST(Memory, Replayed) {
  const auto json = replay("a x 1000 weights\na y 500\n# nothing\nf x\na x 200\nf y\n").json();
  EXPECT_EQ(json["device"], "fake:0");
  EXPECT_EQ(json["num_allocations"], 3);
  EXPECT_EQ(json["num_driver_allocations"], 1);
  EXPECT_EQ(json["peak_bytes"], 1500);
}

TEST(Memory, ReplaysOnlyWhatItUnderstands) {
  const auto refuses = [](const std::string& text, const std::string& message) {
    const Finished finished = replay(text);
    EXPECT_EQ(finished.exit_status, 1) << text;
    EXPECT_NE(finished.out.find(message), std::string::npos) << finished.out << finished.err;
  };
  refuses("a x 1\nf y\n",
          ":2: 'f y': expected `a ID BYTES [TAG]` for a new ID or `f ID` for a live");
  refuses("a x 1\na x 2\n", ":2: 'a x 2': expected");
  refuses("a x\n", ":1: 'a x': expected");
  refuses("b x 1\n", ":1: 'b x 1': expected");
  const Finished absent = memory({"--replay", "/no/such/file"});
  EXPECT_EQ(absent.exit_status, 1);
  EXPECT_NE(absent.err.find("[memory] can't read '/no/such/file'"), std::string::npos)
      << absent.err;
}

}  // namespace
}  // namespace patchbay::tests
