// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

namespace patchbay::tests {
namespace {

TEST(Plugins, JsonHasTheKeys) {
  const auto json = run_command({"plugins", "--json", "--plugin", fake_plugin()}).exits(0).json();
  ASSERT_FALSE(json["plugins"].empty());
  const auto& first = json["plugins"][0];  // files named by the user come first
  EXPECT_EQ(first["path"], fake_plugin());
  EXPECT_EQ(first["name"], "fake");
  EXPECT_EQ(first["backend"], "fake");
  EXPECT_EQ(first["status"], "loaded");
  EXPECT_NE(first["reason"], "");
  EXPECT_EQ(first["devices"], nlohmann::json({"fake:0", "fake:1"}));
  EXPECT_FALSE(json["searched"].empty());
}

TEST(Plugins, ABadFileInADirectoryIsListedWithItsReason) {
  const TemporaryDirectory directory;
  const std::string bad = directory.write("patchbay-bad.so", "no machine code\n");
  const std::vector<std::string> words = {"plugins", "--plugin-path", directory.path()};
  const Finished text = run_command(words).exits(0);
  EXPECT_HAS(text.out, "refused");
  EXPECT_HAS(text.out, directory.path().string());

  const auto json = run_command({"--json", words[0], words[1], words[2]}).json();
  ASSERT_FALSE(json["plugins"].empty());
  EXPECT_EQ(json["plugins"][0]["path"], bad);
  EXPECT_EQ(json["plugins"][0]["status"], "refused");
  EXPECT_NE(json["plugins"][0]["reason"], "");
  EXPECT_EQ(json["searched"][0], directory.path().string());
}

TEST(Plugins, NamesOfFilesAreEscaped) {
  const TemporaryDirectory directory;
  directory.write("patchbay-red\x1b[31m.so", "no machine code\n");
  for (const char* option : {"--json", "--explain"}) {
    const Finished text =
        run_command({"plugins", option, "--plugin-path", directory.path()}).exits(0);
    EXPECT_EQ(text.out.find('\x1b'), std::string::npos) << text.out;
  }
  const Finished text = run_command({"plugins", "--plugin-path", directory.path()});
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos) << text.out;
  EXPECT_HAS(text.out, "patchbay-red\\x1b[31m.so");
}

TEST(Plugins, ExplainTellsWhereItLooked) {
  const Finished text = run_command({"plugins", "--explain", "--plugin", fake_plugin()}).exits(0);
  EXPECT_HAS(text.out, "fake");
  const auto json = run_command({"plugins", "--explain", "--json"}).json();
  EXPECT_TRUE(json["explanation"].is_string());
}

TEST(Plugins, SaysWhatOpeningChangedInTheProcess) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "patchbay-fake.so";
  std::filesystem::copy_file(fake_plugin(), file);
  const std::vector<std::string> words = {"plugins", "--plugin-path", directory.path()};
  const Finished text = run_command(words);
  EXPECT_HAS(text.out, "fake  loaded");
  EXPECT_HAS(text.out, "  opening  ");
  const auto json = run_command({"--json", words[0], words[1], words[2]}).json();
  const auto& opening = json["plugins"][0]["opening"];
  EXPECT_GT(opening["milliseconds"], 0.0);
  EXPECT_EQ(opening["signal_handlers"], nlohmann::json::array());
  EXPECT_NE(std::find(opening["libraries"].begin(), opening["libraries"].end(), file),
            opening["libraries"].end())
      << opening;
}

TEST(Plugins, SaysWhatOpeningChangedForOpenedFilesOnly) {
  const TemporaryDirectory directory;
  const auto copy = [&](const char* name) {
    const std::string file = std::string("patchbay-") + name + ".so";
    std::filesystem::copy_file(test::built_path("tests/runtime/plugin/fixtures/" + file),
                               directory.path() / file);
  };
  for (const char* name : {"driverless", "nothing", "plain-c"}) copy(name);  // of one backend
  const auto json = run_command({"plugins", "--json", "--plugin-path", directory.path()}).json();
  const auto has_library = [&json](int i) {
    const auto& plugin = json["plugins"][i];
    const auto& libraries = plugin["opening"]["libraries"];
    return std::find(libraries.begin(), libraries.end(), plugin["path"]) != libraries.end();
  };
  EXPECT_EQ(json["plugins"][0]["status"], "no-driver");
  EXPECT_TRUE(json["plugins"][0].contains("opening"));
  EXPECT_EQ(json["plugins"][1]["status"], "loaded");
  EXPECT_TRUE(has_library(1)) << json;
  EXPECT_EQ(json["plugins"][2]["status"], "shadowed");
  EXPECT_FALSE(json["plugins"][2].contains("opening")) << json;
  const std::string named = directory.path() / "patchbay-plain-c.so";
  const auto other =
      run_command({"plugins", "--json", "--plugin", named, "--plugin-path", directory.path()})
          .json();
  EXPECT_EQ(other["plugins"][0]["path"], named);
  EXPECT_TRUE(other["plugins"][0].contains("opening"));
  for (const int i : {1, 2}) {
    EXPECT_EQ(other["plugins"][i]["status"], "shadowed");
    EXPECT_FALSE(other["plugins"][i].contains("opening")) << other;
  }
}

TEST(Plugins, SaysWhatOpeningOfNamedFilesChanged) {
  const std::string null =
      test::built_path("tests/runtime/plugin/fixtures/patchbay-null-device.so");
  const auto json =
      run_command({"plugins", "--json", "--plugin", null, "--plugin", fake_plugin()}).json();
  for (const std::string& file : {null, fake_plugin()}) {
    bool is_listed = false;
    for (const auto& plugin : json["plugins"]) {
      if (plugin["path"] != file) continue;
      is_listed = true;
      const auto& libraries = plugin["opening"]["libraries"];
      EXPECT_NE(std::find(libraries.begin(), libraries.end(), file), libraries.end()) << plugin;
      EXPECT_GT(plugin["opening"]["milliseconds"], 0.0);
    }
    EXPECT_TRUE(is_listed) << json;
  }
}

TEST(Plugins, AMissingFileIsAnError) {
  const Finished text = run_command({"plugins", "--plugin", "/nowhere/patchbay-none.so"}).exits(1);
  EXPECT_EQ(text.out, "");
  EXPECT_HAS(text.err, "/nowhere/patchbay-none.so");
  EXPECT_EQ(text.err.find('\n'), text.err.size() - 1) << text.err;
  EXPECT_EQ(run_command({"plugins", "--json", "--plugin", "/nowhere/patchbay-none.so"})
                .exits(1)
                .json()["error"]["code"],
            "plugin_failed");
}

TEST(Plugins, NoDriverIsAStatusAndNoError) {
  const Finished finished = run_command({"plugins", "--json", "--plugin", fake_plugin()},
                                        {"PATCHBAY_FAKE_OPEN=no-driver"})
                                .exits(0);
  EXPECT_EQ(finished.json()["plugins"][0]["status"], "no-driver");
}

}  // namespace
}  // namespace patchbay::tests
