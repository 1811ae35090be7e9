// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Derivatives of functions with a jump, a kink or a side that overflows.
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <patchbay/autograd.h>
#include <patchbay/ops.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;
using Function = std::function<Tensor(const Tensor&)>;

class Jumps : public DeviceTest {
 protected:
  Tensor leaf(const Floats& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device_).requires_grad_();
  }
  Floats gradient(const Function& function, const Floats& at) const {
    const Tensor x = leaf(at);
    sum(function(x)).backward();
    return x.grad().to_vector<float>();
  }
  Floats second(const Function& function, const Floats& at) const {
    const Tensor x = leaf(at);
    const Tensor first = gradients({sum(function(x))}, {x}, {}, {.create_graph = true})[0];
    return gradients({sum(first)}, {x})[0].to_vector<float>();
  }
};
PATCHBAY_ON_EACH_DEVICE(Jumps);

/// The gradient of b is the whole number that the value has: a - out over b.
TEST_P(Jumps, RemainderHasOneQuotient) {
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> draw(-60, 60);
  Floats dividends = {1, -1, 0.7F, 5, -1e-9F}, divisors = {0.1F, 0.1F, 0.1F, -0.1F, 1};
  while (dividends.size() < 2000) {
    const int divisor = draw(engine);
    if (divisor == 0) continue;
    dividends.push_back(static_cast<float>(draw(engine)) / 10);
    divisors.push_back(static_cast<float>(divisor) / 10);
  }
  const Tensor a = leaf(dividends), b = leaf(divisors);
  const Tensor rest = remainder(a, b);
  sum(rest).backward();
  const Floats found = b.grad().to_vector<float>(), rests = rest.to_vector<float>();
  EXPECT_EQ(found[0], -9);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double quotient =
        (static_cast<double>(dividends[i]) - static_cast<double>(rests[i])) / divisors[i];
    ASSERT_EQ(found[i], -std::round(quotient)) << dividends[i] << " by " << divisors[i];
  }
  EXPECT_EQ(a.grad().to_vector<float>(), Floats(found.size(), 1));
}

TEST_P(Jumps, AtTheBoundsOfClampThereIsNoGradient) {
  const Floats at = {-2, -1, -0.5F, 1, 2, NAN};
  const auto both = [](const Tensor& x) { return clamp(x, -1, 1); };
  EXPECT_EQ(gradient(both, at), (Floats{0, 0, 1, 0, 0, 0}));
  const float infinity = std::numeric_limits<float>::infinity();
  const auto low = [](const Tensor& x) { return clamp(x, -1); };
  EXPECT_EQ(gradient(low, {-infinity, -1, 5, infinity}), (Floats{0, 0, 1, 1}));
}

/// Both sides of a choice are computed, also where only one is right.
TEST_P(Jumps, TheOtherSideMayOverflow) {
  const Floats at = {-200, -1, 0.5F, 88, 89, 100, 1e30F};
  const auto smooth = [](const Tensor& x) { return elu(x, 1.5); };
  const Floats first = gradient(smooth, at), next = second(smooth, at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double slope = at[i] > 0 ? 1 : 1.5 * std::exp(at[i]);
    EXPECT_NEAR(first[i], slope, 1e-6) << at[i];
    EXPECT_NEAR(next[i], at[i] > 0 ? 0 : slope, 1e-6) << at[i];
  }
}

}  // namespace
}  // namespace patchbay::test
