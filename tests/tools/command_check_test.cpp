// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

TEST(Check, AGoodPluginPasses) {
  const auto json = run_command({"check", fake_plugin(), "--chapter", "loading", "--chapter",
                                 "streams", "--json"})
                        .exits(0)
                        .json();
  EXPECT_EQ(json["failed"], 0);
  EXPECT_GT(json["passed"], 15);
  EXPECT_EQ(json["passed"].get<std::size_t>() + json["waived"].get<std::size_t>(),
            json["checks"].size());
  for (const auto& check : json["checks"]) {
    EXPECT_TRUE(check["chapter"] == "loading" || check["chapter"] == "streams") << check;
    EXPECT_TRUE(check["result"] == "passed" || check["result"] == "waived") << check;
    EXPECT_EQ(check["result"] == "passed", check["message"] == "") << check;
  }
}

TEST(Check, ABackendByItsName) {
  const Finished finished =
      run_command({"check", "fake", "--plugin", fake_plugin(), "--chapter", "loading"}).exits(0);
  EXPECT_HAS(finished.out, "Plugin fake (backend fake)");
}

TEST(Check, APluginWithoutDevicesIsNotExamined) {
  const Finished finished =
      run_command({"check", test::test_plugin_folder() + "/patchbay-sim-engine.so"},
                  {"PATCHBAY_SIM_ENGINE_RANK=0", "PATCHBAY_SIM_ENGINE_SIZE=1"})
          .exits(1);
  EXPECT_HAS(finished.err, "[check] plugin 'sim-engine' (");
  EXPECT_HAS(finished.err, ") carries bytes between processes, and has no device to examine.");
}

TEST(Check, AFaultIsFoundAndNamed) {
  const Finished finished = run_command({"check", fake_plugin(), "--chapter", "memory"},
                                        {"PATCHBAY_FAKE_FAIL_ALLOCATE=3"})
                                .exits(1);
  EXPECT_HAS(finished.out, "failed memory.");
}

/// PATCHBAY_TEST_ALL: all operators of a device without f64.
TEST(Check, WhatADeviceNeedNotHaveIsWaived) {
  std::vector<std::string> command = {"check", fake_plugin(), "--json"};
  const bool has_all = std::getenv("PATCHBAY_TEST_ALL") != nullptr;
  if (has_all) {
    command.insert(command.end(), {"--chapter", "kernels"});
  } else {
    for (const char* some : {"add", "cast", "exp", "gemm", "softmax", "sum"}) {
      const std::string name = std::string("kernels.") + some;
      command.insert(command.end(), {"--only", name, "--only", name + "_f64"});
    }
  }
  const auto json = run_command(command, {"PATCHBAY_FAKE_F64=0"}).exits(0).json();
  EXPECT_EQ(json["failed"], 0);
  EXPECT_GT(json["waived"], has_all ? 30 : 3);
  for (const auto& check : json["checks"]) {
    if (check["result"] == "waived") {
      EXPECT_NE(check["message"], "") << check;
    }
  }
}

TEST(Check, ABadPluginIsAnError) {
  const TemporaryDirectory directory;
  const std::string bad = directory.write("patchbay-bad.so", "no machine code\n");
  const Finished text = run_command({"check", bad}).exits(1);
  EXPECT_EQ(text.out, "");
  EXPECT_HAS(text.err, bad);
  EXPECT_EQ(run_command({"check", bad, "--json"}).json()["error"]["code"], "plugin_failed");
}

const std::string kFixtures = "tests/runtime/plugin/fixtures/";

/// What a file asks of the dynamic linker is told to its author.
TEST(Check, ARefusedPluginSaysWhy) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "patchbay-exec-stack.so";
  std::filesystem::copy_file(test::built_path(kFixtures + "patchbay-exec-stack.so"), file);
  const Finished finished = run_command({"check", file.string()}).exits(1);
  EXPECT_EQ(finished.out, "");
  EXPECT_HAS(finished.err, "plugin '" + file.string() +
                               "' refused: it asks for an executable stack (link it with -z "
                               "noexecstack).");
}

/// A directory with the hostile plugin and the good one.
class BesideABadOne : public testing::Test {
 protected:
  BesideABadOne() {
    for (const char* name : {"patchbay-hostile.so", "patchbay-plain-c.so"}) {
      std::filesystem::copy_file(test::built_path(kFixtures + name), directory_.path() / name);
    }
  }
  Finished run(std::vector<std::string> arguments, const std::string& value) const {
    arguments.insert(arguments.end(), {"--plugin-path", directory_.path().string()});
    return run_command(arguments, {"HOSTILE_VALUE=" + value});
  }
  const TemporaryDirectory directory_;
};

TEST_F(BesideABadOne, AGoodPluginPasses) {
  const std::string good = (directory_.path() / "patchbay-plain-c.so").string();
  const Finished finished = run({"check", good, "--chapter", "loading"}, "exit").exits(0);
}

