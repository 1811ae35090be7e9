// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products by the CPU plugin's own loops, for each instruction set that this processor has.
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

struct Extents {
  std::int64_t m, n, k;
};
// Small and large ones, vectors, and extents that fill no tile or exceed a block by a little.
constexpr Extents kExtents[] = {
    {1, 1, 1},       {3, 5, 7},     {16, 16, 16},    {17, 9, 33},    {48, 8, 384},  {49, 13, 385},
    {100, 100, 100}, {1, 65, 130},  {130, 1, 70},    {1, 1, 3000},   {2100, 1, 9},  {9, 1, 2100},
    {5, 300, 400},   {300, 5, 400}, {257, 259, 261}, {300, 1100, 2}, {64, 64, 900}, {400, 33, 700}};

/// A matrix of rough values of both signs, stored by rows or by columns.
template <class T>
struct Matrix {
  Matrix(const Device& device, std::int64_t rows, std::int64_t columns, bool by_columns,
         unsigned seed) {
    const std::vector<float> rough = rough_values(static_cast<std::size_t>(rows * columns), seed);
    values.assign(rough.begin(), rough.end());
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = -values[i];
    tensor = by_columns ? from_host(values, {columns, rows}, device).t()
                        : from_host(values, {rows, columns}, device);
    row = by_columns ? 1 : columns;
    column = by_columns ? rows : 1;
  }
  double at(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(values[static_cast<std::size_t>(i * row + j * column)]);
  }
  std::vector<T> values;
  Tensor tensor;
  std::int64_t row, column;
};

/// Checks alpha a b + beta c against sums in double (for doubles: with a bound of their own).
template <class T>
void expect_product(const Device& device, const Extents& e, int layout, double alpha, double beta) {
  const Matrix<T> a(device, e.m, e.k, (layout & 1) != 0, 1);
  const Matrix<T> b(device, e.k, e.n, (layout & 2) != 0, 2);
  const Matrix<T> c(device, e.m, e.n, (layout & 4) != 0, 3);
  matmul_out(c.tensor, a.tensor, b.tensor, alpha, beta);
  const std::vector<T> got = c.tensor.contiguous().template to_vector<T>();
  const double unit = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::int64_t i = 0; i < e.m; ++i) {
    for (std::int64_t j = 0; j < e.n; ++j) {
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < e.k; ++k) {
        sum += a.at(i, k) * b.at(k, j);
        size += std::abs(a.at(i, k) * b.at(k, j));
      }
      const double expected = alpha * sum + beta * c.at(i, j);
      const double bound = (static_cast<double>(e.k) + 4) * unit *
                           (std::abs(alpha) * size + std::abs(beta * c.at(i, j)));
      const auto value = static_cast<double>(got[static_cast<std::size_t>(i * e.n + j)]);
      ASSERT_LE(std::abs(value - expected), bound)
          << e.m << " x " << e.n << " x " << e.k << ", layout " << layout << ", alpha " << alpha
          << ", beta " << beta << ", at " << i << ", " << j;
    }
  }
}

template <class T>
void expect_products(const Device& device) {
  for (const Extents& e : kExtents) {
    for (int layout = 0; layout < 8; ++layout) {
      expect_product<T>(device, e, layout, 1, 0);
      if (e.m * e.n * e.k > 100'000 && layout != 0 && layout != 7) continue;
      expect_product<T>(device, e, layout, 1, 1);
      expect_product<T>(device, e, layout, -1.5, 0.25);
    }
  }
}

/// By name of the instruction set.
class CpuProducts : public testing::TestWithParam<const char*> {
 protected:
  CpuProducts() {
    const std::string got = runtime_.device("cpu").properties().driver_version;
    has_it_ = got == std::string(GetParam()) + ", own products";
  }
  void SetUp() override {
    if (!has_it_) GTEST_SKIP() << "this processor has no " << GetParam();
  }
  static Runtime with_threads(const char* devices, const char* threads) {
    return cpu_runtime({{"cpu_simd", GetParam()},
                        {"cpu_products", "own"},
                        {"cpu_devices", devices},
                        {"cpu_threads", threads}});
  }
  const Runtime runtime_ = with_threads("1", "3");
  bool has_it_ = false;
};
#if defined(__x86_64__)
constexpr const char* kSimds[] = {"avx512", "avx2", "sse4.2"};
#else
constexpr const char* kSimds[] = {"base"};
#endif
INSTANTIATE_TEST_SUITE_P(All, CpuProducts, testing::ValuesIn(kSimds), [](const auto& each) {
  const std::string name = each.param;
  return name.substr(0, name.find('.'));
});

TEST_P(CpuProducts, OfFloatsAreWithinTheirBound) { expect_products<float>(runtime_.device("cpu")); }

TEST_P(CpuProducts, OfDoublesAreWithinTheirBound) {
  // The bound has room for the reference, which is rounded too.
  expect_products<double>(runtime_.device("cpu"));
}

/// With an alpha of 0 the factors are not read, with a beta of 0 the output is not.
TEST_P(CpuProducts, ReadNothingThatIsMultipliedByZero) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const Extents& e : {Extents{3, 5, 7}, Extents{130, 1, 70}, Extents{1, 65, 130},
                             Extents{70, 400, 500}, Extents{4, 4, 0}}) {
      const TensorOptions options(dtype, runtime_.device("cpu"));
      const Tensor nan_a = full({e.m, e.k}, NAN, options), nan_b = full({e.k, e.n}, NAN, options);
      const Tensor c = full({e.m, e.n}, 3, options), nan_c = full({e.m, e.n}, NAN, options);
      const auto size = static_cast<std::size_t>(e.m * e.n);
      const auto values = [](const Tensor& t) { return t.cast(DType::f64).to_vector<double>(); };
      EXPECT_EQ(values(addmm(c, nan_a, nan_b, 0, 2)), std::vector<double>(size, 6))
          << to_string(dtype) << ' ' << e.m;
      EXPECT_EQ(values(addmm(nan_c, nan_a, nan_b, 0, 0)), std::vector<double>(size, 0));
      const Tensor a = full({e.m, e.k}, 1, options), b = full({e.k, e.n}, 2, options);
      EXPECT_EQ(values(addmm(nan_c, a, b, 1, 0)),
                std::vector<double>(size, 2.0 * static_cast<double>(e.k)));
    }
  }
}

