// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "tensor/autograd/gradient_cases.h"

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);

GradientCase unary(std::string record, Unary op, double low = -2, double high = 2) {
  return {record, record, {{2, 3}}, [op](const Inputs& in) { return op(in[0]); }, low, high};
}

/// Of equal shapes, broadcast both ways, and with numbers.
void add_binary(std::vector<GradientCase>& cases, const std::string& record, Binary op,
                double low = -2, double high = 2) {
  const auto both = [op](const Inputs& in) { return op(in[0], in[1]); };
  cases.push_back({record, record, {{2, 3}, {2, 3}}, both, low, high});
  cases.push_back({record, record + "Broadcast", {{3}, {2, 1}}, both, low, high});
  cases.push_back({record, record + "ZeroDims", {{}, {2, 2}}, both, low, high});
  const auto same = [op](const Inputs& in) { return op(in[0], in[0] * 0.5); };
  cases.push_back({record, record + "OfOneInput", {{4}}, same, low, high});
}

/// Steps are flat between their kinks.
void add_companions(std::vector<GradientCase>& cases) {
  add_binary(cases, "atan2", atan2, 0.5, 2);
  add_binary(cases, "elu", elu);
  add_binary(cases, "leaky_relu", leaky_relu);
  cases.push_back({"elu", "eluOfANumber", {{5}}, [](const Inputs& in) { return elu(in[0]); }});
  cases.push_back({"leaky_relu", "leakyReluOfANumber", {{5}}, [](const Inputs& in) {
                     return square(leaky_relu(in[0], 0.2));
                   }});
  cases.push_back({"remainder",
                   "remainder",
                   {{2, 3}, {3}},
                   [](const Inputs& in) { return square(remainder(in[0] * 2.5, in[1])); },
                   1,
                   1.1});
  cases.push_back(unary("sin", sin));
  cases.push_back(unary("cos", cos));
  cases.push_back(unary("tan", tan, -1, 1));
  cases.push_back(unary("exp2", exp2));
  cases.push_back(unary("expm1", expm1));
  cases.push_back(unary("log1p", log1p, -0.5, 2));
  cases.push_back(unary("log2", log2, 0.5, 3));
  cases.push_back(unary("floor", floor, 0.1, 0.9));
  cases.push_back(unary("ceil", ceil, 0.1, 0.9));
  cases.push_back(unary("round", round, 0.6, 1.4));
  cases.push_back(unary("trunc", trunc, 1.1, 1.9));
  cases.push_back(unary("sign", sign, 0.5, 2));
  cases.push_back(unary("silu", silu));
  cases.push_back(unary("softplus", softplus));
}

void add_elementwise(std::vector<GradientCase>& cases) {
  add_binary(cases, "add", add);
  add_binary(cases, "sub", sub);
  add_binary(cases, "mul", mul);
  add_binary(cases, "div", div, 0.5, 2);
  add_binary(cases, "maximum", maximum);
  add_binary(cases, "minimum", minimum);
  add_binary(cases, "pow", pow, 0.5, 2);
  cases.push_back(unary("neg", neg));
  cases.push_back(unary("abs", abs));
  cases.push_back(unary("square", square));
  cases.push_back(unary("relu", relu));
  cases.push_back(unary("sqrt", sqrt, 0.5, 3));
  cases.push_back(unary("rsqrt", rsqrt, 0.5, 3));
  cases.push_back(unary("exp", exp));
  cases.push_back(unary("log", log, 0.5, 3));
  cases.push_back(unary("sigmoid", sigmoid));
  cases.push_back(unary("tanh", tanh));
  cases.push_back(unary("erf", erf));
  cases.push_back(unary("gelu", gelu));
  add_companions(cases);
  cases.push_back(
      {"clamp", "clamp", {{8}}, [](const Inputs& in) { return clamp(in[0], -0.7, 0.9); }});
  cases.push_back(
      {"clamp", "clampFromBelow", {{8}}, [](const Inputs& in) { return clamp(in[0], 0.1); }});
  cases.push_back({"where", "where", {{2, 3}, {3}}, [](const Inputs& in) {
                     return where(gt(in[0].detach(), 0), in[0] * 2, in[1] * in[1]);
                   }});
  cases.push_back({"where", "whereWithNumbers", {{5}}, [](const Inputs& in) {
                     const Tensor condition = gt(in[0].detach(), 0);
                     return where(condition, in[0] * in[0], 1) + where(condition, 2, in[0]);
                   }});
  cases.push_back({"", "numbers", {{4}}, [](const Inputs& in) {
                     return (3 - in[0]) * 2 / (in[0] + 4) - 1 / (in[0] + 5);
                   }});
}

