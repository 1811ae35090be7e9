// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Users' kernels and products: the same bits as on the CPU, and what is missing has a name.
#include <cmath>
#include <vector>

#include "sim/simulation.h"
#include "support/paths.h"

namespace patchbay::sim_test {
namespace {

class SimKernel : public SimTest {
 protected:
  static std::uint64_t launches_of_adam(const Device& card, std::size_t count);
};

constexpr const char* kCompiler = sim::kHasContexts ? "NVRTC" : "hipRTC";

std::vector<float> values(std::size_t count, float step) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(i % 97) * step - 1.0f;
  return result;
}

KernelModule module_of(const Device& device, const std::string& name) {
  return KernelModule::from_file(device, test::source_path("examples/kernels/" + name + ".pbk"));
}

std::vector<float> saxpy(const Device& device) {
  const Tensor x = from_host(values(1000, 0.37f), {1000}, device);
  const Tensor y = from_host(values(1000, 0.11f), {1000}, device);
  module_of(device, "saxpy")
      .kernel("saxpy")
      .launch({.groups = {4}, .group_size = {256}}, {x, y, 2.5, std::int64_t{1000}});
  return y.to_vector<float>();
}

std::vector<float> block_sum(const Device& device) {
  const Tensor x = from_host(values(1000, 0.37f), {1000}, device);
  const Tensor sums = x.new_empty({4});
  module_of(device, "block_sum")
      .kernel("block_sum")
      .launch({.groups = {4}, .group_size = {256}}, {x, sums, std::int64_t{1000}});
  return sums.to_vector<float>();
}

std::vector<float> tiled_gemm(const Device& device) {
  const std::int64_t m = 37, n = 29, k = 45;
  const Tensor a = from_host(values(37 * 45, 0.1f), {m, k}, device);
  const Tensor b = from_host(values(45 * 29, 0.3f), {k, n}, device);
  const Tensor c = a.new_empty({m, n});
  module_of(device, "tiled_gemm")
      .kernel("tiled_gemm")
      .launch({.groups = {2, 3}, .group_size = {16, 16}}, {a, b, c, m, n, k});
  return c.to_vector<float>();
}

TEST_F(SimKernel, ExamplesGiveTheBitsOfTheCpu) {
  const Runtime runtime(options());
  const Device cpu = runtime.device("cpu:0");
  for (const std::string& name : {kNames.device(0), kNames.device(1)}) {
    const Device card = runtime.device(name);
    EXPECT_EQ(saxpy(card), saxpy(cpu)) << name;
    EXPECT_EQ(block_sum(card), block_sum(cpu)) << name;
    EXPECT_EQ(tiled_gemm(card), tiled_gemm(cpu)) << name;
  }
}

#ifndef PATCHBAY_SIM_HIP
TEST_F(SimKernel, OlderCompilerThanCard) {
  set("ARCHITECTURE", "121");  // the compiler knows 120: assembly, which the driver translates
  const Runtime runtime(options());
  EXPECT_EQ(saxpy(runtime.device(kNames.device(0))), saxpy(runtime.device("cpu:0")));
}
#endif

const std::string kText = kernel_text("k", "OUTPUT", "y[0] = 1.0f");

std::string why_not(const Device& device, const std::string& text, ErrorCode code) {
  const Error error =
      test::error_of([&] { (void)KernelModule::from_source(device, text, {.name = "mine.pbk"}); });
  EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
  return error.what();
}

TEST_F(SimKernel, CompileErrorsHaveTheUsersLines) {
  const std::string why =
      why_not(new_card(), kernel_text("k", "OUTPUT", "y[0] = nonsense"), ErrorCode::kBuildFailed);
  EXPECT_HAS(why, "does not compile (" + std::string(kCompiler) + " 99.0)");
  EXPECT_HAS(why, "mine.pbk:3");
}

/// AMD's compiler would end the process.
TEST_F(SimKernel, CardThatTheCompilerDoesNotKnow) {
  const std::string architecture = sim::kHasContexts ? "70" : "gfx1201";
  set("ARCHITECTURE", architecture);
  const std::string why = why_not(new_card(), kText, ErrorCode::kUnsupported);
  EXPECT_HAS(why, std::string(kCompiler) + " 99.0 makes no code for this device (" +
                      (sim::kHasContexts ? "sm_" : "") + architecture + ")");
}

TEST_F(SimKernel, NoCompiler) {
  const std::string setting = kNames.setting("rtc_library");
  const std::string why =
      why_not(new_card({{setting, "/nowhere/libcompiler.so"}}), kText, ErrorCode::kUnsupported);
  EXPECT_HAS(why,
             "kernels need " + std::string(kCompiler) + " at run time: /nowhere/libcompiler.so");
  EXPECT_HAS(why, "Install it, or name it by the setting " + setting);
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
}

/// The kernel's own limit, which its registers and shared memory set.
TEST_F(SimKernel, GroupThatIsTooLargeForTheKernel) {
  set("GROUP_LIMIT", "128");
  const Device device = new_card();
  const Tensor y = from_host(values(1, 1), {1}, device);
  const KernelModule module = KernelModule::from_source(device, kText);
  EXPECT_INVALID(module.kernel("k").launch({.groups = {1}, .group_size = {256}}, {y}),
                 "a group of 256 work-items: this kernel allows 128");
  module.kernel("k").launch({.groups = {1}, .group_size = {128}}, {y});
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>{1});
  // The portable operators make their groups smaller.
  EXPECT_EQ(sum(ones({1000}, device)).item<float>(), 1000);
}

