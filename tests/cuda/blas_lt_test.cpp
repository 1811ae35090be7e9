// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Matrix products with a bias by cuBLASLt.
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimBlasLt : public SimTest {
 protected:
  using Values = std::vector<double>;

  /// The operands of a layer, and how they lie in memory.
  struct Case {
    Shape x;  // [..., in]
    std::int64_t out;
    bool is_x_turned = false, is_weight_turned = false, is_bias_a_view = false;
  };
  struct Results {
    Values out, x, weight, bias;    // the gradients too
    std::uint64_t launches = 0;     // of the driver for the result, so none by the library
    std::uint64_t searches = 0;     // by the library, for algorithms
    std::uint64_t descriptors = 0;  // of the library, that live
    std::string log;
  };

  /// Small integers, whose products and sums are exact in each dtype.
  static Tensor numbers(const Shape& shape, const Device& device, DType dtype, int seed) {
    Values all(static_cast<std::size_t>(num_elements(shape)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(seed)) % 5) - 2;
    }
    return from_host(all, shape, device).cast(dtype);
  }
  /// A matrix whose columns are contiguous.
  static Tensor turned(const Tensor& matrix) { return matrix.t().contiguous().t(); }

  static Results compute(const Device& device, DType dtype, const Case& of) {
    const std::int64_t in = of.x[of.x.rank() - 1];
    Tensor x = numbers(of.x, device, dtype, 0);
    Tensor weight = numbers({of.out, in}, device, dtype, 1);
    Tensor bias = numbers({of.out}, device, dtype, 2);
    if (of.is_x_turned) x = turned(x);
    if (of.is_weight_turned) weight = turned(weight);
    if (of.is_bias_a_view)
      bias = numbers({of.out * 2}, device, dtype, 3).slice(0, 0, of.out * 2, 2);
    for (const Tensor& operand : {x, weight, bias}) operand.requires_grad_();
    device.synchronize();
    const patchbay_sim_counters before = counters();
    const Tensor y = linear(x, weight, bias);
    device.synchronize();
    const patchbay_sim_counters after = counters();
    y.backward(numbers(y.shape(), device, dtype, 4));
    return {values_of(y.detach()),
            values_of(x.grad()),
            values_of(weight.grad()),
            values_of(bias.grad()),
            after.launches - before.launches,
            after.blas_lt_searches - before.blas_lt_searches,
            after.blas_lt_objects,
            {}};
  }
  static Results on_card(DType dtype, const Case& of, const Settings& settings = {}) {
    std::string log;
    RuntimeOptions all = options(settings);
    all.settings["log"] = "info";
    all.log = [&](LogLevel level, std::string_view line) {
      if (line.find("products with a bias are two launches") != std::string_view::npos) {
        log += (level == LogLevel::kInfo ? "info: " : "worse: ") + std::string(line) + "\n";
      }
    };
    const Runtime runtime(all);
    Results results = compute(runtime.device("cuda:0"), dtype, of);
    results.log = log;
    return results;
  }
  static Results on_cpu(const Case& of) {
    const Runtime runtime(options());
    return compute(runtime.device("cpu:0"), DType::f64, of);
  }
  static void expect_equal(const Results& got, const Results& expected) {
    EXPECT_EQ(got.out, expected.out);
    EXPECT_EQ(got.x, expected.x);
    EXPECT_EQ(got.weight, expected.weight);
    EXPECT_EQ(got.bias, expected.bias);
  }
};

TEST_F(SimBlasLt, ComputesInOneLaunch) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const bool is_x_turned : {false, true}) {
      for (const bool is_weight_turned : {false, true}) {
        const Case of{{5, 6}, 7, is_x_turned, is_weight_turned};
        const Results got = on_card(dtype, of);
        expect_equal(got, on_cpu(of));
        EXPECT_EQ(got.launches, 0u);
        EXPECT_EQ(got.searches, 1u);
        EXPECT_EQ(got.log, "");
      }
    }
  }
}