void add_reductions(std::vector<GradientCase>& cases) {
  const Shape shape{2, 3, 2};
  const auto add_axes = [&](const std::string& record, const std::string& name, auto op) {
    const auto along = [&](const char* which, const Axes& axes, bool keep) {
      cases.push_back(
          {record, name + which, {shape}, [=](const Inputs& in) { return op(in[0], axes, keep); }});
    };
    along("All", {}, false);
    along("Middle", 1, false);
    along("OuterKept", {0, 2}, true);
  };
  add_axes("sum", "sum", sum);
  add_axes("sum_squares", "sumSquares", sum_squares);
  cases.push_back({"prod",
                   "prodOfAll",
                   {{2, 3}},
                   [](const Inputs& in) { return prod(in[0]); },
                   -2,
                   2,
                   /*has_second=*/false});
  cases.push_back({"prod",
                   "prodOfColumns",
                   {{3, 2}},
                   [](const Inputs& in) { return prod(in[0], 0, /*keep=*/true); },
                   -2,
                   2,
                   /*has_second=*/false});
  // Rows with no, one and two zeros.
  cases.push_back(
      {"prod",
       "prodWithZeros",
       {{3, 3}},
       [](const Inputs& in) {
         const Doubles mask = {1, 1, 1, 0, 1, 1, 0, 0, 1};
         return prod(in[0] * from_host(mask, {3, 3}, in[0].device()).cast(in[0].dtype()), 1);
       },
       -2,
       2,
       /*has_second=*/false});
  add_axes("min", "min", min);
  add_axes("max", "max", max);
  add_axes("", "mean", mean);
  add_axes("sum_abs", "norm1",
           [](const Tensor& a, const Axes& axes, bool keep) { return norm(a, 1, axes, keep); });
  add_axes("max_abs", "normInf", [](const Tensor& a, const Axes& axes, bool keep) {
    return norm(a, INFINITY, axes, keep);
  });
  add_axes("", "var",
           [](const Tensor& a, const Axes& axes, bool keep) { return var(a, axes, 1, keep); });
  add_axes("", "stddev",
           [](const Tensor& a, const Axes& axes, bool keep) { return stddev(a, axes, 0, keep); });
  cases.push_back({"", "trace", {{3, 4}}, [](const Inputs& in) { return square(trace(in[0])); }});
  add_axes("", "norm2",
           [](const Tensor& a, const Axes& axes, bool keep) { return norm(a, 2, axes, keep); });
}

void add_products(std::vector<GradientCase>& cases) {
  const auto product = [](const Inputs& in) { return matmul(in[0], in[1]); };
  cases.push_back({"gemm", "matmul", {{2, 3}, {3, 4}}, product});
  cases.push_back({"gemm", "matmulTransposed", {{3, 2}, {4, 3}}, [](const Inputs& in) {
                     return matmul(in[0].t(), in[1].t());
                   }});
  cases.push_back({"gemm", "matmulOfOneInput", {{3, 3}}, [](const Inputs& in) {
                     return matmul(in[0], in[0]);
                   }});
  cases.push_back({"gemm", "matmulOfBatches", {{2, 2, 3}, {2, 3, 2}}, product});
  cases.push_back({"gemm", "matmulBroadcast", {{2, 1, 2, 3}, {2, 3, 2}}, product});
  cases.push_back({"gemm", "matmulOfOneMatrixForAll", {{2, 2, 3}, {3, 2}}, product});
  cases.push_back({"gemm", "matmulOfOneMatrixForAllOnTheLeft", {{2, 3}, {2, 3, 2}}, product});
  cases.push_back({"gemm", "matmulOfPermuted", {{2, 2, 2, 3}}, [](const Inputs& in) {
                     const Tensor heads = in[0].permute({0, 2, 1, 3});
                     return matmul(heads, heads.transpose(-1, -2));
                   }});
  cases.push_back({"gemm", "matmulByAVector", {{2, 2, 3}, {3}}, product});
  cases.push_back({"gemm", "matmulOfAVector", {{3}, {2, 3, 2}}, product});
  cases.push_back({"gemm", "dotProduct", {{4}, {4}}, product});
  const auto sum_of_both = [](const Inputs& in) { return addmm(in[0], in[1], in[2], 1.5, -0.5); };
  cases.push_back({"gemm", "addmm", {{2, 2}, {2, 3}, {3, 2}}, sum_of_both});
  cases.push_back({"gemm", "addmmBroadcast", {{2}, {2, 2, 3}, {3, 2}}, sum_of_both});
  const auto layer = [](const Inputs& in) { return linear(in[0], in[1], in[2]); };
  cases.push_back({"linear", "linear", {{2, 3}, {2, 3}, {2}}, layer});
  cases.push_back({"linear", "linearOfBatches", {{2, 2, 3}, {2, 3}, {2}}, layer});
  cases.push_back({"linear", "linearOfAVector", {{3}, {2, 3}, {2}}, layer});
  cases.push_back({"gemm", "linearWithoutBias", {{2, 3}, {2, 3}}, [](const Inputs& in) {
                     return linear(in[0], in[1]);
                   }});
}

