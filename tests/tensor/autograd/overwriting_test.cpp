// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Views and writing in place: right, or refused.
#include <array>
#include <functional>

#include <patchbay/autograd.h>
#include <patchbay/concat.h>
#include <patchbay/copy.h>
#include <patchbay/functional.h>
#include <patchbay/fuse.h>
#include <patchbay/indexing.h>
#include <patchbay/normalization.h>
#include <patchbay/ops.h>
#include <patchbay/random.h>
#include <patchbay/sorting.h>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Floats = std::vector<float>;

class OverwritingTest : public DeviceTest {
 protected:
  Tensor leaf(const Floats& values) const {
    return from_host(values, {static_cast<std::int64_t>(values.size())}, device_).requires_grad_();
  }
  const std::string on_ = " on " + std::string(GetParam());
};
PATCHBAY_ON_EACH_DEVICE(OverwritingTest);

TEST_P(OverwritingTest, OfWhatRequiresGradientsIsRefused) {
  const Tensor x = leaf({1, 2}), plain = ones({2}, device_);
  const std::string way_out =
      "so a recorded graph may need it (tensor: f32 [2]" + on_ +
      "). Use the form that returns a new tensor, or write inside a NoGrad scope.";
  EXPECT_ERROR(x.fill_(0), ErrorCode::kInvalidArgument,
               "[fill_] tensor requires gradients, " + way_out);
  EXPECT_ERROR((x * 2).fill_(0), ErrorCode::kInvalidArgument, "[fill_] tensor requires gradients");
  EXPECT_ERROR(x += plain, ErrorCode::kInvalidArgument, "[add] a requires gradients");
  EXPECT_ERROR(add_out(x, plain, plain), ErrorCode::kInvalidArgument,
               "[add] out requires gradients");
  EXPECT_ERROR(x.slice(0, 1).zero_(), ErrorCode::kInvalidArgument,
               "[fill_] tensor requires gradients");
  EXPECT_ERROR(x.copy_from(plain), ErrorCode::kInvalidArgument,
               "[copy_from] destination requires gradients");
  EXPECT_EQ(x.to_vector<float>(), (Floats{1, 2}));
}

TEST_P(OverwritingTest, FromWhatRequiresGradientsIsRefused) {
  const Tensor x = leaf({1, 2}), out = ones({2}, device_);
  EXPECT_ERROR(add_out(out, x, out), ErrorCode::kInvalidArgument,
               "[add] a requires gradients, which do not flow into a destination: expected an "
               "operand without, got a: f32 [2]" +
                   on_ +
                   ". Use the form that returns a new tensor, or write inside a NoGrad scope.");
  EXPECT_ERROR(exp_out(out, x), ErrorCode::kInvalidArgument, "[exp] a requires gradients");
  EXPECT_ERROR(out.copy_from(x), ErrorCode::kInvalidArgument,
               "[copy_from] source requires gradients");
  const Tensor a = leaf({1}).view({1, 1}), matrix = ones({1, 1}, device_);
  EXPECT_ERROR(matmul_out(matrix, a, ones({1, 1}, device_)), ErrorCode::kInvalidArgument,
               "[matmul] a requires gradients");
  EXPECT_EQ(out.to_vector<float>(), (Floats{1, 1}));
}

/// relu's gradient is made from its result.
TEST_P(OverwritingTest, OfAnOperandThatIsNotKeptIsFine) {
  const Tensor x = leaf({1, -2}), y = x * 3, z = relu(y);
  {
    const NoGrad no_grad;
    y.fill_(-1);
  }
  sum(z).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{3, 0}));
}

TEST_P(OverwritingTest, InsideNoGradIsFine) {
  const Tensor x = leaf({1, 2});
  sum(x * x).backward();
  {
    const NoGrad scope;
    x -= 0.5 * x.grad();
  }
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 0}));
  EXPECT_TRUE(x.is_leaf());
  sum(x * 3).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 7}));
}

TEST_P(OverwritingTest, OfAnOperandThatBackwardNeedsIsFound) {
  const Tensor x = leaf({1, 2}), factor = from_host(Floats{3, 4}, {2}, device_);
  const Tensor y = sum(x * factor), z = sum(x + factor);
  factor.slice(0, 1).fill_(0);  // through a view
  EXPECT_ERROR(y.backward(), ErrorCode::kInvalidArgument,
               "[backward] b of mul was overwritten: expected it as it was when mul read it, got 1 "
               "later write to its storage (b: f32 [2]" +
                   on_ + "). Clone it before it is overwritten.");
  z.backward();  // a sum needs no values
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{1, 1}));
}