TEST_F(SimBlasLt, EveryRank) {
  for (const Shape& x : {Shape{6}, Shape{1, 6}, Shape{4, 1}, Shape{2, 3, 6}, Shape{2, 1, 3, 6}}) {
    for (const std::int64_t out : {1, 4}) {
      const Results got = on_card(DType::f32, {x, out});
      expect_equal(got, on_cpu({x, out}));
      EXPECT_EQ(got.launches, 0u);
      EXPECT_EQ(got.searches, 1u);
    }
  }
}

TEST_F(SimBlasLt, ABiasThatIsAViewIsCopied) {
  const Case of{{5, 6}, 7, false, false, true};
  const Results got = on_card(DType::f16, of);
  expect_equal(got, on_cpu(of));
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(got.searches, 1u);
}

TEST_F(SimBlasLt, DoublesHaveNoEpilogue) {
  const Case of{{5, 6}, 7};
  const Results got = on_card(DType::f64, of);
  expect_equal(got, on_cpu(of));
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(got.searches, 0u);
}

TEST_F(SimBlasLt, WithoutAnAlgorithm) {
  set("BLAS_LT_PLANS", "0");
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Shape& x : {Shape{5, 6}, Shape{6}}) {
      const Results got = on_card(dtype, {x, 7});
      expect_equal(got, on_cpu({x, 7}));
      EXPECT_EQ(got.launches, 1u);  // copies the bias
      EXPECT_EQ(got.searches, 1u);
      EXPECT_EQ(got.descriptors, 0u);
    }
  }
}

TEST_F(SimBlasLt, WithoutTheLibrary) {
  const Case of{{5, 6}, 7};
  const Results expected = on_cpu(of);
  Results got = on_card(DType::f32, of, {{"cuda_blas_lt_library", "/nowhere/libcublasLt.so"}});
  expect_equal(got, expected);
  EXPECT_EQ(got.launches, 1u);
  EXPECT_EQ(got.log.rfind("worse: ", 0), 0u) << got.log;  // it was asked for by its name
  EXPECT_HAS(got.log, "no cuBLASLt: /nowhere/libcublasLt.so");
  EXPECT_HAS(got.log, "Correct the setting cuda_blas_lt_library");
  set("BLAS_LT_STATUS", "8");
  got = on_card(DType::f32, of);
  expect_equal(got, expected);
  EXPECT_HAS(got.log, "cuBLASLt does not work here: cublasLtCreate gives status 8");
  // Without cuBLAS a plain product is the portable kernel's.
  got = on_card(DType::f32, of, {{"cuda_blas_library", "/nowhere/libcublas.so"}});
  expect_equal(got, expected);
  EXPECT_EQ(got.searches, 0u);
}

/// Memory that the runtime keeps goes back to the driver, for the library.
TEST_F(SimBlasLt, FullDevice) {
  for (const char* const status : {"1", "3"}) {
    set("BLAS_LT_STATUS", status);
    const Device device = new_card({{"memory_cache", "off"}});
    const Error error = test::error_of([&] {
      (void)linear(zeros({2, 3}, device), zeros({4, 3}, device), zeros({4}, device));
    });
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory)) << error.what();
    EXPECT_TRUE(error.is_retryable());
    const std::string what = error.what();
    EXPECT_HAS(what, std::string("cublasLtCreate gives status ") + status + ", as on a full ");
  }
}

/// Sums of these products are exact in f32, but not with operands of 10 bits of fraction.
TEST_F(SimBlasLt, OperandsOfF32AreRoundedOnlyIfTheUserAsks) {
  const auto result = [](const Settings& settings) {
    const Device device = new_card(settings);
    return values_of(linear(full({2, 3}, 1 + 1.0 / (1 << 11), device), ones({4, 3}, device),
                            full({4}, 1 + 1.0 / (1 << 20), device)));
  };
  const double bias = 1 + 1.0 / (1 << 20);
  EXPECT_EQ(result({}), Values(8, 3 * (1 + 1.0 / (1 << 11)) + bias));
  const Values rounded = result({{"cuda_tf32", "1"}});
  EXPECT_NE(rounded.front(), 3 * (1 + 1.0 / (1 << 11)) + bias);
  EXPECT_NEAR(rounded.front(), 4, 4e-3);
}

