// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Every record has a case, and every device that says yes to a record and a dtype is run.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "operators/cases.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

const OperatorCases& all_cases() {
  static const OperatorCases cases = [] {
    OperatorCases all;
    for (const OperatorCases& family :
         {memory_cases(), elementwise_cases(), reduction_cases(), matrix_cases(), random_cases(),
          indexing_cases(), window_cases(), ordering_cases(), row_cases(), factor_cases(),
          transform_cases(), composite_cases()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return cases;
}

const OperatorCase* find_case(std::string_view name) {
  const auto found = std::find_if(all_cases().begin(), all_cases().end(),
                                  [&](const OperatorCase& one) { return one.name == name; });
  return found == all_cases().end() ? nullptr : &*found;
}

bool is_listed(const OperatorInfo& record, DType dtype) {
  return std::find(record.dtypes.begin(), record.dtypes.end(), dtype) != record.dtypes.end();
}

using Parameter = std::tuple<const char*, std::string>;

class OperatorTest : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    const char* const name = std::get<0>(GetParam());
    if (const std::string absence = absence_of(name); !absence.empty()) GTEST_SKIP() << absence;
    if (is_left_to_the_other_card(name)) {
      GTEST_SKIP() << "the other simulated card runs it: PATCHBAY_TEST_ALL=1 runs it on both";
    }
    device_ = test_device(name);
  }

  /// The simulated cards run the same texts: each has every second operator.
  bool is_left_to_the_other_card(std::string_view name) const {
    if (!name.starts_with("cuda") && !name.starts_with("hip")) return false;
    const bool runs_all = std::getenv("PATCHBAY_TEST_ALL") != nullptr ||
                          std::getenv("PATCHBAY_TEST_HARDWARE") != nullptr;
    if (runs_all || !is_built("cuda-cublas") || !is_built("hip")) return false;
    const bool is_even = (&record() - operators().data()) % 2 == 0;
    return is_even == name.starts_with("cuda");
  }
  const OperatorInfo& record() const { return find_operator(std::get<1>(GetParam())); }
  /// The library composes an operator that a plugin may leave out.
  bool is_composed() const { return record().family == "composite"; }
  bool runs(DType dtype) const {
    if (!is_composed()) return why_unsupported(*device_, record(), dtype).empty();
    const bool is_there = why_unsupported(*device_, find_operator("copy"), dtype).empty();
    return is_there && is_listed(record(), dtype);
  }

  std::optional<Device> device_;
};

std::vector<std::string> record_names() {
  std::vector<std::string> names;
  for (const OperatorInfo& record : operators()) names.emplace_back(record.name);
  return names;
}

std::string parameter_name(const testing::TestParamInfo<Parameter>& parameter) {
  const auto& [device, record] = parameter.param;
  return device_test_name({device, parameter.index}) + '_' + record;
}
INSTANTIATE_TEST_SUITE_P(, OperatorTest,
                         testing::Combine(PATCHBAY_EACH_DEVICE, testing::ValuesIn(record_names())),
                         parameter_name);

TEST_P(OperatorTest, AgreesWithItsReference) {
  const OperatorCase* const one = find_case(record().name);
  ASSERT_NE(one, nullptr) << "no case runs the record " << record().name;
  int num_run = 0;
  for (const DType dtype : kDTypes) {
    SCOPED_TRACE(std::string(record().name) + ' ' + std::string(to_string(dtype)));
    if (!runs(dtype)) continue;
    ASSERT_TRUE(is_listed(record(), dtype)) << "the device has what the record does not list";
    one->run(*device_, dtype, record());
    if (HasFatalFailure()) return;
    ++num_run;
  }
  EXPECT_GT(num_run, 0) << "the device has the operator for no dtype";
}

/// All that is listed, but f64 where the device lacks it.
TEST_P(OperatorTest, IsThereForAllDtypesOfTheDevice) {
  if (is_composed()) GTEST_SKIP() << "a plugin may leave the operator out";
  for (const DType dtype : record().dtypes) {
    if (dtype == DType::f64 && !device_->properties().f64) continue;
    EXPECT_EQ(why_unsupported(*device_, record(), dtype), "") << to_string(dtype);
  }
}

TEST(OperatorRecordsTest, EveryRecordHasACaseAndEveryCaseARecord) {
  std::set<std::string_view> records, cases;
  for (const OperatorInfo& record : operators()) EXPECT_TRUE(records.insert(record.name).second);
  for (const OperatorCase& one : all_cases()) EXPECT_TRUE(cases.insert(one.name).second);
  EXPECT_EQ(records, cases);
}

TEST(OperatorRecordsTest, SayWhatTheyAre) {
  for (const OperatorInfo& record : operators()) {
    EXPECT_EQ(record.kernel, std::string(record.name) + '.' + std::to_string(record.version));
    EXPECT_FALSE(record.family.empty() || record.shapes.empty() || record.source.empty())
        << record.name;
    EXPECT_FALSE(record.dtypes.empty()) << record.name;
    for (const DType dtype : record.dtypes) EXPECT_GE(record.bound.of(dtype), 0) << record.name;
  }
  const OperatorInfo& add = find_operator("add");
  EXPECT_EQ(add.kernel, "add.1");
  EXPECT_EQ(add.family, "elementwise");
  EXPECT_EQ(add.derivative, "a: grad; b: grad");
  EXPECT_EQ(add.result_dtype(DType::i32), DType::i32);
  EXPECT_EQ(find_operator("lt").result_dtype(DType::i32), DType::boolean);
  EXPECT_EQ(find_operator("sum").result_dtype(DType::u8), DType::i64);
  EXPECT_EQ(find_operator("sum").result_dtype(DType::u32), DType::i64);
  EXPECT_EQ(find_operator("sum").result_dtype(DType::u64), DType::u64);
  EXPECT_EQ(find_operator("argmax").result_dtype(DType::f32), DType::i64);
}

TEST(OperatorRecordsTest, PrintFormulasAsPeopleWriteThem) {
  const auto derivative = [](std::string_view name) { return find_operator(name).derivative; };
  EXPECT_EQ(derivative("mul"), "a: grad * b; b: grad * a");
  EXPECT_EQ(derivative("sqrt"), "grad / (2 * out)");
  EXPECT_EQ(derivative("relu"), "out <= 0 ? 0 : grad");
  EXPECT_EQ(derivative("abs"), "a > 0 ? grad : a < 0 ? -grad : 0");
  EXPECT_EQ(
      derivative("clamp"),
      "a >= low ? (a <= high ? (a == low or a == high ? (a - a == 0 ? 0 : grad) : grad) : 0) : 0");
  EXPECT_EQ(derivative("pow"),
            "a: b == 0 ? 0 : grad * (b * pow(a, (b == 0 ? 1 : b) - 1)); b: a == 0 ? (b < 0 ? x : "
            "0) : x with x = grad * (out * log(a == 0 ? (b < 0 ? a : 1) : a))");
  // Parts of parts come first.
  EXPECT_EQ(derivative("erf"),
            "1.1283791670955126 * (exp(-(1 * v)) * (1 + 1 * (v - z - u))) * grad with x = "
            "minimum(maximum(a, -40), 40), y = round(x * 128) * 0.0078125, z = y * y, u = (x - y) "
            "* (x + y), v = z + u");
  EXPECT_EQ(derivative("max_abs"), "sign(a) grad / n where |a| = out, n of them");
  for (const OperatorInfo& record : operators()) {
    for (const char* const code : {"PATCHBAY", "(T)", "(W)"}) {
      EXPECT_EQ(record.derivative.find(code), std::string::npos) << record.derivative;
    }
  }
}

TEST(OperatorRecordsTest, SayWhatTheirAttributesAre) {
  EXPECT_EQ(find_operator("gather").attributes, "dim: an integer from 0 to 7");
  EXPECT_EQ(find_operator("add").attributes, "");
}

TEST(OperatorRecordsTest, AnUnknownNameIsAnErrorThatListsTheKnown) {
  const Error error = error_of([] { static_cast<void>(find_operator("ad")); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(
      std::string(error.what())
          .starts_with(
              "[find_operator] unknown operator: expected one of fill, copy, cast, arange, "))
      << error.what();
  EXPECT_TRUE(std::string(error.what()).ends_with("got 'ad'. Use one of these names."))
      << error.what();
}

TEST(OperatorRecordsTest, SayWhyADeviceLacksADtype) {
  const Device device = test_device("cpu:0");
  EXPECT_EQ(why_unsupported(device, find_operator("sqrt"), DType::i32),
            "sqrt i32: the operator is not defined for this dtype");
  EXPECT_EQ(why_unsupported(device, find_operator("add"), DType::i8),
            "add i8: the operator is not defined for this dtype");
  EXPECT_EQ(why_unsupported(device, find_operator("sqrt"), DType::f32), "");
}

}  // namespace
}  // namespace patchbay::test