TEST_P(OverwritingTest, OfAResultThatBackwardNeedsIsFound) {
  const Tensor x = leaf({1, 2});
  const Tensor y = exp(x);
  {
    const NoGrad scope;
    y.fill_(0);
  }
  EXPECT_ERROR(sum(y).backward(), ErrorCode::kInvalidArgument,
               "an operand was overwritten since exp made it");
  const Tensor z = exp(x), total = sum(z);
  {
    const NoGrad scope;
    z.fill_(0);
  }
  EXPECT_ERROR(total.backward(), ErrorCode::kInvalidArgument,
               "[backward] out of exp was overwritten");
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
  {
    const NoGrad scope;
    tall.fill_(0);
  }
  const Tensor classes = from_host<std::int64_t>({0, 1}, {2}, device_), ones_2 = ones({2}, device_);
  using Call = std::function<void()>;
  const std::pair<const char*, Call> calls[] = {
      {"split", [&] { static_cast<void>(split(matrix, 1)); }},
      {"split",
       [&] {
         static_cast<void>(split(matrix, std::vector<std::int64_t>{1, 1}));
       }},
      {"chunk", [&] { static_cast<void>(chunk(matrix, 2)); }},
      {"stack",
       [&] {
         static_cast<void>(stack({ones_2, vector}));
       }},
      {"matmul",
       [&] {
         static_cast<void>(matmul(ones({2, 2}, device_), vector));
       }},
      {"matmul", [&] { static_cast<void>(matmul(vector, ones_2)); }},
      {"trace", [&] { static_cast<void>(trace(matrix)); }},
      {"topk", [&] { static_cast<void>(topk(number, 1)); }},
      {"sort", [&] { static_cast<void>(sort(number)); }},
      {"mean", [&] { static_cast<void>(mean(vector)); }},
      {"mean", [&] { static_cast<void>(mean(made({2}, DType::f16))); }},
      {"norm", [&] { static_cast<void>(norm(vector)); }},
      {"norm", [&] { static_cast<void>(norm(vector, 1)); }},
      {"stddev", [&] { static_cast<void>(stddev(vector)); }},
      {"mse_loss", [&] { static_cast<void>(mse_loss(vector, ones_2)); }},
      {"l1_loss", [&] { static_cast<void>(l1_loss(ones_2, vector)); }},
      {"huber_loss", [&] { static_cast<void>(huber_loss(vector, ones_2)); }},
      {"cross_entropy", [&] { static_cast<void>(cross_entropy(matrix, classes)); }},
      {"nll_loss", [&] { static_cast<void>(nll_loss(matrix, classes)); }},
      {"layer_norm",
       [&] {
         static_cast<void>(layer_norm(made({2, 2}, DType::f16), {2}));
       }},
      {"batch_norm",
       [&] {
         static_cast<void>(batch_norm(ones({2, 2}, device_), {.weight = vector, .training = true}));
       }},
      {"t", [&] { static_cast<void>(matrix.t()); }},
      {"squeeze",
       [&] {
         static_cast<void>(made({1, 2}).squeeze(0));
       }},
      {"reshape", [&] { static_cast<void>(matrix.reshape({4})); }},
      {"reshape", [&] { static_cast<void>(tall.reshape({6})); }},
  };
  for (const auto& [name, call] : calls) {
    EXPECT_ERROR(call(), ErrorCode::kInvalidArgument,
                 "[" + std::string(name) + "] an operand was overwritten since ");
  }
  const NoGrad scope;
  EXPECT_EQ(sum(matrix.t()).item<float>(), 0);  // where nothing is recorded it is an operand
}

TEST_P(OverwritingTest, OfABaseIsFoundThroughItsView) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2, first = y.slice(0, 0, 1);
  {
    const NoGrad scope;
    y.fill_(9);
  }
  EXPECT_ERROR(static_cast<void>(first * 2), ErrorCode::kInvalidArgument,
               "[mul] an operand was overwritten since slice made it: "
               "1 later write to its storage (operand: f32 [1]" +
                   on_ + "). Clone it before it is overwritten, or detach() it.");
}