void add_movement(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, Shape shape, std::function<Tensor(const Tensor&)> view) {
    // Squared, so that the gradient depends on the values.
    cases.push_back({"", name, {shape}, [view](const Inputs& in) { return square(view(in[0])); }});
  };
  add("slice", {5, 3}, [](const Tensor& a) { return a.slice(0, 1, 5, 2); });
  add("sliceToNothing", {5, 3}, [](const Tensor& a) { return a.slice(0, 3, 2); });
  add("select", {3, 4}, [](const Tensor& a) { return a.select(1, -2); });
  add("permute", {2, 3, 2}, [](const Tensor& a) { return a.permute({2, 0, 1}); });
  add("transpose", {2, 3, 2}, [](const Tensor& a) { return a.transpose(0, -1); });
  add("t", {2, 3}, [](const Tensor& a) { return a.t(); });
  add("diagonal", {2, 3, 4}, [](const Tensor& a) { return a.diagonal(1); });
  add("diagonalOfOtherDims", {2, 3, 4}, [](const Tensor& a) { return a.diagonal(-1, 2, 0); });
  add("expand", {3, 1}, [](const Tensor& a) { return a.expand({2, 3, 4}); });
  add("squeeze", {3, 1}, [](const Tensor& a) { return a.squeeze(1); });
  add("unsqueeze", {3}, [](const Tensor& a) { return a.unsqueeze(0); });
  add("view", {2, 6}, [](const Tensor& a) { return a.view({3, 4}); });
  add("reshapeThatCopies", {2, 6}, [](const Tensor& a) { return a.t().reshape({3, 4}); });
  add("contiguous", {2, 3}, [](const Tensor& a) { return a.t().contiguous(); });
  cases.push_back({"copy", "clone", {{4}}, [](const Inputs& in) { return square(in[0].clone()); }});
  cases.push_back({"", "toAnotherDevice", {{4}}, [](const Inputs& in) {
                     const Device other = test_device("cpu:1");
                     return square(square(in[0]).to(other)).to(in[0].device());
                   }});
}

void add_fused(std::vector<GradientCase>& cases) {
  const auto chain =
      fuse([](Expression a, Expression b) { return exp(a * b) / (square(b) + 1) + tanh(a) - b; });
  const auto both = [chain](const Inputs& in) { return chain(in[0], in[1]); };
  cases.push_back({"", "fused", {{2, 3}, {2, 3}}, both});
  cases.push_back({"", "fusedBroadcast", {{3}, {2, 1}}, both});
  cases.push_back({"", "fusedZeroDims", {{}, {2, 2}}, both});
  cases.push_back({"", "fusedOfOneInput", {{4}}, [chain](const Inputs& in) {
                     return chain(in[0], in[0] * 0.5) + chain(0.5, in[0]);
                   }});
  cases.push_back(
      {"", "fusedSum", {{3}, {2, 3}}, [f = fuse([](Expression a, Expression b) {
                                         return a * 3 - b;
                                       })](const Inputs& in) { return square(f(in[0], in[1])); }});
  const auto two = fuse([](Expression a, Expression b) {
    const Expression shared = a * b;
    return std::array{shared * a, sigmoid(shared)};
  });
  cases.push_back({"", "fusedOutputs", {{2, 2}, {2}}, [two](const Inputs& in) {
                     const auto [first, second] = two(in[0], in[1]);
                     return first * second;
                   }});
  // 19 tensors are more than one pass back takes; those of the second derivative are many.
  const FusedFunction many(
      9,
      [](std::span<const Expression> in) {
        Expression product = in[0];
        for (std::size_t i = 1; i < in.size(); ++i) product = product * (in[i] + double(i));
        return std::vector{tanh(product * 1e-5)};
      },
      "many");
  const std::vector<Shape> shapes(9, Shape{2});
  cases.push_back({"", "fusedOfManyInputs", shapes,
                   [many](const Inputs& in) {
                     const std::vector<TensorOrScalar> arguments(in.begin(), in.end());
                     return many.call(arguments)[0];
                   },
                   -2, 2,
                   /*has_second=*/false});
}

