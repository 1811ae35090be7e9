// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Views and writing in place: right, or refused.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(OverwritingTest);

TEST_P(OverwritingTest, OfWhatRequiresGradientsIsRefused) {
  const Tensor x = leaf({1, 2}), plain = ones({2}, device_);
  const std::string way_out =
      "so a recorded graph may need it (tensor: f32 [2]" + on_ +
      "). Use the form that returns a new tensor, or write inside a NoGrad scope.";
  EXPECT_INVALID(x.fill_(0), "[fill_] tensor requires gradients, " + way_out);
  EXPECT_INVALID((x * 2).fill_(0), "[fill_] tensor requires gradients");
  EXPECT_INVALID(x += plain, "[add] a requires gradients");
  EXPECT_INVALID(add_out(x, plain, plain), "[add] out requires gradients");
  EXPECT_INVALID(x.slice(0, 1).zero_(), "[fill_] tensor requires gradients");
  EXPECT_INVALID(x.copy_from(plain), "[copy_from] destination requires gradients");
  EXPECT_EQ(x.to_vector<float>(), (Floats{1, 2}));
}

TEST_P(OverwritingTest, FromWhatRequiresGradientsIsRefused) {
  const Tensor x = leaf({1, 2}), out = ones({2}, device_);
  EXPECT_INVALID(add_out(out, x, out), "[add] a requires gradients,",
                 "expected an operand without, got a: f32 [2]" + on_);
  EXPECT_INVALID(exp_out(out, x), "[exp] a requires gradients");
  EXPECT_INVALID(out.copy_from(x), "[copy_from] source requires gradients");
  const Tensor a = leaf({1}).view({1, 1}), matrix = ones({1, 1}, device_);
  EXPECT_INVALID(matmul_out(matrix, a, ones({1, 1}, device_)), "[matmul] a requires gradients");
  EXPECT_EQ(out.to_vector<float>(), (Floats{1, 1}));
}

/// relu's gradient is made from its result.
TEST_P(OverwritingTest, OfAnOperandThatIsNotKeptIsFine) {
  const Tensor x = leaf({1, -2}), y = x * 3, z = relu(y);
  inside(NoGrad(), [&] { y.fill_(-1); });
  sum(z).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 0}));
}

TEST_P(OverwritingTest, InsideNoGradIsFine) {
  const Tensor x = leaf({1, 2});
  sum(x * x).backward();
  inside(NoGrad(), [&] { x -= 0.5 * x.grad(); });
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0}));
  EXPECT_TRUE(x.is_leaf());
  sum(x * 3).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 7}));
}

