// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <gmock/gmock.h>

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
  const Finished finished = memory({"--json"}, {"PATCHBAY_FAKE_MEMORY_BYTES=1000000"}).exits(0);
  int seen = 0;
  const auto json = finished.json();
  for (const auto& entry : json["memory"]) {
    if (entry["device"] != "fake:1") continue;
    ++seen;
    EXPECT_EQ(entry["live_bytes"], 0);
    EXPECT_EQ(entry["limit_bytes"], 0);
    for (const char* field :
         {"live_blocks", "peak_bytes", "reserved_bytes", "peak_reserved_bytes",
          "largest_free_block_bytes", "num_driver_allocations", "by_tag", "free_bytes"}) {
      EXPECT_TRUE(entry.contains(field)) << field;
    }
    if (entry["kind"] == "device") {
      EXPECT_EQ(entry["total_bytes"], 1000000);
    }
  }
  EXPECT_EQ(seen, 3);
}

TEST(Memory, OfOneDeviceAsATable) {
  const Finished finished = memory({"--device", "fake:1"}).exits(0);
  EXPECT_THAT(finished.out,
              testing::ContainsRegex("^DEVICE +KIND +TOTAL +FREE +LIVE +RESERVED +LIMIT\n"));
  EXPECT_HAS(finished.out, "fake:1  pinned");
  EXPECT_EQ(finished.out.find("fake:0"), std::string::npos) << finished.out;
}

TEST(Memory, SaysWhyThereIsNoDevice) {
  const Finished finished =
      memory({}, {"PATCHBAY_PLUGINS=fake", "PATCHBAY_VISIBLE_DEVICES=x"}).exits(0);
  EXPECT_TRUE(finished.out.starts_with("No device.\n  fake loaded: 2 devices\n")) << finished.out;
  EXPECT_TRUE(finished.out.ends_with("\nHidden by PATCHBAY_VISIBLE_DEVICES=x: fake:0, fake:1.\n"))
      << finished.out;
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
    const Finished finished = replay(text).exits(1);
    EXPECT_HAS(finished.out, message) << finished.out << finished.err;
  };
  refuses("a x 1\nf y\n",
          ":2: 'f y': expected `a ID BYTES [TAG]` for a new ID or `f ID` for a live");
  refuses("a x 1\na x 2\n", ":2: 'a x 2': expected");
  refuses("a x\n", ":1: 'a x': expected");
  refuses("b x 1\n", ":1: 'b x 1': expected");
  refuses("a x 10 tag\na y 10 tag extra stuff\n",
          ":2: 'a y 10 tag extra stuff': expected `a ID BYTES [TAG]`");
  refuses("a x 10\nf x y\n", ":2: 'f x y': expected `a ID BYTES [TAG]`");
  for (const char* bytes : {"-5", "+5", "5x", "0x10", "1e3", "18446744073709551616"}) {
    refuses(std::string("a x ") + bytes + "\n", std::string(":1: 'a x ") + bytes + "': expected");
  }
}

/// The complaint about a file, whose path is left out.
std::string refusal(const std::string& path) {
  const Finished finished = memory({"--replay", path}).exits(1);
  EXPECT_EQ(finished.out, "") << path;
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  std::string message = finished.err;
  if (const std::size_t at = message.find(path); at != std::string::npos) {
    message.replace(at, path.size(), "PATH");
  }
  return message;
}

