// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/device_test.h"

namespace patchbay::test {
namespace {

std::string printed(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

class ShowTest : public DeviceTest {
 protected:
  /// What show() gives but for the label, which must be that of the tensor.
  std::string rows(const Tensor& tensor, const PrintOptions& options = {}) const {
    const std::string text = show(tensor, options);
    const std::string label =
        std::string(to_string(tensor.dtype())) + " " + to_string(tensor.shape()) + where_;
    EXPECT_TRUE(text.ends_with("  " + label) || text.ends_with("\n" + label)) << text;
    return text.substr(0, text.find_last_not_of(" \n", text.size() - label.size() - 1) + 1);
  }
  std::string rows(const Floats& values, const PrintOptions& options = {}) const {
    return rows(from_host(values, {values.size()}, device_), options);
  }

  const std::string where_ = " on " + std::string(GetParam());
};
PATCHBAY_ON_EACH_DEVICE(ShowTest);

TEST_P(ShowTest, ShowsValuesOnEveryDevice) {
  const Tensor t = arange(0, 6, 1, {DType::i32, device_}).view({2, 3});
  EXPECT_EQ(show(t), "[[0, 1, 2],\n [3, 4, 5]]\ni32 [2, 3]" + where_);
  EXPECT_EQ(show(t.t()), "[[0, 3],\n [1, 4],\n [2, 5]]\ni32 [3, 2]" + where_);
  EXPECT_EQ(show(from_host({true, false}, {2}, device_)), "[ true, false]  bool [2]" + where_);
  EXPECT_EQ(show(full({}, 0.1, device_)), "0.1  f32 []" + where_);
  EXPECT_EQ(show(zeros({1 << 30, 0}, device_)), "[]\nf32 [1073741824, 0]" + where_);
}

TEST_P(ShowTest, AlignsColumns) {
  EXPECT_EQ(rows(from_host({-7, 10, 123, 4}, {2, 2}, device_)), "[[ -7,  10],\n [123,   4]]");
  EXPECT_EQ(rows({-0.5F, 10}), "[-0.5, 10.0]");
  EXPECT_EQ(rows({0.1F, 1 / 3.0F, 2}), "[0.1000, 0.3333, 2.0000]");
  EXPECT_EQ(rows({1, 20000, 0}), "[    1, 20000,     0]");
}

TEST_P(ShowTest, SeparatesMatricesByEmptyLines) {
  const Tensor t = arange(0, 8, 1, device_);
  EXPECT_EQ(rows(t.view({2, 2, 2})), "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
  EXPECT_EQ(rows(t.view({2, 1, 1, 4})), "[[[[0, 1, 2, 3]]],\n\n\n [[[4, 5, 6, 7]]]]");
}

TEST_P(ShowTest, WritesVeryLargeAndUnlikeNumbersWithExponents) {
  EXPECT_EQ(rows({1e-5F, 1}), "[1e-05, 1e+00]");
  EXPECT_EQ(rows({0.001F, 5.5F}), "[1.0e-03, 5.5e+00]");
  EXPECT_EQ(rows({0.01F, 5.5F}), "[0.01, 5.50]");
  EXPECT_EQ(rows({1, 123456789.0F}), "[1.0000e+00, 1.2346e+08]");
  EXPECT_EQ(rows({std::numeric_limits<float>::max(), 0}), "[3.4028e+38, 0.0000e+00]");
  EXPECT_EQ(rows(from_host({1e-300, -1.0}, {2}, device_)), "[1e-300, -1e+00]");
}

TEST_P(ShowTest, NanHasNoSign) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(rows({std::copysign(nan, -1.0F), nan, -INFINITY, INFINITY, 1.5F}),
            "[ nan,  nan, -inf,  inf,  1.5]");
  EXPECT_EQ(rows(from_host({-std::nan("")}, {1}, device_)), "[nan]");
}

TEST_P(ShowTest, WrapsLongRows) {
  const Tensor t = arange(0, 23, 1, device_);
  const std::string expected =
      "[ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,\n"
      " 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,\n"
      " 20, 21, 22]";
  EXPECT_EQ(show(t, {.line_width = 40}), expected + "\ni64 [23]" + where_);
  EXPECT_EQ(rows(t, {.line_width = 43}), expected);
  EXPECT_EQ(rows(t.slice(0, 0, 3), {.line_width = 1}), "[0,\n 1,\n 2]");
  EXPECT_EQ(rows(t.slice(0, 10, 16).view({2, 3}), {.line_width = 11}),
            "[[10, 11,\n  12],\n [13, 14,\n  15]]");
  const Tensor wide = arange(0.0, 997, 1, device_) * 1.5;
  std::istringstream lines(rows(wide.view({1, 1, 997})));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_P(ShowTest, LabelsStandBesideShortRows) {
  const Tensor t = arange(0, 5, 1, device_);
  const std::string label = "i64 [5]" + where_;
  const auto width = static_cast<int>(std::string("[0, 1, 2, 3, 4]  ").size() + label.size());
  EXPECT_EQ(show(t, {.line_width = width}), "[0, 1, 2, 3, 4]  " + label);
  EXPECT_EQ(show(t, {.line_width = width - 1}), "[0, 1, 2, 3, 4]\n" + label);
}

TEST_P(ShowTest, PrecisionIsToChoose) {
  const Floats values{0.1F, 1 / 3.0F};
  EXPECT_EQ(rows(values, {.precision = 2}), "[0.10, 0.33]");
  EXPECT_EQ(rows(values, {.precision = 7}), "[0.1000000, 0.3333333]");
  EXPECT_EQ(rows(values, {.precision = 17}), "[0.10000000, 0.33333334]");
  EXPECT_EQ(rows({0.5F, 1.5F, 2.25F}, {.precision = 0}), "[0, 2, 2]");
  const Tensor doubles = from_host({0.1, 2e-7}, {2}, device_);
  EXPECT_EQ(rows(doubles.slice(0, 0, 1), {.precision = 17}), "[0.1]");
  EXPECT_EQ(rows(doubles, {.precision = 1}), "[1e-01, 2e-07]");
}

TEST_P(ShowTest, ShortensLongDimensions) {
  const Tensor t = arange(0, 2000, 1, device_);
  EXPECT_EQ(rows(t), "[   0,    1,    2, ..., 1997, 1998, 1999]");
  EXPECT_EQ(rows(t.view({500, 4}).slice(0, 0, 400)),
            "[[   0,    1,    2,    3],\n [   4,    5,    6,    7],\n [   8,    9,   10,   11],\n"
            " ...,\n [1588, 1589, 1590, 1591],\n [1592, 1593, 1594, 1595],\n"
            " [1596, 1597, 1598, 1599]]");
  EXPECT_EQ(rows(t.view({50, 40}).t(), {.edge_elements = 1}),
            "[[   0, ..., 1960],\n ...,\n [  39, ..., 1999]]");
  EXPECT_EQ(rows(t.slice(0, 0, 4), {.max_elements = 3, .edge_elements = 1}), "[0, ..., 3]");
  EXPECT_EQ(rows(t.slice(0, 0, 4), {.max_elements = 0, .edge_elements = 2}), "[0, 1, 2, 3]");
  EXPECT_EQ(rows(t.slice(0, 0, 3), {.max_elements = 0, .edge_elements = INT64_MAX}), "[0, 1, 2]");
  EXPECT_EQ(rows(ones({1}, device_).expand({std::int64_t{1} << 50})), "[1, 1, 1, ..., 1, 1, 1]");
}

/// What is fetched against what the host reads in place, with up to eight dimensions cut.
TEST_P(ShowTest, ShortensDimensionsOfAnyNumber) {
  const PrintScope scope({.max_elements = 1, .edge_elements = 1});
  for (int rank = 1; rank <= kMaxRank; ++rank) {
    const Tensor t = arange(0, std::pow(3, rank), 1, {DType::i32, device_});
    const Tensor cube = t.view(std::vector<int>(static_cast<std::size_t>(rank), 3));
    for (const Tensor& source : {cube, cube.transpose(0, rank - 1), cube.slice(rank - 1, 1)}) {
      const std::string there = printed(source.to(test_device("cpu:0")));
      EXPECT_EQ(show(source), there.substr(0, there.rfind(" on ")) + where_);
    }
  }
}

// --------------------------------------------------------------------------------- copies

/// Copies since it was made, and their bytes.
struct Copies {
  LedgerEntry start = test_runtime().ledger().total("", "");
  std::uint64_t count() const {
    return test_runtime().ledger().total("", "").copies - start.copies;
  }
  std::uint64_t bytes() const { return test_runtime().ledger().total("", "").bytes - start.bytes; }
};

TEST_P(ShowTest, IsOneCopyOfWhatIsPrinted) {
  const Tensor large = zeros({1 << 12, 1 << 10}, device_);
  for (const Tensor& t : {large, large.t(), large.slice(1, 0, 1 << 10, 3)}) {
    const Copies copies;
    const std::uint64_t fetched = num_copies(device_.name(), "host");
    static_cast<void>(show(t));
    EXPECT_EQ(copies.count(), 1u);
    EXPECT_EQ(copies.bytes(), 36 * sizeof(float));
    EXPECT_EQ(num_copies(device_.name(), "host"), fetched + 1);
  }
  const Copies copies;
  static_cast<void>(show(ones({4, 2}, device_).t()));
  EXPECT_EQ(copies.count(), 1u);
  EXPECT_EQ(copies.bytes(), 8 * sizeof(float));
}

TEST_P(ShowTest, WhatMayNotMoveIsNotPacked) {
  const Tensor t = ones({40, 50}, device_).t();
  const std::uint64_t allocations = device_.memory().num_driver_allocations;
  const std::uint64_t blocks = device_.memory().live_blocks;
  const Copies copies;
  {
    const CopyGuard guard;
    EXPECT_ERROR(show(t), kCopyForbidden,
                 "[show] copy of 144 bytes from " + device_.name() + " to host");
    EXPECT_ERROR(t.to_vector<float>(), kCopyForbidden, "[to_vector] copy of 8000 bytes");
  }
  EXPECT_EQ(copies.count(), 0u);
  EXPECT_EQ(device_.memory().live_blocks, blocks);
  EXPECT_EQ(device_.memory().num_driver_allocations, allocations);
}

TEST_P(ShowTest, PrintingNeverCopies) {
  const Tensor t = ones({2, 2}, device_);
  const Copies copies;
  const std::string text = printed(t.t());
  EXPECT_EQ(copies.count(), 0u);
  if (device_.properties().host_addressable) {
    EXPECT_EQ(text, show(t));
  } else {
    EXPECT_EQ(text, "f32 [2, 2]" + where_ + "; show(tensor) fetches the values");
  }
}

// -------------------------------------------------------------------------------- options

/// What rounds up to a whole number has no point of its own.
TEST(ShowHostTest, RoundsUpToWholeNumbers) {
  const Device cpu = test_device("cpu:0");
  const std::string label = "  f32 [2] on cpu:0";
  EXPECT_EQ(show(from_host<float>({99999.99F, 0.99999F}, {2}, cpu)),
            "[1.0000e+05, 9.9999e-01]" + label);
  EXPECT_EQ(show(from_host<float>({100000.5F, 99.0F}, {2}, cpu)), "[1.0e+05, 9.9e+01]" + label);
  EXPECT_EQ(show(from_host<double>({-114.381298, 99999.9999}, {2}, cpu), {.precision = 1}),
            "[  -114.4, 100000.0]  f64 [2] on cpu:0");
  EXPECT_EQ(show(from_host<float>({0.99999F, 2.5F}, {2}, cpu)), "[1.0, 2.5]" + label);
}

TEST(PrintOptionsTest, HoldForAScopeAndItsThread) {
  const Tensor third = full({}, 1 / 3.0, test_device("cpu:0"));
  const std::string label = "  f32 [] on cpu:0", usual = "0.3333" + label;
  {
    const PrintScope outer({.precision = 2});
    EXPECT_EQ(show(third), "0.33" + label);
    EXPECT_EQ(printed(third), "0.33" + label);
    EXPECT_EQ(show(third, {.precision = 6}), "0.333333" + label);
    try {
      const PrintScope inner({.precision = 1, .line_width = 20});
      EXPECT_EQ(print_options().line_width, 20);
      EXPECT_EQ(printed(third), "0.3" + label);
      std::thread([&] { EXPECT_EQ(printed(third), usual); }).join();
      throw std::runtime_error("out of the scope");
    } catch (const std::runtime_error&) {
      EXPECT_EQ(printed(third), "0.33" + label);
    }
  }
  EXPECT_EQ(printed(third), usual);
}

TEST(PrintOptionsTest, AreChecked) {
  const Tensor t = ones({2}, test_device("cpu:0"));
  EXPECT_INVALID(show(t, {.precision = 18}), "[show]", "0 to 17 digits, got 18");
  EXPECT_INVALID(show(t, {.precision = -1}), "got -1");
  EXPECT_INVALID(PrintScope({.line_width = 0}), "[PrintScope] bad line_width", "at least 1, got 0");
  EXPECT_INVALID(PrintScope({.max_elements = -1}), "bad max_elements");
  EXPECT_INVALID(PrintScope({.edge_elements = 0}), "bad edge_elements");
  EXPECT_EQ(show(t), "[1, 1]  f32 [2] on cpu:0");
}

TEST(ShowHostTest, UndefinedTensors) {
  EXPECT_EQ(printed(Tensor()), "undefined tensor");
  EXPECT_INVALID(show(Tensor()), "[show] tensor is undefined");
}

TEST(ShowHostTest, RowsOfNothingAreNotCounted) {
  const Tensor none = zeros({std::int64_t{1} << 40, 0}, test_device("cpu:0"));
  EXPECT_EQ(printed(none), "[]\nf32 [1099511627776, 0] on cpu:0");
}

}  // namespace
}  // namespace patchbay::test