TEST_F(BesideABadOne, WhatADriverPrintsIsNotInTheReport) {
  const Finished finished = run({"devices", "--json"}, "print");
  EXPECT_FALSE(nlohmann::json::parse(finished.out)["devices"].empty());
  EXPECT_HAS(finished.err, "a driver's greeting\n");
}

/// The lines of the examining process must not go where a closed descriptor was.
TEST(Check, ClosedStandardDescriptors) {
  const TemporaryDirectory directory;
  const auto run = [&](const char* closed) {
    const std::string err = (directory.path() / "err").string(), out = err + ".out";
    const std::string command = PATCHBAY_COMMAND " check " + fake_plugin() +
                                " --chapter loading 2>'" + err + "' >'" + out + "' " + closed;
    const int status = std::system(command.c_str());
    std::stringstream text;
    text << WEXITSTATUS(status) << ": " << std::ifstream(err).rdbuf();
    return text.str();
  };
  EXPECT_EQ(run("<&-"), "0: ");
  EXPECT_EQ(run("<&- >&-"), "1: patchbay: standard output: Bad file descriptor\n");
  EXPECT_EQ(run("<&- 2>&-"), "0: ");
  EXPECT_EQ(run("<&- >&- 2>&-"), "1: ");
}

TEST(Check, ALogGetsALineForEachChapterAndForEach25Checks) {
  const std::vector<std::string> chosen = {"--chapter", "loading", "--chapter", "memory"};
  std::vector<std::string> list = {"check", "--list"}, check = {"check", fake_plugin()};
  list.insert(list.end(), chosen.begin(), chosen.end());
  check.insert(check.end(), chosen.begin(), chosen.end());
  std::vector<std::string> ids;
  std::istringstream lines(run_command(list).out);
  for (std::string id; std::getline(lines, id);) ids.push_back(id);
  ASSERT_GT(ids.size(), 30u);

  std::string expected, chapter;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string its_chapter = ids[i].substr(0, ids[i].find('.'));
    if (its_chapter != chapter || i % 25 == 0) {
      expected += "patchbay: check " + std::to_string(i + 1) + "/" + std::to_string(ids.size()) +
                  " " + ids[i] + "\n";
    }
    chapter = its_chapter;
  }
  const Finished finished = run_command(check).exits(0);
  EXPECT_EQ(finished.err, expected);
  EXPECT_EQ(finished.out.find("patchbay: check"), std::string::npos) << finished.out;
}

TEST(Check, AMissingFileIsAnError) {
  EXPECT_EQ(run_command({"check", "./patchbay-none.so", "--json"}).exits(1).json()["error"]["code"],
            "plugin_failed");
}

TEST(Check, AnUnknownBackendIsAnError) {
  const Finished finished = run_command({"check", "nosuch", "--json"}).exits(1);
  const auto error = finished.json()["error"];
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_HAS(error["message"].get<std::string>(), "nosuch") << error;
}

TEST(Check, ADeviceIsNoBackend) {
  const Finished finished = run_command({"check", "fake:1", "--plugin", fake_plugin()}).exits(1);
  EXPECT_HAS(finished.err, "[check] 'fake:1' is neither a plugin nor a backend: expected one of [");
  EXPECT_HAS(finished.err, " Name 'fake', without the device's number.\n");
}

TEST(Check, APluginWithoutADeviceIsAnError) {
  EXPECT_EQ(run_command({"check", fake_plugin(), "--json"}, {"PATCHBAY_FAKE_DEVICES=0"})
                .exits(1)
                .json()["error"]["code"],
            "unsupported");
}

TEST(Check, OnlyChecksThatMatch) {
  const Finished finished = run_command({"check", fake_plugin(), "--only", "streams.deadlines",
                                         "--only", "memory.zero_bytes", "--json"})
                                .exits(0);
  const auto checks = finished.json()["checks"];
  EXPECT_EQ(checks.size(), 2u);
  for (const auto& check : checks) {
    EXPECT_TRUE(check["name"] == "deadlines" || check["chapter"] == "memory") << check;
  }
  const Finished none = run_command({"check", "cpu", "--only", "streams.of_water"}).exits(2);
  EXPECT_HAS(none.err, "no check matches 'streams.of_water'");
  const Finished neither =
      run_command({"check", "cpu", "--chapter", "memory", "--only", "streams.deadlines"}).exits(2);
  EXPECT_HAS(neither.err, "no check of the chapters matches");
}

TEST(Check, ListNeedsNoPlugin) {
  const Finished text = run_command({"check", "--list", "--chapter", "copies"}).exits(0);
  EXPECT_HAS(text.out, "copies.many_chunks\n");
  EXPECT_EQ(text.out.find("memory."), std::string::npos) << text.out;
  const auto json = run_command({"check", "--list", "--json"}).json();
  EXPECT_GT(json["checks"].size(), 100u);
}

}  // namespace
}  // namespace patchbay::tests
