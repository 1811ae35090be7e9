// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products of f32 with operands of 10 bits of fraction: only where the user asks for them.
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimFastF32 : public SimTest {
 protected:
  /// A product that shows how many bits are read: (1 + 2^-12) * 1.
  static float product(const std::map<std::string, std::string>& settings) {
    const Runtime runtime(options(settings));
    const Device device = runtime.device(kNames.device(0));
    const Tensor a = full({1, 1}, 1 + 1.0 / 4096, device);
    return matmul(a, ones({1, 1}, device)).item<float>();
  }
};

TEST_F(SimFastF32, IsAChoice) {
  EXPECT_EQ(product({}), 1 + 1.0F / 4096);
  EXPECT_EQ(product({{kNames.fast_f32, "0"}}), 1 + 1.0F / 4096);
  EXPECT_EQ(product({{kNames.fast_f32, "1"}}), 1.0F);
}

TEST_F(SimFastF32, OtherValues) {
  EXPECT_ERROR(product({{kNames.fast_f32, "yes"}}), ErrorCode::kUnknownDevice,
               "): expected 0 or 1, got 'yes'");
}

}  // namespace
}  // namespace patchbay::sim_test