TEST_F(SimBlasLt, AnAlgorithmIsSearchedOncePerSizeAndLayout) {
  const Device device = new_card();
  const Tensor all = numbers({41}, device, DType::f32, 0),
               weight = numbers({4, 5}, device, DType::f32, 1);
  const Tensor bias = numbers({9}, device, DType::f32, 2);
  const auto searches = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    const std::uint64_t before = counters().blas_lt_searches;
    const Values y = values_of(linear(x, w, b));
    const auto on_host = [&](const Tensor& tensor) {
      return tensor.to(device.runtime().device("cpu:0"));
    };
    EXPECT_EQ(y, values_of(linear(on_host(x), on_host(w), on_host(b))));
    return counters().blas_lt_searches - before;
  };
  const Tensor x = all.slice(0, 0, 40).view({8, 5}), b = bias.slice(0, 0, 4);
  EXPECT_EQ(searches(x, weight, b), 1u);
  EXPECT_EQ(searches(x, weight, b), 0u);
  EXPECT_EQ(searches(x.clone(), weight.clone(), b.clone()), 0u);
  EXPECT_EQ(searches(x.slice(0, 0, 7), weight, b), 1u);
  EXPECT_EQ(searches(x, turned(weight), b), 1u);
  // Addresses of 16 k + 4.
  EXPECT_EQ(searches(all.slice(0, 1, 41).view({8, 5}), weight, b), 1u);
  EXPECT_EQ(searches(x, all.slice(0, 1, 21).view({4, 5}), b), 1u);
  EXPECT_EQ(searches(x, weight, bias.slice(0, 1, 5)), 1u);
  EXPECT_EQ(searches(x, weight, bias.slice(0, 5, 9)), 0u);
  EXPECT_EQ(searches(x, weight, bias.slice(0, 4, 8)), 0u);  // of 16 k, as the first
}

TEST_F(SimBlasLt, AGraphReplaysIt) {
  const Device device = new_card();
  const Tensor x = numbers({5, 6}, device, DType::f32, 0);
  const Tensor weight = numbers({7, 6}, device, DType::f32, 1);
  const Tensor bias = numbers({7}, device, DType::f32, 2);
  Tensor y;
  const Graph graph = record_graph([&] { y = linear(linear(x, weight, bias), weight.t(), {}); });
  for (const int seed : {0, 1, 3}) {
    x.copy_from(numbers({5, 6}, device, DType::f32, seed));
    graph.replay();
    EXPECT_EQ(values_of(y), values_of(linear(linear(x, weight, bias), weight.t(), {}))) << seed;
  }
  EXPECT_EQ(counters().graph_runs, 3u);
}

TEST_F(SimBlasLt, EachDeviceHasItsHandle) {
  const Runtime runtime(options());
  const Case of{{5, 6}, 7};
  const Results expected = on_cpu(of);
  for (const char* const name : {"cuda:0", "cuda:1"}) {
    const Results got = compute(runtime.device(name), DType::f32, of);
    expect_equal(got, expected);
    EXPECT_EQ(got.searches, 1u);
  }
  EXPECT_EQ(counters().blas_handles, 4u);  // of cuBLAS too
}

// ----------------------------------------------------------------------------- the boundary

/// An operand of a launch of `linear.1`.
struct Matrix {
  Shape shape, strides;
};

