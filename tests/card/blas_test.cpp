// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the BLAS library wants of a device and of its caller.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimBlas : public SimTest {
 protected:
  /// 2 x 3 times 3 x 2, from the host, so that nothing of it is on the device before.
  static std::vector<float> product(const Device& device) {
    const Tensor a = from_host<float>({1, 2, 3, 4, 5, 6}, {2, 3}, device);
    const Tensor b = from_host<float>({1, 0, 0, 1, 1, 1}, {3, 2}, device);
    return matmul(a, b).to_vector<float>();
  }
  static inline const std::vector<float> kProduct = {4, 5, 10, 11};
};

/// 3000 ones and 3000 fractions. If parts of the sum are rounded, those of 512 fractions are lost.
TEST_F(SimBlas, SumsOf16BitFloatsAreRoundedOnce) {
  const Device device = new_card();
  for (const auto& [dtype, fraction] :
       {std::pair{DType::bf16, 1.0 / 128}, {DType::f16, 1.0 / 1024}}) {
    const Tensor a =
        concat({ones({1, 3000}, device), full({1, 3000}, fraction, device)}, 1).cast(dtype);
    const Tensor product = matmul(a, ones({6000, 1}, device).cast(dtype));
    const Tensor exact = full({1}, 3000 + 3000 * fraction, device).cast(dtype);
    EXPECT_EQ(product.cast(DType::f32).to_vector<float>(),
              exact.cast(DType::f32).to_vector<float>())
        << to_string(dtype);
  }
}

/// Of 64 MiB the buffer takes what leaves the library, which wants 8, too little.
constexpr std::size_t kMost = std::size_t{58} << 20;

TEST_F(SimBlas, FullDevice) {
#ifdef PATCHBAY_SIM_HIP
  const char* const create = "rocblas_create_handle";
  constexpr const char* kStatuses[] = {"1", "5", "6"};
#else
  const char* const create = "cublasCreate_v2";
  constexpr const char* kStatuses[] = {"1", "3", "14"};
#endif
  for (const char* status : kStatuses) {
    set("MEMORY_BYTES", "67108864");
    set("BLAS_STATUS", status);
    std::string log;
    const Device device = new_card({{"memory_cache", "off"}, {"log", "info"}}, &log);
    {
      const Buffer most = Buffer::allocate(device, kMost);
      const Error error = test::error_of([&] { (void)product(device); });
      EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory)) << error.what();
      EXPECT_TRUE(error.is_retryable());
      EXPECT_EQ(error.native_code(), std::stoi(status));
      EXPECT_HAS(error.what(),
                 std::string(create) + " gives status " + status + ", as on a full device: ");
      EXPECT_EQ(counters().blas_handles, 0u);
    }
    // Neither the failure nor the slow kernel is kept.
    EXPECT_EQ(product(device), kProduct);
    EXPECT_EQ(counters().blas_handles, 1u);
    const std::string used = std::string("] uses ") + kNames.blas_library + ": /";
    EXPECT_HAS(log, used);
    EXPECT_EQ(log.find(used), log.rfind(used)) << log;
    EXPECT_EQ(log.find("portable kernel"), std::string::npos) << log;
  }
}

/// A sink may compute on the device whose library is logged.
TEST_F(SimBlas, ALogSinkMayMultiply) {
  std::optional<Runtime> runtime;
  std::vector<std::vector<float>> products;
  RuntimeOptions noisy = options({{"log", "info"}});
  noisy.log = [&](LogLevel, std::string_view line) {
    if (line.find("uses ") == std::string_view::npos || !products.empty()) return;
    products.emplace_back();
    products.back() = product(runtime->device(kNames.device(0)));
  };
  runtime.emplace(noisy);
  EXPECT_EQ(product(runtime->device(kNames.device(0))), kProduct);
  ASSERT_EQ(products.size(), 1u);
  EXPECT_EQ(products[0], kProduct);
}

/// Some of these statuses have other causes too.
TEST_F(SimBlas, AFailureWithMemoryLeftIsNoFullDevice) {
#ifdef PATCHBAY_SIM_HIP
  const std::string failure = "rocBLAS does not work here: rocblas_create_handle gives status 6";
  set("BLAS_STATUS", "6");
#else
  const std::string failure = "cuBLAS does not work here: cublasCreate_v2 gives status 1";
  set("BLAS_STATUS", "1");
#endif
  set("MEMORY_BYTES", "4294967296");
  set("BLAS_BYTES", "8589934592");
  std::string log;
  const Device device = new_card({}, &log);
  EXPECT_EQ(product(device), kProduct);
  EXPECT_EQ(counters().blas_handles, 0u);
  EXPECT_HAS(log, "on the portable kernel: " + failure + ", though ");
  EXPECT_HAS(log, " of 4294967296 bytes are free");
}

TEST_F(SimBlas, UnusedMemoryGoesBackToTheDriver) {
  set("MEMORY_BYTES", "67108864");
  const Device device = new_card();
  (void)Buffer::allocate(device, kMost);  // kept by the runtime, used by nobody
  ASSERT_GE(device.memory().reserved_bytes, kMost);
  EXPECT_EQ(product(device), kProduct);
  EXPECT_EQ(counters().blas_handles, 1u);
}

