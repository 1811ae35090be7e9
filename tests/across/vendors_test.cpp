// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Four vendors in one process: what one does, or suffers, is nothing to the others.
#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <patchbay/nn.h>

#include "sim/counters.h"
#include "support/device_test.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

constexpr const char* kDevices[] = {"cpu:0", "opencl:0", "cuda:0", "hip:0"};

class Vendors : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kDevices) {
      if (const std::string why = absence_of(name); !why.empty())
        GTEST_SKIP() << name << ": " << why;
    }
    if (simulated_card_settings().empty()) GTEST_SKIP() << "the cards are not simulated";
  }

  static patchbay_sim_counters counters(const char* driver) {
    const std::string file = test::simulated_library(driver);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* const count =
        reinterpret_cast<decltype(&patchbay_sim_count)>(dlsym(library, "patchbay_sim_count"));
    patchbay_sim_counters result{};
    count(&result);
    return result;
  }
  static std::vector<Device> devices(const Runtime& runtime) {
    std::vector<Device> all;
    for (const char* name : kDevices) all.push_back(runtime.device(name));
    return all;
  }
};

std::vector<float> compute(const Device& device) {
  const Tensor a = arange(0, 12, 1, {DType::f32, device}).reshape({3, 4});
  return sum(matmul(a, a.t()) * 0.5f + 1, 0).to_vector<float>();
}

TEST_F(Vendors, ComputeTheSame) {
  const Runtime runtime(device_options());
  const std::vector<float> expected = compute(runtime.device("cpu:0"));
  for (const Device& device : devices(runtime)) EXPECT_EQ(compute(device), expected) << device;
}

/// The simulated drivers define functions with the same names, as drivers of one vendor's family
/// do.
TEST_F(Vendors, SymbolsAreApart) {
  const Runtime runtime(device_options());
  const Buffer one = Buffer::allocate(runtime.device("cuda:0"), 100);
  EXPECT_EQ(counters("cuda").allocations, 1u);
  EXPECT_EQ(counters("hip").allocations, 0u);
  const Buffer two = Buffer::allocate(runtime.device("hip:0"), 100);
  const Buffer three = Buffer::allocate(runtime.device("hip:1"), 100);
  EXPECT_EQ(counters("cuda").allocations, 1u);
  EXPECT_EQ(counters("hip").allocations, 2u);
}

TEST_F(Vendors, AreDifferentHardware) {
  const Runtime runtime(device_options());
  for (const Device& a : devices(runtime)) {
    for (const Device& b : devices(runtime)) {
      if (a == b) continue;
      EXPECT_FALSE(is_same_hardware(a.properties(), b.properties())) << a << ' ' << b;
    }
  }
}

TEST_F(Vendors, OneFailsAlone) {
  for (const auto& [variable, failing] : {std::pair{"PATCHBAY_SIM_HIP_FAIL_LAUNCH", "hip:0"},
                                          std::pair{"PATCHBAY_SIM_CUDA_FAIL_LAUNCH", "cuda:0"}}) {
    setenv(variable, "1", 1);
    {
      const Runtime runtime(device_options());
      const Device lost = runtime.device(failing);
      const std::vector<float> expected = compute(runtime.device("cpu:0"));
      EXPECT_ERROR(compute(lost), ErrorCode::kDeviceLost, "device 0 is lost: ");
      for (const Device& device : devices(runtime)) {
        if (device == lost) continue;
        EXPECT_EQ(compute(device), expected) << device;
      }
      EXPECT_ERROR(compute(lost), ErrorCode::kDeviceLost, "device 0 is lost: ");
    }
    unsetenv(variable);
  }
}

TEST_F(Vendors, AnAbsentOneHidesNoOther) {
  RuntimeOptions without = device_options();
  without.settings["hip_library"] = "/nowhere/libamdhip64.so";
  const Runtime runtime(without);
  EXPECT_EQ(compute(runtime.device("cuda:0")), compute(runtime.device("opencl:0")));
  EXPECT_ERROR((void)runtime.device("hip:0"), ErrorCode::kUnknownDevice, "/nowhere/libamdhip64.so");
}

/// Gradients on four devices, joined in the order of the replicas.
TEST_F(Vendors, TrainOneModelTogether) {
  const Runtime runtime(device_options());
  const std::vector<Device> all = devices(runtime);
  const TensorOptions there = all[0];
  nn::Sequential alone(nn::Linear(3, 8, {.tensor = there}), nn::Tanh(),
                       nn::Linear(8, 2, {.tensor = there}));
  nn::DataParallel model(nn::clone(alone), all);
  std::vector<float> values(33);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(static_cast<float>(i) * 0.7F);
  }
  const Tensor x = from_host(values, {11, 3}, all[0]);
  const auto gradients = [&](nn::Module& net) {
    const Tensor y = net(x);
    sum(y * y).backward();
    std::vector<std::vector<float>> result;
    for (const auto& named : net.named_parameters()) {
      result.push_back(named.parameter->grad().to_vector<float>());
    }
    return result;
  };
  const auto got = gradients(model), expected = gradients(alone);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size(), expected[i].size());
    for (std::size_t j = 0; j < got[i].size(); ++j) {
      EXPECT_NEAR(got[i][j], expected[i][j], 1e-5F * std::max(1.0F, std::abs(expected[i][j])));
    }
  }
  // Each had a part of the batch.
  for (const Device& device : all) {
    if (device == all[0]) continue;
    EXPECT_GT(runtime.ledger().total("cpu:0", device.name()).copies, 0u);
  }
}

}  // namespace
}  // namespace patchbay::test