void add_joining(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes, auto join) {
    cases.push_back({"", name, shapes, [join](const Inputs& in) { return square(join(in)); }});
  };
  add("concat", {{2, 3}, {2, 1}, {2, 0}}, [](const Inputs& in) {
    return concat({in[0], in[1], in[2], in[0]}, -1);
  });
  add("concatOfSomeThatRequireGradients", {{2, 3}}, [](const Inputs& in) {
    const Tensor constant = in[0].new_full({1, 3}, 0.5);
    return concat({constant, in[0], constant});
  });
  add("stack", {{2, 3}, {2, 3}}, [](const Inputs& in) { return stack({in[0], neg(in[1])}, 1); });
  add("split", {{5, 2}}, [](const Inputs& in) {
    const std::vector<Tensor> pieces = split(in[0], {2, 0, 3});
    return concat({pieces[2] * 3, pieces[1], pieces[0]});
  });
  add("chunk", {{2, 5}}, [](const Inputs& in) {
    const std::vector<Tensor> pieces = chunk(in[0], 2, 1);
    return sum(pieces[0]) * pieces[1];
  });
  add("pad", {{2, 3}}, [](const Inputs& in) {
    return pad(in[0], {{1, 0}, {2, 3}}, 0.5) + sum(in[0]);
  });
}

/// Some are named several times, some not at all.
Tensor indices(const Inputs& in, Longs values, const Shape& shape) {
  return from_host(values, shape, in[0].device());
}

void add_indexing(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* record, const char* name, std::vector<Shape> shapes, auto op) {
    cases.push_back({record, name, shapes, [op](const Inputs& in) { return square(op(in)); }});
  };
  add("gather", "gather", {{4, 3}}, [](const Inputs& in) {
    return gather(in[0], 0, indices(in, {3, 1, 1, 0, 3, 1}, {3, 2}));
  });
  add("gather", "indexSelect", {{2, 4}}, [](const Inputs& in) {
    return index_select(in[0], 1, indices(in, {3, 0, 3, 3, 1}, {5}).cast(DType::i32));
  });
  add("gather", "embedding", {{4, 3}}, [](const Inputs& in) {
    return embedding(in[0], indices(in, {3, 0, 3, 1}, {2, 2}));
  });
  add("scatter_add", "scatterAdd", {{4, 3}, {3, 2}}, [](const Inputs& in) {
    return scatter_add(in[0], 0, indices(in, {3, 1, 1, 0, 3, 1}, {3, 2}), square(in[1]));
  });
  add("scatter_add", "indexAdd", {{2, 4}, {2, 5}}, [](const Inputs& in) {
    return index_add(in[0], 1, indices(in, {3, 0, 3, 3, 1}, {5}), in[1]);
  });
  add("scatter_add", "scatterAddOfTheSource", {{3}}, [](const Inputs& in) {
    return scatter_add(in[0].new_ones({2}), 0, indices(in, {1, 0, 1}, {3}), in[0]);
  });
  add("scatter_add", "scatterAddToWhatRequiresGradients", {{3}}, [](const Inputs& in) {
    return scatter_add(in[0], 0, indices(in, {1, 1}, {2}), in[0].new_ones({2}));
  });
  add("cumsum", "cumsum", {{2, 3}}, [](const Inputs& in) { return cumsum(in[0], 1); });
  add("cumsum", "cumsumInReverse", {{3, 2}},
      [](const Inputs& in) { return cumsum(in[0], 0, /*reverse=*/true); });
  add("sort", "sort", {{2, 4}},
      [](const Inputs& in) { return sort(in[0], 1).values * cumsum(in[0].new_ones({4}), 0); });
  add("sort", "sortDescending", {{4, 2}},
      [](const Inputs& in) { return sort(in[0], 0, /*descending=*/true).values.slice(0, 1, 3); });
  add("sort", "topk", {{3, 9}}, [](const Inputs& in) { return topk(in[0], 1).values; });
  add("sort", "topkOfColumns", {{5, 2}},
      [](const Inputs& in) { return topk(in[0], 2, 0, /*largest=*/false).values; });
  add("", "maskedFill", {{2, 3}},
      [](const Inputs& in) { return masked_fill(in[0], gt(in[0].detach(), 0), 0.5); });
}