TEST_P(OverwritingTest, ThroughASliceIsFoundWhateverWrites) {
  const Tensor x = leaf({1, 2}), one = ones({1}, device_);
  const std::function<void(const Tensor&)> writes[] = {
      [&](const Tensor& factor) { factor.slice(0, 1).copy_from(one); },
      [&](const Tensor& factor) { factor.slice(0, 1) += one; },
      [&](const Tensor& factor) {
        concat_out(factor, {one, one});
      },
      [&](const Tensor& factor) {
        scatter_add_out(factor, factor, 0, zeros({1}, {DType::i64, device_}), one);
      }};
  for (const auto& write : writes) {
    const Tensor factor = from_host(Floats{3, 4}, {2}, device_);
    const Tensor y = sum(x * factor);
    write(factor);
    EXPECT_ERROR(y.backward(), ErrorCode::kInvalidArgument,
                 "[backward] b of mul was overwritten: expected it as it was when mul read it, got "
                 "1 later write to");
  }
}

TEST_P(OverwritingTest, OfAnIndexThatBackwardNeedsIsFound) {
  const Tensor x = leaf({1, 2}), index = zeros({3}, {DType::i64, device_});
  const Tensor rows = index_select(x, 0, index), table = from_host(Floats{5, 6}, {2, 1}, device_);
  const Tensor found = embedding(table.requires_grad_(), index);
  index.slice(0, 1, 2).fill_(1);
  EXPECT_ERROR(sum(rows).backward(), ErrorCode::kInvalidArgument,
               "[backward] index of index_select was overwritten");
  EXPECT_ERROR(sum(found).backward(), ErrorCode::kInvalidArgument,
               "[backward] index of embedding was overwritten");
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
  EXPECT_ERROR(gather_out(x, out, 0, index), ErrorCode::kInvalidArgument,
               "[gather] out requires gradients");
  EXPECT_ERROR(gather_out(out, x, 0, index), ErrorCode::kInvalidArgument,
               "[gather] a requires gradients, which do not flow into a destination");
  EXPECT_ERROR(index_add_out(out, out, 0, index, x), ErrorCode::kInvalidArgument,
               "[index_add] source requires gradients");
  EXPECT_ERROR(concat_out(out, {x}), ErrorCode::kInvalidArgument,
               "[concat] tensors[0] requires gradients");
  EXPECT_EQ(out.to_vector<float>(), (Floats{0, 0}));
}

/// What makes a tensor counts as no later write.
TEST_P(OverwritingTest, NewTensorsAreWhatTheyAre) {
  const Tensor x = leaf({1, 2});
  const Tensor y = zeros({2}, device_);
  y.copy_from(from_host(Floats{5, 6}, {2}, device_));
  y += 1;
  sum(x * y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 7}));
}

/// Nothing was written, so a backward that needs the old elements finds them.
TEST_P(OverwritingTest, ThatIsRefusedCountsForNothing) {
  const Tensor x = leaf({1, 2, 3, 4}), factor = from_host(Floats{5, 6, 7, 8}, {4}, device_);
  const Tensor y = sum(x * factor);
  const std::uint64_t before = num_overwrites(factor);
  const Tensor left = factor.slice(0, 0, 3), right = factor.slice(0, 1, 4);
  const Tensor matrix = factor.view({2, 2}), one = ones({2, 2}, device_);
  const Tensor index = zeros({4}, {DType::i64, device_}), far = ones({4}, test_device("fake:1"));
  const auto refused = [&](const std::function<void()>& write, const std::string& message) {
    EXPECT_ERROR(write(), ErrorCode::kInvalidArgument, message);
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
  refused(
      [&] {
        concat_out(factor, {left, ones({1}, device_)});
      },
      "[concat] out and tensors[0] overlap");
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
  {
    const CopyGuard guard;
    EXPECT_ERROR(factor.copy_from(far), ErrorCode::kCopyForbidden, "[copy_from]");
  }
  EXPECT_EQ(num_overwrites(factor), before);
  y.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{5, 6, 7, 8}));
}

TEST_P(OverwritingTest, CountsOneForEachCall) {
  const Tensor t = ones({4}, device_), number = full({}, 2, test_device("cpu:1"));
  const Tensor same = ones({4}, device_);
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
      [&] {
        matmul_out(t.view({2, 2}), ones({2, 2}, device_), ones({2, 2}, device_));
      },
      [&] { concat_out(t, {same}); },
      [&] {
        scatter_add_out(t, t, 0, zeros({4}, {DType::i64, device_}), same);
      },
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