TEST_P(OverwritingTest, OfAnOperandThatBackwardNeedsIsFound) {
  const Tensor x = leaf({1, 2}), factor = floats({3, 4}), y = sum(x * factor), z = sum(x + factor);
  factor.slice(0, 1).fill_(0);  // through a view
  EXPECT_INVALID(y.backward(), "[backward] b of mul was overwritten",
                 "it as it was when mul read it, got 1 later write to its storage (b: f32 [2]" +
                     on_ + "). Clone it before it is overwritten.");
  z.backward();  // a sum needs no values
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST_P(OverwritingTest, OfAResultThatBackwardNeedsIsFound) {
  const Tensor x = leaf({1, 2}), y = exp(x);
  inside(NoGrad(), [&] { y.fill_(0); });
  EXPECT_INVALID(sum(y).backward(), "an operand was overwritten since exp made it");
  const Tensor z = exp(x), total = sum(z);
  inside(NoGrad(), [&] { z.fill_(0); });
  EXPECT_INVALID(total.backward(), "[backward] out of exp was overwritten");
}

/// The message names the function that was called, not one that it is made of.
TEST_P(OverwritingTest, OfAResultIsFoundByOperationsMadeOfOthers) {
  const auto made = [&](const Shape& shape, DType dtype = DType::f32) {
    const Tensor x = rand(shape, device_).requires_grad_(), y = (x * 2).cast(dtype);
    const NoGrad scope;
    y.fill_(0);
    return y;
  };
  const Tensor matrix = made({2, 2}), vector = made({2}), number = made({});
  const Tensor wide = rand({2, 3}, device_).requires_grad_(), tall = (wide * 2).t();
  inside(NoGrad(), [&] { tall.fill_(0); });
  const Tensor classes = from_host<std::int64_t>({0, 1}, {2}, device_), ones_2 = ones({2}, device_);
  using Call = std::function<void()>;
  const Shape square{2, 2}, flat{1, 2};
  const BatchNormOptions normalization{.weight = vector, .training = true};
  const std::vector<Tensor> both{ones_2, vector};
  const std::pair<const char*, Call> calls[] = {
      {"split", [&] { return split(matrix, 1); }},
      {"split", [&] { return split(matrix, Longs(2, 1)); }},
      {"chunk", [&] { return chunk(matrix, 2); }},
      {"stack", [&] { return stack(both); }},
      {"matmul", [&] { return matmul(ones(square, device_), vector); }},
      {"matmul", [&] { return matmul(vector, ones_2); }},
      {"trace", [&] { return trace(matrix); }},
      {"topk", [&] { return topk(number, 1); }},
      {"sort", [&] { return sort(number); }},
      {"mean", [&] { return mean(vector); }},
      {"mean", [&] { return mean(made({2}, DType::f16)); }},
      {"norm", [&] { return norm(vector); }},
      {"norm", [&] { return norm(vector, 1); }},
      {"stddev", [&] { return stddev(vector); }},
      {"mse_loss", [&] { return mse_loss(vector, ones_2); }},
      {"l1_loss", [&] { return l1_loss(ones_2, vector); }},
      {"huber_loss", [&] { return huber_loss(vector, ones_2); }},
      {"cross_entropy", [&] { return cross_entropy(matrix, classes); }},
      {"nll_loss", [&] { return nll_loss(matrix, classes); }},
      {"layer_norm", [&] { return layer_norm(made(square, DType::f16), {2}); }},
      {"batch_norm", [&] { return batch_norm(ones(square, device_), normalization); }},
      {"t", [&] { return matrix.t(); }},
      {"squeeze", [&] { return made(flat).squeeze(0); }},
      {"reshape", [&] { return matrix.reshape({4}); }},
      {"reshape", [&] { return tall.reshape({6}); }},
  };
  for (const auto& [name, call] : calls) {
    EXPECT_INVALID(call(), "[" + std::string(name) + "] an operand was overwritten since ");
  }
  const NoGrad scope;
  EXPECT_EQ(sum(matrix.t()).item<float>(), 0);  // where nothing is recorded it is an operand
}

TEST_P(OverwritingTest, OfABaseIsFoundThroughItsView) {
  const Tensor x = leaf({1, 2}), y = x * 2, first = y.slice(0, 0, 1);
  inside(NoGrad(), [&] { y.fill_(9); });
  EXPECT_INVALID(first * 2,
                 "[mul] an operand was overwritten since slice made it: 1 later write to its "
                 "storage (operand: f32 [1]" +
                     on_ + "). Clone it before it is overwritten, or detach() it.");
}

TEST_P(OverwritingTest, ThroughASliceIsFoundWhateverWrites) {
  const Tensor x = leaf({1, 2}), one = ones({1}, device_);
  const Tensor index = zeros({1}, {DType::i64, device_});
  const std::vector<Tensor> pair{one, one};
  const std::function<void(const Tensor&)> writes[] = {
      [&](const Tensor& factor) { factor.slice(0, 1).copy_from(one); },
      [&](const Tensor& factor) { factor.slice(0, 1) += one; },
      [&](const Tensor& factor) { concat_out(factor, pair); },
      [&](const Tensor& factor) { scatter_add_out(factor, factor, 0, index, one); }};
  for (const auto& write : writes) {
    const Tensor factor = floats({3, 4}), y = sum(x * factor);
    write(factor);
    EXPECT_INVALID(y.backward(), "[backward] b of mul was overwritten",
                   "expected it as it was when mul read it, got 1 later write to");
  }
}

TEST_P(OverwritingTest, OfAnIndexThatBackwardNeedsIsFound) {
  const Tensor x = leaf({1, 2}), index = zeros({3}, {DType::i64, device_});
  const Tensor rows = index_select(x, 0, index), table = from_host(Floats{5, 6}, {2, 1}, device_);
  const Tensor found = embedding(table.requires_grad_(), index);
  index.slice(0, 1, 2).fill_(1);
  EXPECT_INVALID(sum(rows).backward(), "[backward] index of index_select was overwritten");
  EXPECT_INVALID(sum(found).backward(), "[backward] index of embedding was overwritten");
}

/// Copies keep nothing of their operands.
TEST_P(OverwritingTest, OfWhatWasPutTogetherHarmsNobody) {
  const Tensor x = leaf({1, 2}), other = ones({2}, device_);
  const Tensor y = sum(concat({x, other})) + sum(pad(x, {{1, 1}}));
  other.fill_(7);
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 2}));
}

TEST_P(OverwritingTest, DestinationsOfIndexedWritesRequireNoGradients) {
  const Tensor x = leaf({1, 2}), out = zeros({2}, device_);
  const Tensor index = zeros({2}, {DType::i64, device_});
  EXPECT_INVALID(gather_out(x, out, 0, index), "[gather] out requires gradients");
  EXPECT_INVALID(gather_out(out, x, 0, index),
                 "[gather] a requires gradients, which do not flow into a destination");
  EXPECT_INVALID(index_add_out(out, out, 0, index, x), "[index_add] source requires gradients");
  EXPECT_INVALID(concat_out(out, {x}), "[concat] tensors[0] requires gradients");
  EXPECT_EQ(out.to_vector<float>(), (Floats{0, 0}));
}

