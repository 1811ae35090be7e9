// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Attention by cuDNN's graph API.
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimDnnAttention : public SimTest {
 protected:
  using Values = std::vector<double>;

  /// Of few bits, from -2 to 2.
  static Tensor numbers(const Shape& shape, const Device& device, DType dtype, int seed) {
    Values all(static_cast<std::size_t>(num_elements(shape)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] =
          static_cast<double>((i * 7919 + static_cast<std::size_t>(seed) * 104729) % 33) / 8 - 2;
    }
    return from_host(all, shape, device).cast(dtype);
  }

  struct Operands {
    Tensor query, key, value;
  };
  /// [batch, heads, rows, features].
  static Operands operands(const Device& device, DType dtype, std::int64_t features = 16) {
    return {numbers({2, 3, 5, features}, device, dtype, 1),
            numbers({2, 3, 7, features}, device, dtype, 2),
            numbers({2, 3, 7, features}, device, dtype, 3)};
  }
  static Operands in_f64(const Operands& of, const Device& device) {
    const auto moved = [&](const Tensor& a) { return a.to(device).cast(DType::f64); };
    return {moved(of.query), moved(of.key), moved(of.value)};
  }

  struct Run {
    Tensor result;
    std::uint64_t launches = 0;     // of the driver, so none by the library
    std::uint64_t dnn_objects = 0;  // more than 1 if the library has been asked
  };
  static Run attend(const Operands& of, const AttentionOptions& by = {}) {
    of.query.device().synchronize();
    const std::uint64_t before = counters().launches;
    Run run{scaled_dot_product_attention(of.query, of.key, of.value, by)};
    run.result.device().synchronize();
    run.launches = counters().launches - before;
    run.dnn_objects = counters().dnn_objects;
    return run;
  }

  /// Two roundings to the dtype, of numbers up to 2.
  static void expect_near(const Tensor& got, const Tensor& expected, DType dtype) {
    const Values a = values_of(got), b = values_of(expected);
    ASSERT_EQ(a.size(), b.size());
    const double room = dtype == DType::f32 ? 1e-5 : dtype == DType::f16 ? 3e-3 : 2.5e-2;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], room) << i;
  }
  static void expect_right(const Run& got, const Operands& of, const Runtime& runtime,
                           const AttentionOptions& by = {}) {
    const Operands exact = in_f64(of, runtime.device("cpu:0"));
    AttentionOptions on_cpu = by;
    if (by.mask.defined()) {
      on_cpu.mask = by.mask.to(runtime.device("cpu:0")).cast(DType::f64);
    }
    expect_near(got.result, attend(exact, on_cpu).result, of.query.dtype());
  }
};

TEST_F(SimDnnAttention, ComputesSmallFloats) {
  const Device device = new_card();
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Operands of = operands(device, dtype);
    for (const std::optional<double> scale : {std::optional<double>(), std::optional(0.3)}) {
      AttentionOptions by;
      by.scale = scale;
      const Run got = attend(of, by);
      EXPECT_EQ(got.launches, 0u);
      EXPECT_GT(got.dnn_objects, 1u);
      EXPECT_EQ(got.result.dtype(), dtype);
      EXPECT_EQ(got.result.shape(), (Shape{2, 3, 5, 16}));
      expect_right(got, of, device.runtime(), by);
    }
  }
}

TEST_F(SimDnnAttention, TakesEveryRank) {
  const Device device = new_card();
  for (const Shape& batch : {Shape{}, Shape{3}, Shape{2, 1, 2}}) {
    const auto made = [&](std::int64_t rows, int seed) {
      Shape shape = batch;
      shape.push_back(rows);
      shape.push_back(8);
      return numbers(shape, device, DType::f16, seed);
    };
    const Operands of{made(4, 1), made(6, 2), made(6, 3)};
    const Run got = attend(of);
    EXPECT_EQ(got.launches, 0u);
    EXPECT_EQ(got.result.shape(), of.query.shape());
    expect_right(got, of, device.runtime());
  }
}

/// Heads that lie within the rows need no copy; operands that repeat do.
TEST_F(SimDnnAttention, TakesStrides) {
  const Device device = new_card();
  const auto made = [&](std::int64_t rows, int seed) {
    return numbers({2, rows, 3, 16}, device, DType::f16, seed).transpose(1, 2);
  };
  const Operands of{made(5, 1), made(7, 2), made(7, 3)};
  const Run got = attend(of);
  EXPECT_EQ(got.launches, 0u);
  expect_right(got, of, device.runtime());
  const Operands shared{of.query, of.key.slice(1, 0, 1), of.value.slice(0, 0, 1)};
  expect_right(attend(shared), shared, device.runtime());
}

/// What the library does not compute is made of products and softmax, as before.
TEST_F(SimDnnAttention, TheRestIsComposed) {
  const Device device = new_card();
  const Operands of = operands(device, DType::f16);
  AttentionOptions causal, masked, dropped;
  causal.is_causal = true;
  masked.mask = numbers({5, 7}, device, DType::f16, 4);
  for (const AttentionOptions& by : {causal, masked}) {
    const Run got = attend(of, by);
    EXPECT_GT(got.launches, 0u);
    expect_right(got, of, device.runtime(), by);
  }
  dropped.dropout = 0.5;
  EXPECT_GT(attend(of, dropped).launches, 0u);
  const Operands wide = operands(device, DType::f32);
  const Run of_f32 = attend(wide);
  EXPECT_GT(of_f32.launches, 0u);
  expect_right(of_f32, wide, device.runtime());
  EXPECT_EQ(of_f32.dnn_objects, 0u);
}

