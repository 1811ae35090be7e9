// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The main job at a small size.
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tests/gzip_files.h"
#include "examples/tests/programs.h"

namespace examples {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Demo : public OnSetting {
 protected:
  Demo() { write_fashion_mnist(folder_.path(), 40, 6); }
  std::string run(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"--data",   folder_.path().string(),
                                 "--device", GetParam().device,
                                 "--reload", "cpu:0",
                                 "--epochs", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return output_of("patchbay-demo", all, GetParam().environment);
  }

  TemporaryFolder folder_;
};

TEST_P(Demo, TrainsSavesAndReloads) {
  const std::string output = run({"--output", (folder_.path() / "out").string()});
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

/// Without --output no file is written: not in the working folder, nor beside the data.
TEST(DemoOutput, IsWrittenOnlyWhereItIsWanted) {
  const TemporaryFolder data, work;
  write_fashion_mnist(data.path(), 40, 6);
  const std::string command = "cd '" + work.path().string() + "' && '" +
                              patchbay::test::built_path("bin/patchbay-demo") + "' --data '" +
                              data.path().string() + "' --epochs 1";
  const ProcessResult result = run_process({"/bin/sh", "-c", command}, second_cpu().environment);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(value_after(result.output, "reloaded"),
              ContainsRegex("^on cpu:1: scores within .*, 0 of 6 classes differ$"));
  EXPECT_THAT(result.output, Not(HasSubstr("written")));
  EXPECT_TRUE(std::filesystem::is_empty(work.path()));
  using Files = std::filesystem::directory_iterator;
  EXPECT_EQ(std::distance(Files(data.path()), Files()), 4);
}

class DemoErrors : public testing::Test {
 protected:
  void SetUp() override { write_fashion_mnist(folder_.path(), 30, 7); }
  void expect(const std::vector<std::string>& arguments, const std::string& part) {
    std::vector<std::string> all{"--data", folder_.path().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    expect_failure("patchbay-demo", all, 1, part);
  }
  TemporaryFolder folder_;
};

TEST_F(DemoErrors, NameTheOption) {
  expect({"--train", "31"}, "[--train] expected a whole number from 1 to 30, got '31'");
  expect({"--test", "8"}, "[--test] expected a whole number from 1 to 7, got '8'");
  expect({"--epochs", "0"}, "[--epochs] expected a whole number from 1 to 1000, got '0'");
  expect({"--device", "nosuch:0"}, "nosuch");
  expect({"--devices", "cpu:0,,cpu:0"}, "''");
  expect({"--reload", "cpu:99"}, "cpu:99");
  expect({"--device", "cpu:0", "--devices", "cpu:0"}, "both --device and --devices are given");
  expect({"--trian", "5"}, "'--trian' is no option, or has no value");
  expect({"--output", (folder_.path() / "train-images-idx3-ubyte.gz" / "out").string()},
         "Not a directory");
}

TEST_F(DemoErrors, MissingFiles) {
  std::filesystem::remove(folder_.path() / "t10k-images-idx3-ubyte.gz");
  expect({}, "apt-get install dataset-fashion-mnist");
}

}  // namespace
}  // namespace examples