TEST_F(SimKernel, GridThatTheHardwareHasNot) {
  const Device device = new_card();
  const Tensor y = from_host(values(1, 1), {1}, device);
  const KernelModule module = KernelModule::from_source(device, kText);
  EXPECT_INVALID(module.kernel("k").launch({.groups = {1, 70000}, .group_size = {1}}, {y}),
                 "70000 and 1 groups along axes 1 and 2: expected at most");
  EXPECT_INVALID(module.kernel("k").launch({.groups = {1}, .group_size = {1, 1, 128}}, {y}),
                 "128 work-items along axis 2: expected at most 64");
  EXPECT_EQ(y.to_vector<float>(), values(1, 1));  // the device is well
}

template <class T>
void expect_products(const Device& card, const Device& cpu, std::int64_t m = 5,
                     std::int64_t n = 7) {
  const auto whole = [](std::size_t count) {
    std::vector<T> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>(i * 7 % 13) - T(6);
    return result;
  };
  const std::int64_t k = 11;
  const auto a_values = whole(static_cast<std::size_t>(m * k));
  const auto b_values = whole(static_cast<std::size_t>(k * n));
  for (const bool turn_a : {false, true}) {
    for (const bool turn_b : {false, true}) {
      const auto product = [&](const Device& device) {
        Tensor a = from_host(a_values, turn_a ? Shape{k, m} : Shape{m, k}, device);
        Tensor b = from_host(b_values, turn_b ? Shape{n, k} : Shape{k, n}, device);
        if (turn_a) a = a.t();
        if (turn_b) b = b.t();
        return matmul(a, b).template to_vector<T>();
      };
      EXPECT_EQ(product(card), product(cpu)) << turn_a << turn_b;
    }
  }
}

TEST_F(SimKernel, ProductsByBlas) {
  const Runtime runtime(options());
  expect_products<float>(runtime.device(kNames.device(0)), runtime.device("cpu:0"));
  expect_products<double>(runtime.device(kNames.device(1)), runtime.device("cpu:0"));
  EXPECT_EQ(counters().blas_handles, 2u);
}

TEST_F(SimKernel, ProductsWithoutBlas) {
  std::string log;
  {
    const Device device = new_card({{kNames.setting("blas_library"), "/nowhere/libblas.so"}}, &log);
    expect_products<float>(device, device.runtime().device("cpu:0"));
    expect_products<double>(device, device.runtime().device("cpu:0"));
    const std::int64_t units = device.properties().compute_units;
    expect_products<float>(device, device.runtime().device("cpu:0"), 130,
                           128 * units / 2);  // enough for blocks of sums in registers
    EXPECT_EQ(counters().blas_handles, 0u);
  }
  const std::string line = "products run on the portable kernel: no " +
                           std::string(kNames.blas_library) + ": /nowhere/libblas.so";
  EXPECT_HAS(log, line);
  EXPECT_EQ(log.find(line), log.rfind(line)) << log;  // once
}

/// The driver's launches of a step of Adam over that many parameters in storages of their own.
std::uint64_t SimKernel::launches_of_adam(const Device& card, std::size_t count) {
  TensorList parameters, gradients, means, squares;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::int64_t>(1 + i % 7);
    parameters.push_back(full({size}, 1, card));
    gradients.push_back(full({size}, static_cast<double>(i) + 1, card));
    means.push_back(zeros({size}, card));
    squares.push_back(zeros({size}, card));
  }
  adam_update(parameters, gradients, means, squares, 1, {.learning_rate = 0.25});  // compiles
  card.synchronize();
  const std::uint64_t before = counters().launches;
  adam_update(parameters, gradients, means, squares, 1, {.learning_rate = 0.25});
  card.synchronize();
  const std::uint64_t launches = counters().launches - before;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& p = parameters[i];
    EXPECT_NEAR(p.to_vector<float>().back(), 0.5F, 0.1F) << i;  // about a rate for each step
  }
  return launches;
}

/// A group of Adam has 7 addresses and 2 numbers, all groups share 6 numbers.
TEST_F(SimKernel, UpdatesTakeAsFewLaunchesAsTheArgumentsOfAKernelAllow) {
  const bool is_cuda = sim::kHasContexts;
  const Device card = new_card();
  EXPECT_EQ(launches_of_adam(card, 1), 1u);
  EXPECT_EQ(launches_of_adam(card, 2), 1u);
  EXPECT_EQ(launches_of_adam(card, 33), 1u);
  EXPECT_EQ(launches_of_adam(card, 63), 1u);
  EXPECT_EQ(launches_of_adam(card, 64), is_cuda ? 1u : 2u);
  EXPECT_EQ(launches_of_adam(card, 511), is_cuda ? 1u : 9u);
  EXPECT_EQ(launches_of_adam(card, 512), is_cuda ? 2u : 9u);
}

TEST_F(SimKernel, OldDriversTakeFewerArguments) {
  if (!sim::kHasContexts) GTEST_SKIP() << "of CUDA";
  set("DRIVER_VERSION", "12000");
  const Runtime runtime(options());
  EXPECT_EQ(launches_of_adam(runtime.device(kNames.device(0)), 64), 2u);
}

TEST_F(SimKernel, OperatorsAreThePortableOnes) {
  const Device card = new_card(), cpu = card.runtime().device("cpu:0");
  const auto compute = [](const Device& device) {
    const Tensor a = from_host(values(600, 0.37f), {20, 30}, device);
    return sum(exp(a.t() * 0.1f) + a.t(), 0).to_vector<float>();
  };
  const std::vector<float> got = compute(card), expected = compute(cpu);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5f * std::abs(expected[i]));
}

}  // namespace
}  // namespace patchbay::sim_test
