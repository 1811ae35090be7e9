// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// No plugin takes the command down.
#include "tools/process.h"

namespace patchbay::tests {
namespace {

namespace fs = std::filesystem;

/// A folder with the plugin that does what it is told, and the fake one.
class Probing : public testing::Test {
 protected:
  Probing() {
    fs::copy_file(test::built_path("tests/runtime/plugin/fixtures/patchbay-misdeeds.so"), file_);
    fs::copy_file(fake_plugin(), directory_.path() / "patchbay-fake.so");
  }
  Finished run(std::vector<std::string> words, const std::string& misdeed) const {
    return run_command(words, {"PATCHBAY_TEST_MISDEED=" + misdeed, "PATCHBAY_PROBE=0",
                               "PATCHBAY_CACHE_DIR=" + cache_.path().string(),
                               // Sanitizers would report a crash themselves.
                               "ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0",
                               "TSAN_OPTIONS=handle_segv=0:handle_abort=0"});
  }
  /// The entry of the plugin in a report.
  static nlohmann::json entry(const nlohmann::json& report, const std::string& name = "misdeeds") {
    for (const auto& plugin : report.at("plugins")) {
      if (plugin.at("name") == name) return plugin;
    }
    ADD_FAILURE() << "no plugin " << name << ": " << report;
    return {};
  }

  const TemporaryDirectory directory_, cache_;
  const fs::path file_ = directory_.path() / "patchbay-misdeeds.so";
};

TEST_F(Probing, AConstructorThatExitsIsAnEntryOfAFullReport) {
  const std::vector<std::vector<std::string>> ways = {
      {"--plugin-path", directory_.path()},
      {"--plugin", file_, "--plugin-path", directory_.path()}};
  for (std::vector<std::string> words : ways) {
    words.insert(words.begin(), {"plugins", "--json"});
    const auto report = run(words, "constructor _exit").exits(0).json();
    EXPECT_EQ(entry(report)["status"], "quarantined");
    EXPECT_EQ(entry(report)["reason"], "it ended the process with status 0 in its initialisation");
    EXPECT_FALSE(entry(report).contains("opening"));
    EXPECT_EQ(entry(report, "fake")["status"], "loaded");
    EXPECT_FALSE(report["searched"].empty());
  }
}

TEST_F(Probing, SaysWhereTheVerdictComesFrom) {
  const std::vector<std::string> words = {"plugins", "--json", "--plugin-path", directory_.path()};
  EXPECT_EQ(entry(run(words, "enumeration abort").json())["probe"], "new");
  EXPECT_EQ(entry(run(words, "enumeration abort").json())["probe"], "kept");
  std::vector<std::string> again = words;
  again.emplace_back("--reprobe");
  EXPECT_EQ(entry(run(again, "enumeration abort").json())["probe"], "new");
  const Finished text = run({"plugins", "--plugin-path", directory_.path()}, "enumeration abort");
  EXPECT_HAS(text.out, "misdeeds  quarantined\n  reason   it aborted (SIGABRT)");
  EXPECT_HAS(text.out, "  probe    judged by an earlier one; --reprobe probes again\n");
}

TEST_F(Probing, TellsWhatOpeningChanges) {
  const nlohmann::json report =
      run({"plugins", "--json", "--plugin-path", directory_.path()}, "open signal").json();
  EXPECT_EQ(entry(report)["status"], "loaded");
  EXPECT_EQ(entry(report)["changes"], nlohmann::json({"handler of SIGUSR2"}));
  EXPECT_EQ(entry(report, "fake")["changes"], nlohmann::json::array());
  const Finished text = run({"plugins", "--plugin-path", directory_.path()}, "open signal");
  EXPECT_HAS(text.out, "  changes  handler of SIGUSR2\n");
}

TEST_F(Probing, OtherCommandsGoOnWithoutThePlugin) {
  const auto report =
      run({"devices", "--json", "--plugin-path", directory_.path()}, "handshake abort")
          .exits(0)
          .json();
  EXPECT_EQ(report["devices"][0]["name"], "fake:0");
  ASSERT_EQ(report["failed_plugins"].size(), 1u) << report;
  EXPECT_EQ(report["failed_plugins"][0]["status"], "quarantined");
}

/// A tree without libexec/.
TEST_F(Probing, IsAnErrorIfItIsNotInstalled) {
  const fs::path bin = fs::path(PATCHBAY_COMMAND).parent_path();
  for (const char* folder : {"bin", "lib"}) fs::create_directory(cache_.path() / folder);
  fs::copy_file(PATCHBAY_COMMAND, cache_.path() / "bin/patchbay");
  for (const auto& entry : fs::directory_iterator(bin / PATCHBAY_LIB_FROM_BIN)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("libpatchbay")) fs::copy(entry.path(), cache_.path() / "lib" / name);
  }
  const std::string out = cache_.path() / "out";
  const std::string command =
      (cache_.path() / "bin/patchbay").string() + " devices >" + out + " 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  std::ostringstream text;
  text << std::ifstream(out).rdbuf();
  EXPECT_HAS(text.str(), "[Runtime] plugins can't be probed: expected the program '" +
                             (cache_.path() / "libexec/patchbay/patchbay-probe").string() +
                             "', but it is not installed.");
}

}  // namespace
}  // namespace patchbay::tests