TEST(Memory, ReplaysNothingButFilesOfLines) {
  const std::string start =
      "patchbay: [memory] can't read 'PATH': expected lines `a ID BYTES [TAG]` and `f ID`, got ";
  EXPECT_EQ(refusal("/no/such/file"), start + "no such file.\n");
  EXPECT_EQ(refusal("/dev/zero"), start + "a device file.\n");
  const TemporaryDirectory folder;
  EXPECT_EQ(refusal(folder.path()), start + "a directory.\n");

  const std::string end = ": expected `a ID BYTES [TAG]` for a new ID or `f ID` for a live one.\n";
  EXPECT_EQ(refusal(folder.write("binary", "\x7f" + std::string("ELF\x02\0\x01", 6))),
            "patchbay: [memory] PATH:1: '\\x7fELF\\x02\\x00\\x01'" + end);
  std::string zeros;
  for (int i = 0; i < 60; ++i) zeros += "\\x00";
  EXPECT_EQ(
      refusal(folder.write("zeros", std::string(1 << 20, '\0'))),
      "patchbay: [memory] PATH:1: a line of more than 1000 characters, '" + zeros + "...'" + end);
  EXPECT_EQ(refusal(folder.write("long", "a x 1\n" + std::string(1001, 'y'))),
            "patchbay: [memory] PATH:2: a line of more than 1000 characters, '" +
                std::string(60, 'y') + "...'" + end);
  EXPECT_EQ(refusal(folder.write("longest", std::string(1000, 'y'))),
            "patchbay: [memory] PATH:1: '" + std::string(60, 'y') + "...'" + end);
}

TEST(Memory, ReplaysNoMoreThanALimit) {
  const TemporaryDirectory folder;
  const std::string expected =
      "patchbay: [memory] can't read 'PATH': expected lines `a ID BYTES [TAG]` and `f ID`, got "
      "more "
      "than 64.0 MiB.\n";
  const std::string file = folder.write("huge", "");
  std::filesystem::resize_file(file, (64 << 20) + 1);  // sparse
  EXPECT_EQ(refusal(file), expected);

  // `yes` writes comments until nobody reads them.
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([command = "yes '" + std::string(990, '#') + "' > '" + pipe + "' 2>&-"] {
    EXPECT_NE(std::system(command.c_str()), 0);
  });
  EXPECT_EQ(refusal(pipe), expected);
  writer.join();
}

TEST(Memory, ReplaysAPipe) {
  const TemporaryDirectory folder;
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([pipe] { std::ofstream(pipe) << "a x 1000\na y 500"; });
  const Finished finished = memory({"--replay", pipe, "--device", "fake:0", "--json"});
  writer.join();
  EXPECT_EQ(finished.json()["num_allocations"], 2);
}

/// Replays on a device that writes outside its buffers.
Finished replay_scribbling(const std::string& text, const std::vector<std::string>& words,
                           const std::vector<std::string>& more) {
  const TemporaryDirectory folder;
  std::vector<std::string> all = {
      "memory",       "--plugin", PATCHBAY_SCRIBBLING_PLUGIN,     "--device",
      "scribbling:0", "--replay", folder.write("steps.txt", text)};
  all.insert(all.end(), words.begin(), words.end());
  return run_command(all, more);
}

TEST(Memory, TellsWhatValidationFinds) {
  const std::string finding =
      "the memory around a buffer was written by nothing that was launched: expected no use "
      "outside its 500 bytes, got 1 changed byte, up to 1 bytes before its begin (scribbling:0; ";
  const std::vector<std::string> validated = {"PATCHBAY_VALIDATE=1"};
  const Finished text = replay_scribbling("a x 1000\na y 500\n", {}, validated).exits(1);
  EXPECT_EQ(text.out.rfind("scribbling:0: 2 allocations", 0), 0u) << text.out;
  EXPECT_EQ(text.err.rfind("patchbay: [", 0), 0u) << text.err;
  EXPECT_HAS(text.err, finding);
  EXPECT_EQ(text.err.find('\n'), text.err.size() - 1) << text.err;

  const auto json = replay_scribbling("a x 1000\na y 500\n", {"--json"}, validated).exits(1).json();
  EXPECT_EQ(json["num_allocations"], 2);
  ASSERT_EQ(json["errors"].size(), 1u) << json;
  EXPECT_HAS(json["errors"][0].get<std::string>(), finding) << json;

  EXPECT_EQ(replay_scribbling("a x 1000\nf x\n", {}, validated).err, "");
  EXPECT_EQ(replay_scribbling("a x 1000\na y 500\n", {}, {}).exit_status, 0);
}

}  // namespace
}  // namespace patchbay::tests
