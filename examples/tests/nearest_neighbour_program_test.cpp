// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/tests/gzip_files.h"
#include "examples/tests/programs.h"

namespace examples {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class NearestNeighbourProgram : public OnSetting {};

/// All that the program says about its predictions.
std::string predictions(const std::string& output) {
  return value_after(output, "accuracy") + "; " + value_after(output, "predictions");
}

TEST_P(NearestNeighbourProgram, PredictsTheSameOnEveryDevice) {
  if (!has_fashion_mnist()) GTEST_SKIP() << "the package dataset-fashion-mnist is missing";
  const std::vector<std::string> part{"--train", "2000", "--test", "300"};
  const std::string expected = predictions(output_of("nearest_neighbour", part));
  std::vector<std::string> here = part;
  here.insert(here.end(), {"--device", GetParam().device});
  const std::string output = output_of("nearest_neighbour", here, GetParam().environment);
  EXPECT_EQ(predictions(output), expected);
  EXPECT_THAT(value_after(output, "device  "), StartsWith(GetParam().device + ","));
}

TEST_P(NearestNeighbourProgram, RunsOnOneImageOfEach) {
  const TemporaryFolder folder;
  write_fashion_mnist(folder.path(), 3, 2);
  const std::string output = output_of("nearest_neighbour",
                                       {"--data", folder.path().string(), "--train", "1", "--test",
                                        "1", "--device", GetParam().device},
                                       GetParam().environment);
  // One image each, both of class 0.
  EXPECT_THAT(value_after(output, "accuracy"), StartsWith("1.0000 (1 of 1)"));
}

TEST_P(NearestNeighbourProgram, CopiesImagesOnceAndIndicesOnceABatch) {
  const TemporaryFolder folder;
  write_fashion_mnist(folder.path(), 40, 600);
  const std::string device = GetParam().device;
  const std::string output =
      output_of("nearest_neighbour", {"--data", folder.path().string(), "--device", device},
                GetParam().environment);
  const std::string ledger = output.substr(output.find("\ncopies\n"));
  // 640 images of 784 bytes, from where they were read; 600 indices of 8 bytes in two batches.
  if (device != "cpu:0") {
    EXPECT_THAT(ledger, testing::ContainsRegex("cpu:0 +" + device + " [^\n]* 2 +501760"));
  }
  EXPECT_THAT(ledger, testing::ContainsRegex(device + " +host [^\n]* 2 +4800"));
}

INSTANTIATE_TEST_SUITE_P(On, NearestNeighbourProgram, testing::ValuesIn(all_settings()),
                         setting_name);

class NearestNeighbourErrors : public testing::Test {
 protected:
  void SetUp() override { write_fashion_mnist(folder_.path(), 30, 7); }
  void expect(const std::vector<std::string>& arguments, const std::string& part) {
    std::vector<std::string> all{"--data", folder_.path().string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    expect_failure("nearest_neighbour", all, 1, part);
  }
  TemporaryFolder folder_;
};

TEST_F(NearestNeighbourErrors, BadCounts) {
  expect({"--train", "0"}, "[--train] expected a whole number from 1 to 30, got '0'");
  expect({"--train", "-5"}, "got '-5'");
  expect({"--train", "31"}, "got '31'");
  expect({"--train", "ten"}, "got 'ten'");
  expect({"--test", "8"}, "[--test] expected a whole number from 1 to 7, got '8'");
  expect({"--test", "99999999999999999999"}, "got '99999999999999999999'");
}

TEST_F(NearestNeighbourErrors, BadDevices) {
  expect({"--device", "cpu:01"}, "cpu:01");
  expect({"--device", "nosuch:0"}, "nosuch");
  expect({"--device", ""}, "");
}

TEST_F(NearestNeighbourErrors, BadCommandLines) {
  expect({"--trian", "5"}, "'--trian' is no option, or has no value; there are --device NAME");
  expect({"--train"}, "'--train' is no option, or has no value");
  expect({"more"}, "'more' is no option");
}

TEST_F(NearestNeighbourErrors, MissingFiles) {
  std::filesystem::remove(folder_.path() / "t10k-images-idx3-ubyte.gz");
  expect({}, "apt-get install dataset-fashion-mnist");
  expect_failure("nearest_neighbour", {"--data", "/no/such/folder"}, 1,
                 "apt-get install dataset-fashion-mnist");
}

TEST_F(NearestNeighbourErrors, DamagedFiles) {
  const auto file = folder_.path() / "train-images-idx3-ubyte.gz";
  Bytes bytes = read_file(file);
  bytes.resize(bytes.size() / 2);
  write_file(file, bytes);
  expect({}, file.string());
}

TEST_F(NearestNeighbourErrors, OtherArrays) {
  write_gzip(folder_.path() / "train-labels-idx1-ubyte.gz", idx_bytes(0x801, {29}, Bytes(29)));
  expect({}, "the files of 'train' are no images of 28 x 28 with labels");
  write_gzip(folder_.path() / "train-images-idx3-ubyte.gz",
             idx_bytes(0x803, {29, 2, 2}, Bytes(116)));
  expect({}, "the files of 'train' are no images of 28 x 28 with labels");
}

}  // namespace
}  // namespace examples