/// Forward by the library, and backward from the scores, which are computed again.
TEST_F(SimDnnAttention, HasGradients) {
  const Runtime runtime(options());
  const auto gradients_on = [&](const char* device, DType dtype) {
    Operands of = operands(runtime.device(device), dtype);
    for (const Tensor* const each : {&of.query, &of.key, &of.value}) each->requires_grad_();
    const Tensor result = attend(of).result;
    EXPECT_EQ(result.dtype(), dtype);
    result.backward(numbers(result.shape(), runtime.device(device), dtype, 5));
    return Operands{of.query.grad(), of.key.grad(), of.value.grad()};
  };
  const Operands got = gradients_on("cuda:0", DType::f16);
  EXPECT_GT(counters().dnn_objects, 1u);
  const Operands expected = gradients_on("cpu:0", DType::f64);
  expect_near(got.query, expected.query, DType::bf16);
  expect_near(got.key, expected.key, DType::bf16);
  expect_near(got.value, expected.value, DType::bf16);
}

/// The refusal is no error, and is remembered: each later call is composed too.
TEST_F(SimDnnAttention, SizesThatTheLibraryRefuses) {
  const Device device = new_card();
  for (const std::int64_t features : {12, 136}) {
    const Operands of = operands(device, DType::bf16, features);
    for (int round = 0; round < 2; ++round) {
      const Run got = attend(of);
      EXPECT_GT(got.launches, 0u) << features;
      expect_right(got, of, device.runtime());
    }
  }
  const Operands taken = operands(device, DType::bf16);
  const Run got = attend(taken);
  EXPECT_EQ(got.launches, 0u);
  expect_right(got, taken, device.runtime());
  // Views that begin at another address than 16 k.
  const auto shifted = [](const Tensor& a) { return a.slice(-1, 1, 9); };
  const Operands views{shifted(taken.query), shifted(taken.key), shifted(taken.value)};
  expect_right(attend(views), views, device.runtime());
}

TEST_F(SimDnnAttention, AScaleThatNoF32IsStaysAnError) {
  const Runtime runtime(options());
  const Operands of = operands(runtime.device("cuda:0"), DType::f16);
  AttentionOptions by;
  by.scale = 1.5e308;
  const Error error = test::error_of([&] { (void)attend(of, by); });
  EXPECT_HAS(error.what(), "expected a value that f32 can hold, got 1.5e+308");
}

/// The library would give NaN.
TEST_F(SimDnnAttention, ScalesThatAreNotAbove0AreComposed) {
  const Runtime runtime(options());
  const Operands of = operands(runtime.device("cuda:0"), DType::f16);
  for (const double scale : {-0.3, 0.0, -0.0, 1e-50}) {
    AttentionOptions by;
    by.scale = scale;
    const Run got = attend(of, by);
    EXPECT_GT(got.launches, 0u) << scale;
    expect_right(got, of, runtime, by);
  }
}

TEST_F(SimDnnAttention, EmptyOperands) {
  const Device device = new_card();
  const TensorOptions half{DType::f16, device};
  const Tensor no_keys = scaled_dot_product_attention(ones({2, 3, 8}, half), ones({2, 0, 8}, half),
                                                      ones({2, 0, 8}, half));
  EXPECT_EQ(values_of(no_keys), Values(48, 0));
  EXPECT_EQ(scaled_dot_product_attention(ones({0, 3, 8}, half), ones({0, 2, 8}, half),
                                         ones({0, 2, 8}, half))
                .shape(),
            (Shape{0, 3, 8}));
}

TEST_F(SimDnnAttention, AGraphReplaysWhatItRecords) {
  const Device device = new_card();
  const Operands of = operands(device, DType::f16);
  Tensor result;
  const Graph graph =
      record_graph([&] { result = scaled_dot_product_attention(of.query, of.key, of.value); });
  graph.replay();
  expect_right({result}, of, device.runtime());
}

TEST_F(SimDnnAttention, WithoutTheLibrary) {
  const auto expect_composed = [](const Settings& settings) {
    const Runtime runtime(options(settings));
    const Operands of = operands(runtime.device("cuda:0"), DType::f16);
    const Run got = attend(of);
    EXPECT_GT(got.launches, 0u);
    expect_right(got, of, runtime);
    return got.dnn_objects;
  };
  EXPECT_EQ(expect_composed({{"cuda_dnn_library", "/nowhere/libcudnn.so"}}), 0u);
  EXPECT_EQ(expect_composed({{"cuda_attention", "own"}}), 0u);
  for (const char* version : {"90100", "91300"}) {
    set("DNN_VERSION", version);
    EXPECT_EQ(expect_composed({}), 1u) << "the handle alone";
  }
  set("DNN_VERSION", "91301");
  set("DNN_PLANS", "0");
  expect_composed({});
  set("DNN_PLANS", "1");
  set("DNN_STATUS", "1001");
  set("MEMORY_BYTES", "4294967296");  // so that it is not taken for a lack of memory
  expect_composed({});
}

/// The setting for convolutions says nothing of attention.
TEST_F(SimDnnAttention, SettingsAreApart) {
  const Runtime runtime(options({{"cuda_convolutions", "own"}}));
  EXPECT_EQ(attend(operands(runtime.device("cuda:0"), DType::f16)).launches, 0u);
}

}  // namespace
}  // namespace patchbay::sim_test