void add_functional(std::vector<GradientCase>& cases) {
  const auto add_named = [&](const char* record, const char* name, std::vector<Shape> shapes,
                             auto function) {
    cases.push_back(
        {record, name, shapes, [function](const Inputs& in) { return square(function(in)); }});
  };
  const auto add = [&](const char* name, std::vector<Shape> shapes, auto function) {
    add_named("", name, shapes, function);
  };
  add_named("softmax", "softmax", {{2, 3}}, [](const Inputs& in) { return softmax(in[0], 1); });
  add_named("softmax", "softmaxOfColumns", {{2, 3}},
            [](const Inputs& in) { return softmax(in[0], 0); });
  add_named("softmax", "logSoftmax", {{2, 3, 2}},
            [](const Inputs& in) { return log_softmax(in[0], 1); });
  add("logsumexp", {{2, 3}}, [](const Inputs& in) { return logsumexp(in[0], 0); });
  add("logsumexpOfAll", {{2, 3}}, [](const Inputs& in) { return logsumexp(in[0]); });
  add("tril", {{2, 3, 3}}, [](const Inputs& in) { return tril(in[0], 1); });
  add("triu", {{3, 2}}, [](const Inputs& in) { return triu(in[0]); });
  add("mseLoss", {{2, 3}, {2, 3}}, [](const Inputs& in) { return mse_loss(in[0], in[1]); });
  add("l1Loss", {{2, 3}, {2, 3}}, [](const Inputs& in) { return l1_loss(in[0], in[1] + 5.0); });
  add("huberLoss", {{2, 3}, {2, 3}},
      [](const Inputs& in) { return huber_loss(in[0], in[1] * 0.1, 0.7, LossReduction::kSum); });
  add("binaryCrossEntropy", {{2, 3}, {3}, {3}}, [](const Inputs& in) {
    const Tensor target = in[0].new_full({2, 3}, 0.3);
    return binary_cross_entropy_with_logits(in[0], target, {in[1], in[2]});
  });
  add("crossEntropyByIndex", {{3, 4}}, [](const Inputs& in) {
    return cross_entropy(in[0], indices(in, {3, -100, 0}, {3}), {.label_smoothing = 0.2});
  });
  add("crossEntropyByProbability", {{2, 3}, {2, 3}},
      [](const Inputs& in) { return cross_entropy(in[0], softmax(in[1], 1)); });
  add("nllLoss", {{2, 3, 2}}, [](const Inputs& in) {
    return nll_loss(in[0], indices(in, {2, 0, 1, 1}, {2, 2}));
  });
}

