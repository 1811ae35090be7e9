// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The main job at a small size.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tests/gzip_files.h"
#include "examples/tests/programs.h"

namespace examples {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class Demo : public OnSetting {
 protected:
  Demo() { write_fashion_mnist(folder_.path(), 40, 6); }
  std::vector<std::string> with(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"--data",   folder_.path().string(),
                                 "--output", (folder_.path() / "out").string(),
                                 "--epochs", "2"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  TemporaryFolder folder_;
};

TEST_P(Demo, TrainsSavesAndReloads) {
  const std::string output =
      output_of("patchbay-demo", with({"--device", GetParam().device, "--reload", "cpu:0"}),
                GetParam().environment);
  EXPECT_EQ(value_after(output, "training"), "225,034 parameters on 1 of 1 devices asked: " +
                                                 GetParam().device + ", 128 images a batch");
  EXPECT_THAT(output, ContainsRegex("\nepoch +2/2 +loss [0-9.]+, test loss [0-9.]+, accuracy "));
  EXPECT_THAT(value_after(output, "reloaded"), ContainsRegex("^on cpu:0: scores within "));
  EXPECT_THAT(value_after(output, "reloaded"), HasSubstr(" 0 of 6 classes differ"));
  // Two batches of 40 u8 images and i64 classes, and the parameters when they were moved.
  if (GetParam().device != "cpu:0") {
    EXPECT_THAT(output, ContainsRegex("cpu:0 +" + GetParam().device + " [^\n]* data\n"));
  }
  for (const char* const name : {"model.safetensors", "loss.svg", "log.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "out" / name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(On, Demo, testing::ValuesIn(all_settings()), setting_name);

class DemoErrors : public testing::Test {
 protected:
  void SetUp() override { write_fashion_mnist(folder_.path(), 30, 7); }
  void expect(const std::vector<std::string>& arguments, const std::string& part, int status = 1) {
    std::vector<std::string> all{"--data", folder_.path().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    expect_failure("patchbay-demo", all, status, part);
  }
  TemporaryFolder folder_;
};

TEST_F(DemoErrors, NameTheOption) {
  expect({"--train", "31"}, "[--train] bad number: expected a whole number from 1 to 30");
  expect({"--test", "8"}, "[--test] bad number: expected a whole number from 1 to 7");
  expect({"--epochs", "0"}, "[--epochs] bad number: expected a whole number from 1 to 1000");
  expect({"--device", "nosuch:0"}, "nosuch");
  expect({"--devices", "cpu:0,,cpu:0"}, "''");
  expect({"--reload", "cpu:99"}, "cpu:99");
  expect({"--device", "cpu:0", "--devices", "cpu:0"},
         "[demo] both --device and --devices: expected one of them");
  expect({"--trian", "5"}, "--trian", 2);
  expect({"--output", (folder_.path() / "train-images-idx3-ubyte.gz" / "out").string()},
         "Not a directory");
}

TEST_F(DemoErrors, MissingFiles) {
  std::filesystem::remove(folder_.path() / "t10k-images-idx3-ubyte.gz");
  expect({}, "apt-get install dataset-fashion-mnist");
}

}  // namespace
}  // namespace examples