/// What makes a tensor counts as no later write.
TEST_P(OverwritingTest, NewTensorsAreWhatTheyAre) {
  const Tensor x = leaf({1, 2}), y = zeros({2}, device_);
  y.copy_from(floats({5, 6}));
  y += 1;
  sum(x * y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 7}));
}

/// Nothing was written, so a backward that needs the old elements finds them.
TEST_P(OverwritingTest, ThatIsRefusedCountsForNothing) {
  const Tensor x = leaf({1, 2, 3, 4}), factor = floats({5, 6, 7, 8}), y = sum(x * factor);
  const std::uint64_t before = num_overwrites(factor);
  const Tensor left = factor.slice(0, 0, 3), right = factor.slice(0, 1, 4);
  const Tensor matrix = factor.view({2, 2}), one = ones({2, 2}, device_);
  const Tensor index = zeros({4}, {DType::i64, device_}), far = ones({4}, test_device("fake:1"));
  const std::vector<Tensor> parts{left, ones({1}, device_)};
  const auto refused = [&](const std::function<void()>& write, const std::string& message) {
    EXPECT_INVALID(write(), message);
  };
  refused([&] { factor.fill_(1e39); }, "[fill_] a literal takes the tensor's dtype");
  refused([&] { factor[0] = 1e39; }, "[fill_] a literal takes the tensor's dtype");
  refused([&] { left.copy_from(right); }, "[copy_from] destination and source overlap");
  refused([&] { left.slice(0, 0) = right; }, "[assign] destination and source overlap");
  refused([&] { add_out(left, right, 1); }, "[add] out and a overlap");
  refused([&] { neg_out(left, right); }, "[neg] out and a overlap");
  refused([&] { clamp_out(left, right, 0, 1); }, "[clamp] out and a overlap");
  refused([&] { where_out(left, gt(right, 0), right, 1); }, "[where] out and a overlap");
  refused([&] { matmul_out(matrix, matrix, one); }, "[matmul] out and a overlap");
  refused([&] { matmul_out(matrix, one, matrix); }, "[matmul] out and b overlap");
  refused([&] { concat_out(factor, parts); }, "[concat] out and tensors[0] overlap");
  refused([&] { gather_out(factor, factor, 0, index); }, "[gather] out and a overlap");
  refused([&] { index_add_out(factor, factor, 0, index, factor); },
          "[index_add] out and source overlap");
  refused([&] { fill_uniform(factor, 2, 1); }, "[fill_uniform] no range");
  refused([&] { fill_normal(factor, 0, -1); }, "[fill_normal] no normal distribution");
  const auto two = fuse([](Expression a) { return std::array{a, a + 1}; }, "two");
  refused([&] { two.out({factor, factor}, factor); }, "[two] out and another out overlap");
  const std::vector<FusedGroup> groups{{{factor, ones({4}, device_)}, {factor}},
                                       {{left, ones({3}, device_)}, {right}}};
  refused([&] { two.function().call_groups_out(groups); }, "[two] out and a overlap");
  inside(CopyGuard(), [&] { EXPECT_ERROR(factor.copy_from(far), kCopyForbidden, "[copy_from]"); });
  EXPECT_EQ(num_overwrites(factor), before);
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 6, 7, 8}));
}

TEST_P(OverwritingTest, CountsOneForEachCall) {
  const Tensor t = ones({4}, device_), number = full({}, 2, test_device("cpu:1"));
  const Tensor same = ones({4}, device_), index = zeros({4}, {DType::i64, device_});
  const Tensor matrix = t.view({2, 2}), square = ones({2, 2}, device_);
  const std::function<void()> writes[] = {
      [&] { t.fill_(2); },
      [&] { t.copy_from(same); },
      [&] { t.slice(0, 1) = same.slice(0, 1); },
      [&] { t.slice(0, 1) = number; },
      [&] { t += same; },
      [&] { t += number; },
      [&] { exp_out(t, t); },
      [&] { exp_out(t.select(0, 1), number); },
      [&] { clamp_out(t, t, 0, 1); },
      [&] { matmul_out(matrix, square, square); },
      [&] { concat_out(t, {same}); },
      [&] { scatter_add_out(t, t, 0, index, same); },
      [&] { fill_uniform(t, 0, 1); },
      [&] { fuse([](Expression a) { return a + 1; }).out(t, t); }};
  std::uint64_t count = num_overwrites(t);
  for (const auto& write : writes) {
    write();
    EXPECT_EQ(num_overwrites(t), ++count) << &write - writes;
  }
  EXPECT_EQ(num_overwrites(rand({3}, device_)), 0U);
}

}  // namespace
}  // namespace patchbay::test