/// Both operands of a bilinear operator, so that its second derivatives need the other two.
void add_windows(std::vector<GradientCase>& cases) {
  const auto convolve = [](const Conv2dOptions& options) {
    return [options](const Inputs& in) { return conv2d(in[0], in[1], in[2], options); };
  };
  cases.push_back({"conv2d", "conv2d", {{1, 2, 3, 4}, {2, 2, 2, 2}, {2}}, convolve({})});
  cases.push_back({"conv2d_input",
                   "conv2dWithSteps",
                   {{2, 2, 4, 3}, {2, 1, 2, 2}, {2}},
                   convolve({.stride = {2, 1}, .padding = 1, .dilation = {1, 2}, .groups = 2})});
  cases.push_back({"conv2d_weight", "conv1d", {{1, 2, 5}, {2, 2, 3}}, [](const Inputs& in) {
                     return conv1d(in[0], in[1], {}, {.padding = 1});
                   }});
  cases.push_back(
      {"conv2d_input", "convTranspose2d", {{1, 2, 2, 3}, {2, 1, 2, 2}, {2}}, [](const Inputs& in) {
         return conv_transpose2d(in[0], in[1], in[2],
                                 {.stride = 2, .padding = 1, .output_padding = 1, .groups = 2});
       }});
  cases.push_back({"conv2d_input", "convTranspose1d", {{2, 3}, {2, 2, 2}}, [](const Inputs& in) {
                     return conv_transpose1d(in[0], in[1], {}, {.stride = 2});
                   }});
  const auto add = [&](const char* record, const char* name, const Shape& shape, auto pool) {
    cases.push_back(
        {record, name, {shape}, [pool](const Inputs& in) { return square(pool(in[0])); }});
  };
  add("max_pool2d_input", "maxPool2d", {1, 2, 4, 5},
      [](const Tensor& x) { return max_pool2d(x, 3, {.stride = 1, .padding = 1}); });
  add("max_pool2d_input", "maxPool1d", {2, 7}, [](const Tensor& x) { return max_pool1d(x, 2); });
  add("max_pool2d_input", "adaptiveMaxPool2d", {1, 1, 3, 4},
      [](const Tensor& x) { return adaptive_max_pool2d(x, 2); });
  add("avg_pool2d", "avgPool2d", {2, 1, 4, 3},
      [](const Tensor& x) { return avg_pool2d(x, 2, {.stride = 1, .padding = 1}); });
  add("avg_pool2d_input", "avgPool1d", {1, 2, 5},
      [](const Tensor& x) { return avg_pool1d(x, 2, {.ceil = true}); });
  add("avg_pool2d", "adaptiveAvgPool2d", {2, 5, 3}, [](const Tensor& x) {
    return adaptive_avg_pool2d(x, {2, 2});
  });
}

void add_normalization(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes, auto function) {
    cases.push_back(
        {"normalize", name, shapes, [function](const Inputs& in) { return square(function(in)); }});
  };
  add("layerNorm", {{3, 2, 2}, {2, 2}, {2, 2}}, [](const Inputs& in) {
    return layer_norm(in[0], {2, 2}, in[1], in[2], 0.1);
  });
  add("layerNormAlone", {{2, 4}}, [](const Inputs& in) { return layer_norm(in[0], {4}); });
  add("rmsNorm", {{2, 4}, {4}}, [](const Inputs& in) { return rms_norm(in[0], {4}, in[1]); });
  add("rmsNormAlone", {{4, 2}}, [](const Inputs& in) { return rms_norm(in[0].t(), {4}); });
  add("groupNorm", {{2, 4, 2}, {4}, {4}},
      [](const Inputs& in) { return group_norm(in[0], 2, in[1], in[2]); });
  add("batchNorm", {{3, 2, 2}, {2}, {2}}, [](const Inputs& in) {
    return batch_norm(in[0], {.weight = in[1], .bias = in[2], .training = true});
  });
  add("batchNormOfImages", {{2, 2, 4, 4}, {2}, {2}}, [](const Inputs& in) {
    return batch_norm(in[0], {.weight = in[1], .bias = in[2], .training = true});
  });
  add("batchNormByRunningStatistics", {{3, 2}, {2}, {2}}, [](const Inputs& in) {
    return batch_norm(in[0], {.running_mean = in[0].new_full({2}, 0.25),
                              .running_var = in[0].new_full({2}, 2),
                              .weight = in[1],
                              .bias = in[2]});
  });
}

void add_activations(std::vector<GradientCase>& cases) {
  for (const auto& [name, activation] : {std::pair("linearRelu", Activation::kRelu),
                                         {"linearGelu", Activation::kGelu},
                                         {"linearSigmoid", Activation::kSigmoid},
                                         {"linearTanh", Activation::kTanh}}) {
    cases.push_back({"", name, {{2, 2, 3}, {2, 3}, {2}}, [activation](const Inputs& in) {
                       return linear(in[0], in[1], in[2], activation);
                     }});
  }
  cases.push_back({"", "linearTanhWithoutBias", {{2, 3}, {2, 3}}, [](const Inputs& in) {
                     return linear(in[0], in[1], {}, Activation::kTanh);
                   }});
}

