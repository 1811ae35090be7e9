// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files of csv.
#include <clocale>
#include <cmath>
#include <limits>

#include "data/file_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Names = std::vector<std::string>;

class CsvTest : public FileTest {
 protected:
  nn::CsvTable read(const std::string& text, nn::CsvOptions options = {}) const {
    write(text);
    options.device = test_device("cpu:0");
    return nn::read_csv(path(), options);
  }
  Doubles doubles(const std::string& text) const {
    return read(text, {.dtype = DType::f64}).values.to_vector<double>();
  }
  void expect_refused(const std::string& text, const std::string& reason,
                      const nn::CsvOptions& options = {}) const {
    EXPECT_INVALID(read(text, options),
                   "[read_csv] no valid file of csv: '" + path() + "': " + reason);
  }
};

TEST_F(CsvTest, ReadsLinesOfNumbers) {
  for (const char* text :
       {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "\xef\xbb\xbf\x31,2\n3,4\n"}) {
    const nn::CsvTable table = read(text);
    EXPECT_EQ(table.values.shape(), (Shape{2, 2})) << text;
    EXPECT_EQ(table.values.to_vector<float>(), (Floats{1, 2, 3, 4})) << text;
    EXPECT_TRUE(table.names.empty());
  }
  EXPECT_EQ(read(" 1 ,\t2\n\"3\", \"4\" \n").values.to_vector<float>(), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(read("1 2\n3 4\n", {.delimiter = ' '}).values.shape(), (Shape{2, 2}));
  EXPECT_EQ(read("1;2\n", {.delimiter = ';'}).values.shape(), (Shape{1, 2}));
  EXPECT_EQ(read("").values.shape(), (Shape{0, 0}));
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += std::to_string(i) + ',' + std::to_string(-i) + '\n';
  const auto values = read(many, {.dtype = DType::i32}).values.to_vector<std::int32_t>();
  ASSERT_EQ(values.size(), 40'000u);
  EXPECT_EQ(values[39'998], 19'999);
  EXPECT_EQ(values[39'999], -19'999);
}

TEST_F(CsvTest, ReadsNames) {
  const nn::CsvTable table =
      read("a, \"b, \"\"c\"\"\nd\" ,\n1,2,3\n", {.has_header = true, .dtype = DType::i64});
  EXPECT_EQ(table.names, (Names{"a", "b, \"c\"\nd", ""}));
  EXPECT_EQ(table.values.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(read("a,b\n", {.has_header = true}).values.shape(), (Shape{0, 2}));
  EXPECT_TRUE(read("", {.has_header = true}).names.empty());
}

TEST_F(CsvTest, RoundsToNearestInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "C.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    EXPECT_EQ(doubles("0.1,+1.5,-2e3,.5,1e-5\n"), (Doubles{0.1, 1.5, -2000, 0.5, 1e-5}));
  }
  std::setlocale(LC_ALL, before.c_str());
  const Doubles special = doubles("inf,-inf,nan,-0\n");
  EXPECT_EQ(special[0], INFINITY);
  EXPECT_EQ(special[1], -INFINITY);
  EXPECT_TRUE(std::isnan(special[2]));
  EXPECT_TRUE(std::signbit(special[3]));
  const std::string zeros(400, '0');
  EXPECT_EQ(doubles("1e-400,0." + zeros + "1,-1e-99999999999999999999\n"), (Doubles{0, 0, 0}));
  EXPECT_EQ(read("1e-46,1e-45\n").values.to_vector<float>(),
            (Floats{0, std::numeric_limits<float>::denorm_min()}));
  expect_refused("1e39\n", "line 1, column 1: '1e39' does not fit into f32");
  expect_refused("0.1e400\n", "line 1, column 1: '0.1e400' does not fit into f64",
                 {.dtype = DType::f64});
  EXPECT_INVALID(doubles("1" + zeros + "e-1\n"), "does not fit into f64");
}

TEST_F(CsvTest, IntegersFit) {
  const auto read_as = [&](DType dtype, const std::string& text) {
    return read(text, {.dtype = dtype}).values;
  };
  EXPECT_EQ(read_as(DType::u64, "18446744073709551615\n").item<std::uint64_t>(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read_as(DType::i8, "-128\n").item<std::int8_t>(), -128);
  expect_refused("128\n", "line 1, column 1: '128' does not fit into i8", {.dtype = DType::i8});
  expect_refused("300\n", "line 1, column 1: '300' does not fit into u8", {.dtype = DType::u8});
  expect_refused("-1\n", "line 1, column 1: '-1' does not fit into u8", {.dtype = DType::u8});
  EXPECT_EQ(read_as(DType::u8, "-0\n").item<std::uint8_t>(), 0);
  expect_refused("--1\n", "line 1, column 1: expected an integer of digits, got '--1'",
                 {.dtype = DType::u8});
  expect_refused("1.5\n", "line 1, column 1: expected an integer of digits, got '1.5'",
                 {.dtype = DType::i32});
}

/// As other readers do; a program's last line often is one.
TEST_F(CsvTest, SkipsEmptyLines) {
  const nn::CsvTable table = read("\na,b\n\n1,2\r\n\r\n3,4\n\n", {.has_header = true});
  EXPECT_EQ(table.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.values.to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(read("\n\n", {}).values.shape(), (Shape{0, 0}));
}

/// So that a file without line breaks costs little.
TEST_F(CsvTest, RefusesALineThatNeverEnds) {
  const std::string commas(2'000'000, ',');
  expect_refused(commas, "line 1, column 1048577: more than 1048576 columns", {.has_header = true});
  expect_refused("1,2\n1,2," + commas, "line 2, column 2: expected 2 columns, got more");
}

TEST_F(CsvTest, NamesLineAndColumn) {
  expect_refused("1,2\n3,x\n", "line 2, column 2: expected a number, got 'x'");
  expect_refused("1,2\n3\n", "line 2, column 1: expected 2 columns, got 1");
  expect_refused("1,2\n3,4,5\n", "line 2, column 2: expected 2 columns, got more");
  expect_refused("a,b\n1\n", "line 2, column 1: expected 2 columns, got 1", {.has_header = true});
  expect_refused("1,2\n\n\n3,x\n", "line 4, column 2: expected a number, got 'x'");
  expect_refused("1,\n", "line 1, column 2: expected a number, got ''");
  expect_refused("+-1\n", "line 1, column 1: expected a number, got '+-1'");
  expect_refused("1 2\n", "line 1, column 1: expected a number, got '1 2'");
  expect_refused("\"1\n", "line 1, column 1: a quote without its end");
  expect_refused("1\"\n", "line 1, column 1: a quote within a field");
  expect_refused("\"1\"2\n", "line 1, column 1: characters behind a quote");
  expect_refused("1\r2\n", "line 1, column 1: a return without a line feed");
  expect_refused("1,\x01\n", "line 1, column 2: expected a number, got '\\x01'");
  expect_refused(std::string(70'000, '1') + "\n",
                 "line 1, column 1: a field of more than 65536 bytes");
}

TEST_F(CsvTest, RefusesWrongOptions) {
  EXPECT_INVALID(read("1", {.delimiter = '"'}),
                 "[read_csv] a wrong delimiter: expected neither a quote nor the end of a line");
  for (const DType dtype : {DType::f16, DType::bf16, DType::boolean}) {
    EXPECT_ERROR(read("1", {.dtype = dtype}), ErrorCode::kDtypeMismatch,
                 "[read_csv] a dtype that is not read: expected f32, f64 or an integer, got ");
  }
  EXPECT_ERROR(nn::read_csv("/no/file", {.device = test_device("cpu:0")}), ErrorCode::kIo,
               "[read_csv] can't open the file: '/no/file'");
}

}  // namespace
}  // namespace patchbay::test
