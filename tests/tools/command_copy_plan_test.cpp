// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

Finished plan(std::vector<std::string> words, const std::vector<std::string>& more = {}) {
  words.insert(words.begin(), {"copy-plan", "--plugin", fake_plugin()});
  return run_command(words, more);
}

TEST(CopyPlan, FromADeviceToTheHost) {
  const auto json = plan({"fake:0", "host", "64KiB", "--json"}).exits(0).json();
  EXPECT_EQ(json["route"], "device to host");
  EXPECT_EQ(json["reason"], "the host can address the destination");
  EXPECT_EQ(json["bytes"], 65536);
  ASSERT_EQ(json["legs"].size(), 1u);
  EXPECT_EQ(json["legs"][0]["from"], "fake:0");
  EXPECT_EQ(json["legs"][0]["to"], "host");
  EXPECT_TRUE(json["seconds"].is_null());
  EXPECT_TRUE(json.contains("chunks"));
  EXPECT_TRUE(json.contains("chunk_bytes"));
}

TEST(CopyPlan, BetweenTwoDevices) {
  const auto peer = plan({"fake:0", "fake:1", "1MiB", "--json"}).json();
  EXPECT_EQ(peer["route"], "peer");
  EXPECT_EQ(peer["reason"], "the source's device reaches the destination's");
  const auto staged = plan({"fake:0", "fake:1", "1GiB", "--json"}, {"PATCHBAY_FAKE_PEER=0"}).json();
  EXPECT_EQ(staged["route"], "staged");
  EXPECT_EQ(staged["reason"], "the source's device reaches no other");
  ASSERT_EQ(staged["legs"].size(), 2u);
  EXPECT_EQ(staged["legs"][0]["to"], staged["legs"][1]["from"]);
  EXPECT_GT(staged["chunks"], 1);
}

TEST(CopyPlan, WithinOneDevice) {
  const auto within = plan({"fake:0", "fake:0", "10", "--json"}).json();
  EXPECT_EQ(within["route"], "same device");
  EXPECT_EQ(within["reason"], "both ends are memory of one device");
  EXPECT_EQ(plan({"fake:0", "fake", "0", "--json"}).json()["route"], "none");
}

TEST(CopyPlan, TextSaysRouteAndLegs) {
  const Finished finished = plan({"host", "fake:1", "3MiB"}).exits(0);
  for (const char* words : {"host -> fake:1", "host to device", "3.0 MiB", "not measured",
                            "\nreason  the host can address the source\n"}) {
    EXPECT_HAS(finished.out, words) << words << finished.out;
  }
}

TEST(CopyPlan, AnUnknownPlaceIsToldTheHostsName) {
  const Finished finished = plan({"hots", "fake:1", "3MiB"}).exits(1);
  EXPECT_THAT(finished.err, testing::StartsWith("patchbay: [Device] no backend 'hots' "));
  EXPECT_THAT(finished.err, testing::EndsWith(" Host memory is 'host'.\n"));
}

TEST(CopyPlan, ACalibratedLinkHasATime) {
  const Finished finished = plan({"host", "fake:1", "3MiB", "--calibrate"}).exits(0);
  EXPECT_EQ(finished.out.find("not measured"), std::string::npos) << finished.out;
  const auto json = plan({"fake:0", "host", "64KiB", "--calibrate", "--json"}).json();
  EXPECT_GT(json["seconds"], 0);
}

TEST(CopyPlan, ASmallCopyTakesSomeTime) {
  const Finished finished = plan({"fake:0", "host", "1", "--calibrate"}).exits(0);
  EXPECT_THAT(finished.out, testing::ContainsRegex("\ntime    [0-9.]*[1-9][0-9.]* (us|ms|s)\n"));
}

TEST(CopyPlan, TheWayOutIsACommand) {
  const Finished text = plan({"host", "nosuch:0", "10"}).exits(1);
  EXPECT_HAS(text.err, " `patchbay plugins` says what was tried. ");
  const std::string json =
      plan({"host", "gpu:7", "10", "--json"}).json()["error"]["message"].get<std::string>();
  EXPECT_HAS(json, " `patchbay plugins` says what was tried");
  EXPECT_EQ(json.find("explain()"), std::string::npos) << json;
}

TEST(CopyPlan, AnUnknownDeviceIsOneLineAndStatus1) {
  const Finished text = plan({"fake:0", "fake:9", "10"}).exits(1);
  EXPECT_EQ(text.out, "");
  EXPECT_HAS(text.err, "fake:9");
  EXPECT_EQ(text.err.find('\n'), text.err.size() - 1) << text.err;
  EXPECT_EQ(plan({"fake:0", "nosuch:0", "10", "--json"}).exits(1).json()["error"]["code"],
            "unknown_device");
}

TEST(CopyPlan, ABadNameIsQuoted) {
  for (const char* name : {"fake:", "fake:01", "fake:256", "Fake:0", "fake:x", "fake:0:1", ":0"}) {
    const Finished finished = plan({"host", name, "10", "--json"}).exits(1);
    const auto error = finished.json()["error"];
    EXPECT_EQ(error["code"], "invalid_argument") << name;
    EXPECT_HAS(error["message"].get<std::string>(), name) << error;
  }
}

}  // namespace
}  // namespace patchbay::tests
