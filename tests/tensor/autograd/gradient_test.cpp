// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// First and second derivatives in f64 against central differences.
#include <random>
#include <tuple>

#include "support/device_test.h"
#include "tensor/autograd/gradient_cases.h"

namespace patchbay::test {
namespace {
using Function = std::function<Tensor(const Inputs&)>;

/// Values at least 0.05 apart from each other and from 0, where extremes and magnitudes bend.
Doubles draw(std::size_t count, double low, double high, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<int> places;
  for (int i = 0; i <= static_cast<int>((high - low) / 0.05) - 1; ++i) places.push_back(i);
  std::shuffle(places.begin(), places.end(), engine);
  Doubles values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(low + 0.05 * places[i % places.size()] + 0.023 +
                     1e-3 * static_cast<double>(i));
  }
  return values;
}

std::size_t count_of(const Shape& shape) { return static_cast<std::size_t>(num_elements(shape)); }

std::vector<Doubles> draw_inputs(const GradientCase& one) {
  std::vector<Doubles> inputs;
  for (const Shape& shape : one.shapes) {
    inputs.push_back(
        draw(count_of(shape), one.low, one.high, 3 + static_cast<unsigned>(inputs.size())));
  }
  return inputs;
}

Inputs upload(const std::vector<Doubles>& values, const std::vector<Shape>& shapes,
              const Device& device) {
  Inputs inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    inputs.push_back(from_host(values[i], shapes[i], device).requires_grad_());
  }
  return inputs;
}

/// A number that depends on each element of the result in a different way.
Tensor weighted(const Tensor& result) {
  Doubles weights(static_cast<std::size_t>(result.num_elements()));
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = 1 + 0.25 * static_cast<double>(i % 7);
  return sum(result * from_host(weights, result.shape(), result.device()));
}

void expect_gradients(const Function& number, const std::vector<Doubles>& values,
                      const std::vector<Shape>& shapes, const Device& device) {
  const GradcheckResult got =
      gradcheck(number, upload(values, shapes, device), {.eps = 1e-5, .atol = 2e-7, .rtol = 2e-7});
  EXPECT_TRUE(got) << got.message;
}

using Parameter = std::tuple<const char*, std::size_t>;

class GradientTest : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    const char* const name = std::get<0>(GetParam());
    if (const std::string absence = absence_of(name); !absence.empty()) GTEST_SKIP() << absence;
    device_ = test_device(name);
  }
  const GradientCase& one() const { return gradient_cases()[std::get<1>(GetParam())]; }

  std::optional<Device> device_;
};

std::string parameter_name(const testing::TestParamInfo<Parameter>& parameter) {
  const auto& [device, index] = parameter.param;
  return device_test_name({device, parameter.index}) + '_' + gradient_cases()[index].name;
}
INSTANTIATE_TEST_SUITE_P(, GradientTest,
                         testing::Combine(PATCHBAY_EACH_DEVICE,
                                          testing::Range<std::size_t>(0, gradient_cases().size())),
                         parameter_name);

TEST_P(GradientTest, AgreesWithDifferences) {
  const GradientCase& tested = one();
  expect_gradients([&](const Inputs& in) { return weighted(tested.function(in)); },
                   draw_inputs(tested), tested.shapes, *device_);
}

/// The derivative of what the gradients add up to.
TEST_P(GradientTest, HasASecondDerivative) {
  const GradientCase& tested = one();
  if (!tested.has_second) GTEST_SKIP() << "the formula is not made of recorded operators";
  const auto number = [&](const Inputs& in) {
    const auto first = gradients({weighted(tested.function(in))}, in, {}, {.create_graph = true});
    // Something of each input is added, for a gradient may not depend on it.
    Tensor total;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Tensor part = weighted(first[i]) + 0.5 * weighted(in[i]);
      total = total.defined() ? total + part : part;
    }
    return total;
  };
  expect_gradients(number, draw_inputs(tested), tested.shapes, *device_);
}

TEST(GradientCases, EveryDifferentiableRecordHasOne) {
  std::set<std::string> tested, differentiable;
  for (const GradientCase& one : gradient_cases()) {
    if (!one.record.empty()) tested.insert(one.record);
  }
  for (const OperatorInfo& record : operators()) {
    // `cast` changes the dtype, and differences are taken in f64: MovementTest has it.
    if (!record.derivative.empty() && record.name != "cast") differentiable.emplace(record.name);
  }
  EXPECT_EQ(tested, differentiable);
}

}  // namespace
}  // namespace patchbay::test