/// The 6 elements from `out` on, which were 9. Matrices without elements have no memory.
std::vector<float> launched(const Device& device, const Matrix& out, const Matrix& a,
                            const Matrix& weight, const Matrix& bias,
                            std::size_t out_offset_bytes = 0) {
  const ArgumentSpec read = ArgumentSpec::tensor(DType::f32, Access::kRead);
  const Kernel kernel = Kernel::prepare(
      device,
      {"linear.1", {ArgumentSpec::tensor(DType::f32, Access::kWrite), read, read, read}, {}});
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  std::vector<float> host(24, 9);
  for (const Matrix* const matrix : {&out, &a, &weight, &bias}) {
    const bool is_result = matrix == &out;
    const bool is_empty = !is_result && num_elements(matrix->shape) == 0;
    const std::size_t bytes = is_empty ? 0 : host.size() * sizeof(float);
    buffers.push_back(Buffer::allocate(device, bytes));
    for (std::size_t i = 0; !is_result && i < host.size(); ++i) host[i] = static_cast<float>(i + 1);
    copy_from_host({buffers.back(), 0, bytes}, host.data());
    arguments.push_back(Argument::tensor(buffers.back(), DType::f32, matrix->shape,
                                         is_result ? Access::kWrite : Access::kRead));
    arguments.back().strides = matrix->strides;
    if (is_result) arguments.back().offset_bytes = out_offset_bytes;
  }
  kernel.launch(device.default_stream(), arguments);
  device.synchronize();
  host.resize(6);
  copy_to_host(host.data(), {buffers[0], out_offset_bytes, host.size() * sizeof(float)});
  return host;
}

TEST_F(SimBlasLt, TheKernelTakesWhatTheBoundaryAllows) {
  const Device device = new_card();
  using Floats = std::vector<float>;
  const Matrix out{{2, 3}, {3, 1}}, by_columns{{2, 3}, {1, 2}}, a{{2, 2}, {2, 1}};
  const Matrix weight{{3, 2}, {2, 1}}, bias{{3}, {1}};
  EXPECT_EQ(launched(device, out, a, weight, bias), (Floats{6, 13, 20, 12, 27, 42}));
  EXPECT_EQ(counters().blas_lt_searches, 1u);
  EXPECT_EQ(launched(device, out, a, weight, bias, 4), (Floats{6, 13, 20, 12, 27, 42}));
  EXPECT_EQ(counters().blas_lt_searches, 2u);
  // A bias for each column is not the library's.
  EXPECT_EQ(launched(device, by_columns, a, weight, bias), (Floats{6, 12, 13, 27, 20, 42}));
  EXPECT_EQ(counters().blas_lt_searches, 2u);
  // Nothing to multiply, nothing to compute.
  EXPECT_EQ(launched(device, out, {{2, 0}, {1, 1}}, {{3, 0}, {1, 1}}, bias),
            (Floats{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(launched(device, {{0, 3}, {3, 1}}, {{0, 2}, {2, 1}}, weight, bias), Floats(6, 9));
  EXPECT_EQ(launched(device, {{2, 0}, {1, 1}}, a, {{0, 2}, {2, 1}}, {{0}, {1}}), Floats(6, 9));
}

TEST_F(SimBlasLt, TheKernelRefusesTheRest) {
  const Device device = new_card();
  const Matrix out{{2, 3}, {3, 1}}, a{{2, 2}, {2, 1}}, weight{{3, 2}, {2, 1}}, bias{{3}, {1}};
  const auto expect = [&](const Matrix& c, const Matrix& x, const Matrix& w, const Matrix& b,
                          const char* why) { EXPECT_INVALID(launched(device, c, x, w, b), why); };
  const char* const shapes = "linear.1: expected [m, n], [m, k], [n, k] and [n]";
  expect(out, {{3, 2}, {2, 1}}, weight, bias, shapes);
  expect(out, a, {{3, 4}, {4, 1}}, bias, shapes);
  expect(out, a, weight, {{2}, {1}}, shapes);
  expect(out, a, weight, {{1, 3}, {3, 1}}, shapes);
  expect({{2, 3, 1}, {3, 1, 1}}, a, weight, bias, shapes);
  expect(out, a, weight, {{3}, {2}}, "linear.1: the bias has no unit stride");
  expect(out, {{2, 2}, {6, 3}}, weight, bias, "linear.1: a matrix has no unit stride");
  expect({{2, 3}, {6, 2}}, a, weight, bias, "linear.1: the result has no unit stride");
}

}  // namespace
}  // namespace patchbay::sim_test
