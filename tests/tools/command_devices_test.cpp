// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

namespace patchbay::tests {
namespace {

nlohmann::json device_named(const nlohmann::json& report, const std::string& name) {
  for (const auto& device : report["devices"]) {
    if (device["name"] == name) return device;
  }
  ADD_FAILURE() << "no device " << name << " in " << report;
  return nlohmann::json::object();
}

TEST(Devices, JsonHasTheKeys) {
  const auto json = run_command({"devices", "--json", "--plugin", fake_plugin()}).exits(0).json();
  for (const auto& device : json["devices"]) {
    EXPECT_GT(device["memory_total_bytes"].get<std::uint64_t>(), 0u);
    EXPECT_TRUE(device["kind"] == "cpu" || device["kind"] == "accelerator") << device;
    for (const char* key :
         {"description", "vendor", "driver_version", "uuid", "pci_address", "compute_units",
          "capabilities", "architecture", "l2_cache_bytes", "shared_memory_bytes", "clock_khz",
          "memory_clock_khz", "numa_node", "same_hardware"}) {
      EXPECT_TRUE(device.contains(key)) << key;
    }
  }
  const auto fake = device_named(json, "fake:0");
  EXPECT_EQ(fake["plugin"], "fake");
  EXPECT_EQ(fake["kind"], "accelerator");
  EXPECT_FALSE(fake.contains("memory_free_bytes"));
}

TEST(Devices, FreeMemoryOnlyWhenAsked) {
  const auto json =
      run_command({"devices", "--memory", "--json", "--plugin", fake_plugin()}).json();
  const auto fake = device_named(json, "fake:1");
  EXPECT_LE(fake["memory_free_bytes"].get<std::uint64_t>(),
            fake["memory_total_bytes"].get<std::uint64_t>());
}

TEST(Devices, TextIsATableOf100Columns) {
  const Finished finished = run_command({"devices", "--plugin", fake_plugin()}).exits(0);
  EXPECT_EQ(finished.out.rfind("NAME", 0), 0u) << finished.out;
  EXPECT_HAS(finished.out, "fake:0");
  std::istringstream lines(finished.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

/// The text with its words one after the other: the table breaks lines between any two words,
/// depending on the length of the processor's name.
std::string without_spaces(std::string text) {
  std::erase_if(text, [](char each) { return each == ' ' || each == '\n'; });
  return text;
}

TEST(Devices, TextSaysWhatMultipliesOnTheCpu) {
  const auto devices = [](const char* products) {
    return without_spaces(
        run_command({"devices"}, {"PATCHBAY_PLUGINS=cpu-openblas", products,
                                  "PATCHBAY_OPENBLAS_PATH=/nowhere/libopenblas.so.0",
                                  "PATCHBAY_LAPACK_PATH=/nowhere/liblapack.so.3"})
            .out);
  };
  const std::string own = devices("PATCHBAY_CPU_PRODUCTS=own");
  EXPECT_HAS(own, ",noLAPACK,ownproducts)");
  const std::string absent = devices("PATCHBAY_CPU_PRODUCTS=openblas");
  EXPECT_HAS(absent, "(noOpenBLAS))");
}

TEST(Devices, NoDeviceIsNoError) {
  const std::vector<std::string> none = {"PATCHBAY_PLUGINS=fake", "PATCHBAY_FAKE_DEVICES=0"};
  const Finished finished = run_command({"devices", "--plugin", fake_plugin()}, none).exits(0);
  EXPECT_HAS(finished.out, "No device");
  const auto json = run_command({"devices", "--json", "--plugin", fake_plugin()}, none).json();
  EXPECT_EQ(json["devices"], nlohmann::json::array());
}

TEST(Devices, WhereThereAreNoneThePluginsSayWhy) {
  const Finished finished =
      run_command({"devices"}, {"PATCHBAY_PLUGINS=cpu-openblas", "PATCHBAY_CPU_DEVICES=zero"})
          .exits(0);
  EXPECT_HAS(finished.out,
             "cpu-openblas failed: setting cpu_devices (PATCHBAY_CPU_DEVICES): expected a whole "
             "number from 1 to 256, got 'zero'\n");
}

TEST(Devices, WhatFailedIsInTheJson) {
  const auto json = run_command({"devices", "--json"},
                                {"PATCHBAY_PLUGINS=cpu-openblas", "PATCHBAY_CPU_DEVICES=zero"})
                        .json();
  EXPECT_EQ(json["devices"], nlohmann::json::array());
  ASSERT_EQ(json["failed_plugins"].size(), 1u);
  EXPECT_EQ(json["failed_plugins"][0]["name"], "cpu-openblas");
  EXPECT_EQ(json["failed_plugins"][0]["status"], "failed");
  EXPECT_EQ(json["failed_plugins"][0]["reason"],
            "setting cpu_devices (PATCHBAY_CPU_DEVICES): expected a whole number from 1 to 256, "
            "got 'zero'");
}

TEST(Devices, AnEmptyVariableCountsAsUnset) {
  const auto json =
      run_command({"devices", "--json"}, {"PATCHBAY_PLUGINS=cpu-openblas", "PATCHBAY_CPU_DEVICES="})
          .json();
  EXPECT_EQ(json["devices"].size(), 1u);
}

TEST(Devices, WhatIsHiddenIsNamed) {
  const auto devices = [](const std::string& visible) {
    return run_command({"devices", "--plugin", fake_plugin()},
                       {"PATCHBAY_PLUGINS=fake", "PATCHBAY_VISIBLE_DEVICES=" + visible});
  };
  const std::string none = devices("fake:9").out;
  EXPECT_EQ(none.rfind("No device.\n  fake loaded: 2 devices\n", 0), 0u) << none;
  EXPECT_TRUE(none.ends_with("\nHidden by PATCHBAY_VISIBLE_DEVICES=fake:9: fake:0, fake:1.\n"))
      << none;
  const std::string some = devices("fake:1").out;
  EXPECT_EQ(some.rfind("NAME", 0), 0u) << some;
  EXPECT_TRUE(some.ends_with("\nHidden by PATCHBAY_VISIBLE_DEVICES=fake:1: fake:0.\n")) << some;
  EXPECT_EQ(devices("").out.find("Hidden"), std::string::npos);
  EXPECT_EQ(devices("fake:0,fake:1").out.find("Hidden"), std::string::npos);
}

TEST(Devices, APluginThatFailedIsNamedBelowTheTable) {
  const auto devices = [](const std::string& setting) {
    return run_command({"devices", "--plugin", fake_plugin()},
                       {"PATCHBAY_PLUGINS=cpu-openblas", setting});
  };
  const Finished failed = devices("PATCHBAY_CPU_DEVICES=zero").exits(0);
  EXPECT_EQ(failed.out.rfind("NAME", 0), 0u) << failed.out;
  EXPECT_TRUE(
      failed.out.ends_with("\ncpu-openblas failed: setting cpu_devices (PATCHBAY_CPU_DEVICES): "
                           "expected a whole number from 1 to 256, got 'zero'\n"))
      << failed.out;
  const std::string fine = devices("PATCHBAY_CPU_DEVICES=1").out;
  EXPECT_EQ(fine.find("failed"), std::string::npos) << fine;
}

TEST(Devices, APluginWithoutADriverIsNotNamed) {
  const Finished finished =
      run_command({"devices", "--plugin", fake_plugin()},
                  {"PATCHBAY_PLUGINS=cpu-openblas", "PATCHBAY_FAKE_OPEN=no-driver"});
  EXPECT_EQ(finished.out.rfind("NAME", 0), 0u) << finished.out;
  EXPECT_EQ(finished.out.find("fake"), std::string::npos) << finished.out;
}

TEST(Devices, ABadEnvironmentIsAnError) {
  EXPECT_EQ(run_command({"devices", "--json"}, {"PATCHBAY_PLUGIN_PATH=/tmp::relative/place"})
                .exits(1)
                .json()["error"]["code"],
            "invalid_argument");
}

TEST(Devices, MisspeltVariablesAndPluginsAreErrors) {
  const Finished variable = run_command({"devices"}, {"PATCHBAY_VISIBLE_DEVICE=cpu:0"}).exits(1);
  EXPECT_EQ(variable.err,
            "patchbay: [Runtime] unknown variable 'PATCHBAY_VISIBLE_DEVICE': neither the library "
            "nor a plugin found here has it, the nearest is 'PATCHBAY_VISIBLE_DEVICES'. Correct or "
            "unset it.\n");
  const Finished plugin = run_command({"devices"}, {"PATCHBAY_PLUGINS=cpu"}).exits(1);
  EXPECT_HAS(plugin.err, "backend 'cpu' is of plugin 'cpu-openblas'. Correct PATCHBAY_PLUGINS.");
}

}  // namespace
}  // namespace patchbay::tests