/// Infinities and NaNs of the factors arrive, and nothing that is packed beside them leaks in.
TEST_P(CpuProducts, KeepNaNsInTheirRowsAndColumns) {
  const Device cpu = runtime_.device("cpu");
  for (const std::int64_t n : {7, 50, 300}) {
    const Tensor a = ones({n, n}, {DType::f32, cpu}), b = ones({n, n}, {DType::f32, cpu});
    a.select(0, n - 1).select(0, 2).fill_(NAN);
    b.select(0, 1).select(0, 3).fill_(INFINITY);
    const std::vector<float> got = matmul(a, b).to_vector<float>();
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const float value = got[static_cast<std::size_t>(i * n + j)];
        if (i == n - 1) {
          EXPECT_TRUE(std::isnan(value)) << n << ": " << i << ", " << j;
        } else {
          EXPECT_EQ(value, j == 3 ? INFINITY : static_cast<float>(n))
              << n << ": " << i << ", " << j;
        }
      }
    }
  }
}

template <class T>
std::vector<T> all_products(const Device& device) {
  std::vector<T> all;
  for (const Extents& e : kExtents) {
    for (int layout = 0; layout < 8; ++layout) {
      const Matrix<T> a(device, e.m, e.k, (layout & 1) != 0, 1);
      const Matrix<T> b(device, e.k, e.n, (layout & 2) != 0, 2);
      const Matrix<T> c(device, e.m, e.n, (layout & 4) != 0, 3);
      matmul_out(c.tensor, a.tensor, b.tensor, 1.7, 0.3);
      const std::vector<T> part = c.tensor.contiguous().template to_vector<T>();
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  return all;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST_P(CpuProducts, RepeatTheirBitsForAnyNumberOfThreads) {
  const std::vector<float> floats = all_products<float>(with_threads("1", "1").device("cpu"));
  const std::vector<double> doubles = all_products<double>(with_threads("1", "1").device("cpu"));
  for (const char* threads : {"2", "3", "7"}) {
    const Runtime runtime = with_threads("1", threads);
    EXPECT_TRUE(same_bits(all_products<float>(runtime.device("cpu")), floats)) << threads;
    EXPECT_TRUE(same_bits(all_products<double>(runtime.device("cpu")), doubles)) << threads;
  }
  const Runtime several = with_threads("2", "2");
  EXPECT_TRUE(same_bits(all_products<float>(several.device("cpu:1")), floats));
}

TEST_P(CpuProducts, OfEightThreadsAtOnceAreRight) {
  for (const char* devices : {"1", "2"}) {
    const Runtime runtime = with_threads(devices, "2");
    std::atomic<int> wrong{0}, arrived{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&, caller] {
        const int device = devices[0] == '2' ? caller % 2 : 0;
        const Device cpu = runtime.device("cpu:" + std::to_string(device));
        for (const std::int64_t n : {30, 120, 400}) {
          const Tensor a = full({n, n}, caller + 1, {DType::f64, cpu}), out = empty_like(a);
          const double value = static_cast<double>(n) * (caller + 1.0) * (caller + 1.0);
          const std::vector<double> expected(static_cast<std::size_t>(n * n), value);
          ++arrived;
          for (int round = 0; round < 10; ++round) {
            matmul_out(out, a, a);
            if (out.to_vector<double>() != expected) ++wrong;
          }
        }
      });
    }
    for (std::thread& thread : callers) thread.join();
    EXPECT_EQ(wrong.load(), 0) << devices;
    EXPECT_EQ(arrived.load(), 24);
  }
}

TEST_P(CpuProducts, OfBatchesAreThoseOfTheirMatrices) {
  const Device cpu = runtime_.device("cpu");
  for (const Extents& e : {Extents{5, 6, 7}, Extents{70, 80, 90}, Extents{40, 1, 300}}) {
    const Tensor a = randn({7, e.m, e.k}, {DType::f32, cpu});
    const Tensor b = randn({7, e.k, e.n}, {DType::f32, cpu});
    const Tensor all = matmul(a, b);
    for (std::int64_t i = 0; i < 7; ++i) {
      EXPECT_TRUE(same_bits(all.select(0, i).to_vector<float>(),
                            matmul(a.select(0, i), b.select(0, i)).to_vector<float>()))
          << e.m << ", " << i;
    }
  }
}

}  // namespace
}  // namespace patchbay::test
