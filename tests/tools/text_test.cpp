// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tools/text.h"

#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace patchbay::tools {
namespace {

TEST(Text, BytesAreParsed) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("1048577"), 1048577u);
  EXPECT_EQ(parse_bytes("3KiB"), 3072u);
  EXPECT_EQ(parse_bytes("2MiB"), 2097152u);
  EXPECT_EQ(parse_bytes("5GiB"), std::uint64_t{5} << 30);
  EXPECT_EQ(parse_bytes("1TiB"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_bytes("18446744073709551615"), UINT64_MAX);
}

TEST(Text, BadBytesAreRefused) {
  for (const char* text : {"", "KiB", "-1", "+1", " 1", "1 ", "1.5MiB", "1kB", "1MB", "0x10", "1e3",
                           "18446744073709551616", "16777216TiB", "1KiBKiB"}) {
    EXPECT_THROW((void)parse_bytes(text), std::invalid_argument) << text;
  }
}

TEST(Text, BytesAreShown) {
  EXPECT_EQ(show_bytes(0), "0 bytes");
  EXPECT_EQ(show_bytes(1), "1 byte");
  EXPECT_EQ(show_bytes(1023), "1023 bytes");
  EXPECT_EQ(show_bytes(1536), "1.5 KiB");
  EXPECT_EQ(show_bytes(std::uint64_t{64} << 20), "64.0 MiB");
  EXPECT_EQ(show_bytes(std::uint64_t{5000} << 40), "5000.0 TiB");
}

TEST(Text, SecondsAreShown) {
  EXPECT_EQ(show_seconds(0), "0 us");
  EXPECT_EQ(show_seconds(5.25e-8), "0.0525 us");
  EXPECT_EQ(show_seconds(4.25e-6), "4.25 us");
  EXPECT_EQ(show_seconds(998.7e-6), "999 us");
  EXPECT_EQ(show_seconds(999.7e-6), "1 ms");
  EXPECT_EQ(show_seconds(0.1234), "123 ms");
  EXPECT_EQ(show_seconds(0.9996), "1 s");
  EXPECT_EQ(show_seconds(12.5), "12.5 s");
  EXPECT_EQ(show_seconds(4321.5), "4322 s");
}

TEST(Text, RatesAreShown) {
  EXPECT_EQ(show_rate(0, "B/s"), "0 B/s");
  EXPECT_EQ(show_rate(999.4, "B/s"), "999 B/s");
  EXPECT_EQ(show_rate(999.6, "B/s"), "1 kB/s");
  EXPECT_EQ(show_rate(2.345e10, "FLOP/s"), "23.4 GFLOP/s");
  EXPECT_EQ(show_rate(5e18, "FLOP/s"), "5e+03 PFLOP/s");
}

TEST(Text, WordsAreWrapped) {
  EXPECT_EQ(wrap("", 10), std::vector<std::string>{""});
  EXPECT_EQ(wrap("one two", 10), std::vector<std::string>{"one two"});
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("incomprehensible", 5), std::vector<std::string>{"incomprehensible"});
}

TEST(Text, TablesAlignTheirColumns) {
  Table table({"NAME", "WHAT"});
  table.add({"cpu:0", "this one"});
  table.add({"x", ""});
  EXPECT_EQ(table.to_string(), "NAME   WHAT\ncpu:0  this one\nx\n");
}

TEST(Text, TablesWrapTheirLastColumn) {
  Table table({"NAME", "WHAT"});
  std::string many;
  for (int i = 0; i < 60; ++i) many += "word ";
  table.add({"cpu:0", many});
  std::istringstream lines(table.to_string());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100u);
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace patchbay::tools