/// A library that fails for another reason is not taken for an absent one.
TEST_F(SimBlas, OtherFailures) {
  set("MEMORY_BYTES", "67108864");
  set("BLAS_STATUS", "13");
  const Device device = new_card({{"memory_cache", "off"}});
  const Buffer most = Buffer::allocate(device, kMost);
  for (int i = 0; i < 2; ++i) {
    const Error error = test::error_of([&] { (void)product(device); });
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kLaunchFailed)) << error.what();
    const std::string what = error.what();
    EXPECT_HAS(what, std::string(kNames.blas_library) + ": ");
    EXPECT_HAS(what, " gives status 13");
  }
}

/// What alpha a b + beta `before` gives of a [3, 0] and b [0, 2], `count` times; neither has
/// memory.
std::vector<float> scaled(const Device& device, std::int64_t count, float before, float beta) {
  const Shape shape = count == 1 ? Shape{3, 2} : Shape{count, 3, 2};
  const Shape a_shape = count == 1 ? Shape{3, 0} : Shape{count, 3, 0};
  const Shape b_shape = count == 1 ? Shape{0, 2} : Shape{count, 0, 2};
  const ArgumentSpec read = ArgumentSpec::tensor(DType::f32, Access::kRead);
  const ArgumentSpec scalar = ArgumentSpec::scalar(DType::f32);
  const Kernel kernel = Kernel::prepare(
      device, {"gemm.1",
               {ArgumentSpec::tensor(DType::f32, Access::kReadWrite), read, read, scalar, scalar},
               {}});
  const auto bytes = static_cast<std::size_t>(num_elements(shape)) * sizeof(float);
  std::vector<float> values(bytes / sizeof(float), before);
  const Buffer out = Buffer::allocate(device, bytes), none = Buffer::allocate(device, 0);
  copy_from_host({out, 0, bytes}, values.data());
  const std::vector<Argument> arguments = {
      Argument::tensor(out, DType::f32, shape, Access::kReadWrite),
      Argument::tensor(none, DType::f32, a_shape, Access::kRead),
      Argument::tensor(none, DType::f32, b_shape, Access::kRead), Argument::scalar(3.0f),
      Argument::scalar(beta)};
  kernel.launch(device.default_stream(), arguments);
  device.synchronize();
  copy_to_host(values.data(), {out, 0, bytes});
  return values;
}

/// The library wants addresses even where it reads nothing.
TEST_F(SimBlas, ProductsWithoutDepth) {
  const Device device = new_card();
  for (const std::int64_t count : {1, 4}) {
    const auto size = static_cast<std::size_t>(6 * count);
    EXPECT_EQ(scaled(device, count, 2, 0.5f), std::vector<float>(size, 1));
    EXPECT_EQ(scaled(device, count, NAN, 0), std::vector<float>(size, 0));
  }
  EXPECT_EQ(counters().blas_handles, 1u);
  EXPECT_EQ(matmul(zeros({3, 0}, device), zeros({0, 2}, device)).to_vector<float>(),
            std::vector<float>(6, 0));
}

/// 16-bit operands with sums in f32: each value, its square and the sums are exact.
TEST_F(SimBlas, ProductsOfSmallFloats) {
  const Runtime runtime(options());
  const auto compute = [&](const Device& device, DType dtype) {
    const Tensor a = arange(0, 6, 1, TensorOptions{DType::f32, device}).reshape({2, 3});
    const Tensor b = arange(-3, 3, 1, TensorOptions{DType::f32, device}).reshape({3, 2});
    return matmul(a.cast(dtype), b.cast(dtype)).cast(DType::f32).to_vector<float>();
  };
  for (const DType dtype : {DType::f16, DType::bf16}) {
    EXPECT_EQ(compute(runtime.device(kNames.device(0)), dtype),
              compute(runtime.device("cpu:0"), dtype))
        << to_string(dtype);
  }
  EXPECT_EQ(counters().blas_handles, 1u);
}

/// More than a grid's third axis takes: in pieces, of which each has its own operands.
TEST_F(SimBlas, ManyBatches) {
  const Runtime runtime(options());
  const std::int64_t count = 70'000;
  std::vector<float> left(static_cast<std::size_t>(2 * count)), right(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = static_cast<float>(i % 251);
    right[i] = static_cast<float>(i % 127);
  }
  const auto compute = [&](const Device& device) {
    const Tensor a = from_host(left, {count, 1, 2}, device);
    const Tensor b = from_host(right, {count, 2, 1}, device);
    return matmul(a, b).to_vector<float>();
  };
  EXPECT_EQ(compute(runtime.device(kNames.device(0))), compute(runtime.device("cpu:0")));
}

TEST_F(SimBlas, ManyBatchesOfDoublesWithOneOperand) {
  const Runtime runtime(options());
  const std::int64_t count = 140'000;
  const auto compute = [&](const Device& device) {
    const TensorOptions where{DType::f64, device};
    const Tensor a = full({1, 1, 2}, 3, where).expand({count, 1, 2});
    const Tensor b = arange(0, 2 * count, 1, where).reshape({count, 2, 1});
    return matmul(a, b).to_vector<double>();
  };
  EXPECT_EQ(compute(runtime.device(kNames.device(0))), compute(runtime.device("cpu:0")));
}

// ---------------------------------------------------------------------------- fast f32 ---

/// Products of f32 with operands of 10 bits of fraction: only where the user asks for them.
class SimFastF32 : public SimTest {
 protected:
  /// A product that shows how many bits are read: (1 + 2^-12) * 1.
  static float product(const std::map<std::string, std::string>& settings) {
    const Device device = new_card(settings);
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
