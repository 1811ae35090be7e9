// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What every command does: help, versions, wrong command lines, output that can't be written.
#include <patchbay/version.h>

#include "tools/process.h"

namespace patchbay::tests {
namespace {

using Words = std::vector<std::string>;

const std::vector<Words>& wrong_command_lines() {
  static const std::vector<Words> all = {
      {},
      {"frobnicate"},
      {"devices", "extra"},
      {"devices", "--nonsense"},
      {"copy-plan", "cpu:0"},
      {"copy-plan", "cpu:0", "host", "many"},
      {"copy-plan", "cpu:0", "host", "12kB"},
      {"copy-plan", "cpu:0", "host", "-1"},
      {"copy-plan", "cpu:0", "host", "99999999999GiB"},
      {"check"},
      {"check", "cpu", "--chapter", "weather"},
      {"check", "cpu", "--waive", "kernels.gemm"},
      {"check", "cpu", "--waive", "kernels.no_such*=none"},
      {"devices", "--plugin-path", "/no/such/directory"},
      {"devices", "--plugin"},
      {"devices", "version"},
  };
  return all;
}

std::string join(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

TEST(Usage, AWrongCommandLineIsOneLineAndStatus2) {
  for (const Words& words : wrong_command_lines()) {
    const Finished finished = run_command(words).exits(2);
    EXPECT_EQ(finished.out, "") << join(words);
    EXPECT_EQ(finished.err.rfind("patchbay: ", 0), 0u) << join(words) << finished.err;
    EXPECT_EQ(finished.err.find('\n'), finished.err.size() - 1) << join(words) << finished.err;
  }
}

TEST(Usage, Version) {
  EXPECT_HAS(run_command({"version"}).exits(0).out, std::string(version()));
  const Finished finished = run_command({"--version"}).exits(0);
  EXPECT_EQ(finished.out, "patchbay " + std::string(version()) + "\n");
}

TEST(Usage, VersionAsJson) {
  const auto expected = run_command({"version", "--json"}).json();
  EXPECT_EQ(expected["version"], std::string(version()));
  EXPECT_EQ(expected["abi"], std::string(plugin_abi_version()));
  for (const Words& words : {Words{"--version", "--json"}, Words{"--json", "--version"},
                             Words{"--version", "--json=true"}, Words{"--json", "version"}}) {
    const Finished finished = run_command(words).exits(0);
    EXPECT_EQ(finished.json(), expected) << join(words);
  }
}

TEST(Usage, AWrongCommandLineIsOneJsonObject) {
  for (const char* const flag : {"--json", "--json=true"}) {
    for (Words words : wrong_command_lines()) {
      words.insert(words.begin(), flag);
      const auto json = run_command(words).exits(2).json();
      EXPECT_EQ(json["error"]["code"], "usage") << join(words);
      EXPECT_NE(json["error"]["message"], "") << join(words);
    }
  }
  EXPECT_EQ(run_command({"--json", "devices", "--json=false", "--nope"}).err,
            "patchbay: unknown option '--nope'; `patchbay devices --help` lists them\n");
  EXPECT_EQ(run_command({"--json=perhaps", "devices"}).err,
            "patchbay: Could not convert: --json = perhaps\n");
}

TEST(Usage, ADirectoryThatIsGoneIsAnError) {
  const std::filesystem::path before = std::filesystem::current_path();
  {
    const TemporaryDirectory gone;
    std::filesystem::current_path(gone.path());
  }
  const auto refused = run_command({"devices", "--json", "--plugin", "x.so"}).json();
  const auto unchecked = run_command({"check", "x.so", "--json"}).json();
  std::filesystem::current_path(before);
  for (const auto& json : {refused, unchecked}) {
    EXPECT_EQ(json["error"]["code"], "io");
    EXPECT_EQ(json["error"]["message"],
              "[patchbay] can't find 'x.so' from the current directory: No such file or directory");
  }
}

TEST(Usage, TheComplaintNamesTheCulprit) {
  EXPECT_HAS(run_command({"frobnicate"}).err, "frobnicate");
  EXPECT_HAS(run_command({"copy-plan", "cpu:0", "host", "12kB"}).err, "12kB");
  EXPECT_HAS(run_command({"copy-plan", "cpu:0"}).err, "DST");
  EXPECT_HAS(run_command({"check", "cpu", "--chapter", "weather"}).err, "weather");
  EXPECT_EQ(run_command({"check", "cpu", "--waive", "kernels.no_such*=none"}).err,
            "patchbay: --waive: no check matches 'kernels.no_such*'; `patchbay check --list` lists "
            "them\n");
  EXPECT_EQ(run_command({"devices", "--plugin-path", "/no/such/directory"}).err,
            "patchbay: --plugin-path: no directory '/no/such/directory'\n");
}

std::string complaint(const Words& words) {
  const Finished finished = run_command(words).exits(2);
  EXPECT_EQ(finished.out, "") << join(words);
  return finished.err;
}

TEST(Usage, AnEmptyValueIsAnError) {
  const auto expect = [](const Words& words, const std::string& message) {
    EXPECT_EQ(complaint(words), "patchbay: " + message + "\n") << join(words);
  };
  for (const Words& command : {Words{"ops"}, Words{"memory"}, Words{"memory", "--replay", "x"},
                               Words{"bench", "copy"}, Words{"bench", "ops"}}) {
    Words words = command;
    words.insert(words.end(), {"--device", ""});
    expect(words, "--device: the name is empty");
  }
  expect({"memory", "--replay", ""}, "--replay: the path is empty");
  expect({"bench", "copy", "--plot", ""}, "--plot: the path is empty");
  expect({"bench", "ops", "--plot", ""}, "--plot: the path is empty");
  expect({"devices", "--plugin", ""}, "--plugin: the path is empty");
  expect({"--plugin", "", "devices"}, "--plugin: the path is empty");
  expect({"devices", "--plugin-path", ""}, "--plugin-path: the path is empty");
  expect({"copy-plan", "", "host", "5"}, "SRC: the name is empty");
  expect({"copy-plan", "host", "", "5"}, "DST: the name is empty");
  expect({"check", ""}, "PLUGIN_OR_BACKEND: the name is empty");
}

TEST(Usage, AnOptionBeforeItsCommandIsToldItsPlace) {
  EXPECT_EQ(complaint({"--device", "cpu:0", "memory"}),
            "patchbay: '--device' belongs after 'memory'; `patchbay memory --help` says more\n");
  EXPECT_EQ(complaint({"--device=cpu:0", "bench", "copy"}),
            "patchbay: '--device' belongs after 'copy'; `patchbay bench copy --help` says more\n");
  EXPECT_EQ(complaint({"bench", "--quick", "ops"}),
            "patchbay: '--quick' belongs after 'ops'; `patchbay bench ops --help` says more\n");
  EXPECT_EQ(
      complaint({"--calibrate", "copy-plan", "cpu:0", "host", "4"}),
      "patchbay: '--calibrate' belongs after 'copy-plan'; `patchbay copy-plan --help` says more\n");
}

TEST(Usage, AnUnknownWordIsComparedWithTheCommandsOfItsPlace) {
  EXPECT_EQ(complaint({"frob", "memory"}),
            "patchbay: unknown command 'frob'; `patchbay --help` lists them\n");
  EXPECT_EQ(complaint({"bench", "opps", "copy"}),
            "patchbay: unknown command 'opps', the nearest is 'ops'; `patchbay bench --help` lists "
            "them\n");
}

TEST(Usage, AMisspeltWordIsToldTheNearest) {
  EXPECT_EQ(complaint({"devcies"}),
            "patchbay: unknown command 'devcies', the nearest is 'devices'; `patchbay --help` "
            "lists them\n");
  EXPECT_EQ(complaint({"bench", "cpoy"}),
            "patchbay: unknown command 'cpoy', the nearest is 'copy'; `patchbay bench --help` "
            "lists them\n");
  EXPECT_EQ(complaint({"devices", "--memroy"}),
            "patchbay: unknown option '--memroy', the nearest is '--memory'; `patchbay devices "
            "--help` lists them\n");
  EXPECT_EQ(complaint({"bench", "ops", "--quik"}),
            "patchbay: unknown option '--quik', the nearest is '--quick'; `patchbay bench ops "
            "--help` lists them\n");
  EXPECT_EQ(complaint({"--plugin-pth=/tmp", "devices"}),
            "patchbay: unknown option '--plugin-pth', the nearest is '--plugin-path'; `patchbay "
            "devices --help` lists them\n");
  // Nothing is suggested if nothing is similar.
  EXPECT_EQ(complaint({"xyzzyx"}),
            "patchbay: unknown command 'xyzzyx'; `patchbay --help` lists them\n");
}

TEST(Usage, HelpNamesTheCommands) {
  const Finished finished = run_command({"--help"}).exits(0);
  for (const char* command : {"devices", "plugins", "copy-plan", "check", "version"}) {
    EXPECT_HAS(finished.out, command) << command;
    EXPECT_EQ(run_command({command, "--help"}).exit_status, 0) << command;
  }
}

TEST(Usage, AFullDiskIsAnError) {
  for (const Words& words :
       {Words{"version"}, Words{"--version"}, Words{"--help"}, Words{"bench", "copy", "--help"}}) {
    const Finished finished = run_command(words, {}, "/dev/full").exits(1);
    EXPECT_EQ(finished.err.rfind("patchbay: standard output: ", 0), 0u) << finished.err;
  }
}

}  // namespace
}  // namespace patchbay::tests
