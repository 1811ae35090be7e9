// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A call by name gives what the call in C++ gives, for each function that can be called by name.
#include "support/device_test.h"
#include "tensor/call/samples.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(CallTest);

/// The elements as f64 on the host.
Doubles elements(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const Tensor there = tensor.detach().to("cpu");
  return (is_complex(there.dtype()) ? view_as_real(there) : there)
      .cast(DType::f64)
      .to_vector<double>();
}

bool is_equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_equal(const Tensors& made, const Tensors& expected, bool has_values) {
  ASSERT_EQ(made.size(), expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(made[i].defined(), expected[i].defined());
    if (!made[i].defined()) continue;
    EXPECT_EQ(made[i].shape(), expected[i].shape());
    EXPECT_EQ(made[i].dtype(), expected[i].dtype());
    EXPECT_EQ(made[i].device(), expected[i].device());
    EXPECT_EQ(made[i].requires_grad(), expected[i].requires_grad());
    if (!has_values) continue;
    const Doubles a = elements(made[i]), b = elements(expected[i]);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end(), is_equal))
        << testing::PrintToString(a) << " and " << testing::PrintToString(b);
  }
}

TEST_P(CallTest, GivesWhatTheFunctionGives) {
  for (const Sample& sample : all_samples(device_)) {
    SCOPED_TRACE(sample.name);
    const Tensors made = call(sample.name, sample.inputs, sample.options);
    const bool has_values = sample.name.find("empty") == std::string::npos;
    expect_equal(made, sample.direct(), has_values);
    expect_equal(sample.written, sample.written_directly, true);
  }
}

TEST(CallableNames, HaveASampleEach) {
  std::set<std::string> sampled;
  for (const Sample& sample : all_samples(test_device("cpu:0"))) sampled.insert(sample.name);
  const std::vector<std::string_view> names = callable_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), sampled);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

}  // namespace
}  // namespace patchbay::test