void add_attention(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes, auto function) {
    cases.push_back({"", name, shapes,
                     [function](const Inputs& in) { return square(function(in)); }, -2, 2,
                     /*has_second=*/false});
  };
  add("attention", {{2, 3, 2}, {2, 4, 2}, {2, 4, 3}},
      [](const Inputs& in) { return scaled_dot_product_attention(in[0], in[1], in[2]); });
  add("attentionBroadcast", {{2, 1, 2, 2}, {2, 3, 2}, {3, 2}},
      [](const Inputs& in) { return scaled_dot_product_attention(in[0], in[1], in[2]); });
  add("attentionCausal", {{3, 2}, {4, 2}, {4, 2}}, [](const Inputs& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], {.is_causal = true, .scale = 0.3});
  });
  add("attentionOfOneInput", {{4, 2}},
      [](const Inputs& in) { return scaled_dot_product_attention(in[0], in[0], in[0].t().t()); });
  add("attentionMasked", {{2, 2, 2}, {2, 3, 2}, {2, 3, 2}}, [](const Inputs& in) {
    const Tensor mask = tril(in[0].new_ones({2, 3}, DType::boolean));
    return scaled_dot_product_attention(in[0], in[1], in[2], {.mask = mask});
  });
  add("attentionWithAnAddedMask", {{2, 2, 2}, {2, 3, 2}, {2, 3, 2}, {2, 1}}, [](const Inputs& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], {.mask = in[3] * in[3]});
  });
  add("attentionWithAMaskOfKeys", {{2, 2}, {3, 2}, {3, 2}, {3}}, [](const Inputs& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], {.mask = in[3]});
  });
  cases.push_back({"", "rotaryEmbedding", {{2, 3, 4}}, [](const Inputs& in) {
                     return square(rotary_embedding(in[0], {.offset = 2}));
                   }});
  cases.push_back({"", "rotaryEmbeddingOfPairs", {{3, 4}}, [](const Inputs& in) {
                     return square(rotary_embedding(in[0], {.is_interleaved = true}));
                   }});
}

/// Input, states, and the weights and biases of one layer or two.
void add_recurrent(std::vector<GradientCase>& cases) {
  const auto add = [&](const char* name, std::vector<Shape> shapes, auto function) {
    cases.push_back({"", name, shapes, function, -1, 1, /*has_second=*/false});
  };
  add("lstmCell", {{2, 3}, {2, 2}, {2, 2}, {8, 3}, {8, 2}, {8}, {8}}, [](const Inputs& in) {
    const LstmState next = lstm_cell(in[0], {in[1], in[2]}, {in[3], in[4], in[5], in[6]});
    return next.hidden * square(next.cell);
  });
  add("gruCell", {{2, 3}, {2, 2}, {6, 3}, {6, 2}, {6}, {6}}, [](const Inputs& in) {
    return square(gru_cell(in[0], in[1], {in[2], in[3], in[4], in[5]}));
  });
  add("lstm", {{3, 2, 2}, {2, 2, 2}, {2, 2, 2}, {8, 2}, {8, 2}, {8}, {8, 2}, {8, 2}},
      [](const Inputs& in) {
        const LstmResult got = lstm(in[0], {{in[3], in[4], in[5]}, {in[6], in[7]}}, {in[1], in[2]});
        return concat({square(got.output), got.state.hidden * 2, square(got.state.cell)});
      });
  add("gru", {{3, 2, 2}, {2, 2, 2}, {6, 2}, {6, 2}, {6}, {6, 2}, {6, 2}, {6}},
      [](const Inputs& in) {
        const GruResult got = gru(in[0], {{in[2], in[3], in[4]}, {in[5], in[6], {}, in[7]}}, in[1]);
        return concat({square(got.output), got.state * 2});
      });
}

}  // namespace

const std::vector<GradientCase>& gradient_cases() {
  static const std::vector<GradientCase> cases = [] {
    std::vector<GradientCase> all;
    add_elementwise(all);
    add_reductions(all);
    add_products(all);
    add_movement(all);
    add_fused(all);
    add_joining(all);
    add_indexing(all);
    add_functional(all);
    add_windows(all);
    add_normalization(all);
    add_activations(all);
    add_attention(all);
    add_recurrent(all);
    return all;
  }();
  return cases;
}

}  // namespace patchbay::test
