// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What operations refuse, and what they say then. Nothing is done before.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

PATCHBAY_DEVICE_TESTS(OperandsTest);

TEST_P(OperandsTest, DevicesMustBeTheSame) {
  const Tensor a = ones({2, 3}, device_), b = ones({3}, other_);
  const std::uint64_t copies = num_copies("", "");
  device_.synchronize();
  const std::uint64_t blocks = device_.memory().live_blocks;
  const std::string text = "[add] operands are on different devices (a: f32 [2, 3]" + on_ +
                           "; b: f32 [3] on " + other_.name() +
                           "). Copy b first: b.to(a.device()).";
  EXPECT_ERROR(add(a, b), kDeviceMismatch, text);
  EXPECT_ERROR(lt(a, b), kDeviceMismatch, "[lt]");
  EXPECT_ERROR(matmul(a, ones({3, 2}, other_)), kDeviceMismatch,
               "[matmul] operands are on different devices");
  EXPECT_EQ(num_copies("", ""), copies);
  EXPECT_EQ(device_.memory().live_blocks, blocks);
}

/// The value of a 0-d operand of another device is counted, and a guard refuses it.
TEST_P(OperandsTest, ANumberOfAnotherDeviceIsCounted) {
  const Device host = test_device(device_.name() == "cpu:0" ? "cpu:1" : "cpu:0");
  const Tensor a = ones({3}, device_), number = full({}, 2, host), out = zeros({3}, device_);
  const Ledger& ledger = test_runtime().ledger();
  const auto counted = [&] {
    std::uint64_t copies = 0, bytes = 0;
    for (const LedgerEntry& each : ledger.entries()) {
      if (each.route != Route::kScalar) continue;
      EXPECT_EQ(to_string(each.route), "scalar");
      if (each.from != host.name() || each.to != device_.name()) continue;
      copies += each.copies;
      bytes += each.bytes;
    }
    return std::pair(copies, bytes);
  };
  const auto before = counted();
  EXPECT_EQ((a + number).to_vector<float>(), Floats(3, 3));
  EXPECT_EQ((number * a).to_vector<float>(), Floats(3, 2));
  sub_out(out, a, number);
  const Tensor mask = from_host<bool>({true, false, true}, {3}, device_);
  EXPECT_EQ(where(mask, a, number).to_vector<float>(), (Floats{1, 2, 1}));
  EXPECT_EQ(counted().first, before.first + 4);
  EXPECT_EQ(counted().second, before.second + 16);
  static_cast<void>(a + 2);  // a literal is no tensor
  EXPECT_EQ(counted().first, before.first + 4);
  const CopyGuard guard;
  const std::string text =
      "inside a CopyGuard: expected that nothing moves. Move it out of the guarded block, pass a "
      "number or a 0-d tensor that is" +
      on_;
  EXPECT_ERROR(a + number, kCopyForbidden, text);
  EXPECT_ERROR(lt(number, a), kCopyForbidden, text);
  EXPECT_ERROR(mul_out(out, a, number), kCopyForbidden, text);
  EXPECT_ERROR(where(mask, a, number), kCopyForbidden, text);
  static_cast<void>(a + 2);
  EXPECT_EQ(counted().first, before.first + 4);
}

TEST_P(OperandsTest, DevicesOfOneBackendAreDifferentToo) {
  const std::string sibling = device_.backend() + ":1";
  if (!absence_of(sibling).empty()) GTEST_SKIP() << absence_of(sibling);
  EXPECT_ERROR(ones({1}, device_) + ones({1}, test_device(sibling)), kDeviceMismatch,
               "b: f32 [1] on " + sibling + "). Copy b first");
}

TEST_P(OperandsTest, OutMustBeThereToo) {
  const Tensor a = ones({2}, device_), out = full({2}, 7, other_);
  EXPECT_ERROR(add_out(out, a, a), kDeviceMismatch,
               "(out: f32 [2] on " + other_.name() + "; a: f32 [2]" + on_ + ")");
  EXPECT_ERROR(add_out(out, a, 1), kDeviceMismatch, "Copy a first: a.to(out.device())");
  EXPECT_ERROR(neg_out(out, a), kDeviceMismatch, "[neg]");
  EXPECT_ERROR(out += a, kDeviceMismatch, "[add] operands are on different devices");
  EXPECT_ERROR(matmul_out(zeros({1, 1}, other_), ones({1, 1}, device_), ones({1, 1}, device_)),
               kDeviceMismatch, "[matmul]");
  EXPECT_EQ(out.to_vector<float>(), Floats(2, 7));
}

TEST_P(OperandsTest, RuntimesMustBeTheSame) {
  const Runtime runtime(device_options());
  EXPECT_ERROR(ones({2}, device_) + ones({2}, runtime.device(device_.name())), kDeviceMismatch,
               "[add] operands are on devices of two runtimes, which do not mix");
}

TEST_P(OperandsTest, HostScalarsOfAnotherRuntimeAreRefusedToo) {
  const Runtime other(options());
  const Tensor scalar = full({}, 2, other.device("cpu:0")), t = ones({2}, device_);
  EXPECT_ERROR(add(t, scalar), kDeviceMismatch, "[add]");
  EXPECT_ERROR(add_out(t, t, scalar), kDeviceMismatch, "[add]");
}

TEST_P(OperandsTest, AHostScalarMayBeAnOperandAnywhere) {
  const Tensor two = full({}, 2, test_device("cpu:0")), t = full({2}, 10, device_);
  const std::uint64_t copies = num_copies("", "");
  const Tensor left = two - t, right = t - two, both = two * two;
  const Tensor out = zeros({2}, device_), flag = zeros({}, {DType::boolean, device_});
  div_out(out, t, two);
  lt_out(flag, two, two);
  square_out(zeros({}, device_), two);
  // Each value that goes to another device is counted.
  EXPECT_EQ(num_copies("", "") - copies, device_ == two.device() ? 0u : 6u);
  EXPECT_EQ(left.device(), device_);
  EXPECT_EQ(left.to_vector<float>(), Floats(2, -8));
  EXPECT_EQ(right.to_vector<float>(), Floats(2, 8));
  EXPECT_EQ(out.to_vector<float>(), Floats(2, 5));
  EXPECT_EQ(both.device(), test_device("cpu:0"));
  EXPECT_FALSE(flag.item<bool>());
}

TEST_P(OperandsTest, BoolHostScalarsWork) {
  const Tensor t = from_host({true, false}, {2}, device_);
  const Tensor yes = ones({}, {DType::boolean, test_device("cpu:0")});
  EXPECT_EQ(logical_and(yes, t).to_vector<bool>(), (Bools{true, false}));
  EXPECT_EQ(eq(t, yes).to_vector<bool>(), (Bools{true, false}));
  EXPECT_EQ(eq(t, false).to_vector<bool>(), (Bools{false, true}));
}

/// Neither of two numbers says where to compute.
TEST(OperandsHostTest, HostScalarsOfTwoDevicesAreRefused) {
  const Device first = test_device("cpu:0"), second = test_device("cpu:1");
  const Tensor a = full({}, 2, first), b = full({}, 3, second),
               far = ones({2}, test_device("fake:0"));
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { return (a + b); }, [&] { return (b + a); }, [&] { return maximum(a, b); },
           [&] { return eq(a, b); }, [&] { a += b; }, [&] { return where(gt(a, 1), a, b); },
           [&] { return where(gt(far, 0), a, b); },
           [&] {
             return fuse([](Expression x, Expression y, Expression z) { return x + y * z; })(far, a,
                                                                                             b);
           }}) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kDeviceMismatch) << error.what();
      EXPECT_NE(std::string(error.what()).find("cpu:1"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(a.item<float>(), 2);
  EXPECT_EQ((a + far).to_vector<float>(), (Floats{3, 3}));
}

TEST(OperandsHostTest, NothingElseMayBeElsewhere) {
  const Tensor cpu = ones({}, test_device("cpu:0")), fake = ones({2}, test_device("fake:0"));
  EXPECT_ERROR(fake + ones({1}, test_device("cpu:0")), kDeviceMismatch, "f32 [1] on cpu:0");
  EXPECT_ERROR(fake[0] + ones({2}, test_device("cpu:0")), kDeviceMismatch, "f32 [] on fake:0");
  EXPECT_ERROR(
      add_out(cpu, fake[0], fake[1]), kDeviceMismatch,
      "[add] operands are on different devices (out: f32 [] on cpu:0; a: f32 [] on fake:0)");
  EXPECT_ERROR(fake + full({}, 1, {DType::i32, test_device("cpu:0")}), kDtypeMismatch,
               "expected b of f32 like a, got i32");
}

TEST_P(OperandsTest, HostScalarsThatRequireGradientsAreNumbersInNoGrad) {
  const Tensor scale = full({}, 3, test_device("cpu:0")).requires_grad_();
  const NoGrad scope;
  EXPECT_EQ((ones({2}, device_) * scale).to_vector<float>(), (Floats{3, 3}));
}

TEST_P(OperandsTest, DtypesMustBeTheSame) {
  const Tensor a = ones({2}, device_), b = ones({2}, {DType::i32, device_});
  EXPECT_ERROR(a + b, kDtypeMismatch, "[add]", "expected b of f32 like a, got i32");
  EXPECT_ERROR(a + b, kDtypeMismatch, "Convert it first: b.cast(DType::f32).");
  const Tensor mask = gt(a, 0);
  EXPECT_ERROR(mask * a, kDtypeMismatch, "Convert the mask first: a.cast(DType::f32).");
  EXPECT_ERROR(logical_and(mask, a), kDtypeMismatch, "Convert it first: b.cast(DType::boolean).");
  EXPECT_ERROR(matmul(a.view({1, 2}), b.view({2, 1})), kDtypeMismatch, "[matmul]");
  EXPECT_INVALID(b + 1.5, "got 1.5");
  EXPECT_EQ((b + 2.0).to_vector<std::int32_t>(), (Ints{3, 3}));
}

TEST_P(OperandsTest, OperationsNameTheDtypesTheyTake) {
  const Tensor whole = ones({2}, {DType::i32, device_});
  EXPECT_ERROR(sqrt(whole), kDtypeMismatch,
               "[sqrt] is not defined for i32: expected one of f32, f64, f16, bf16, got i32");
  EXPECT_ERROR(whole.cast(DType::boolean) + 1, kDtypeMismatch, "[add] is not defined for bool");
  EXPECT_ERROR(logical_and(whole, whole), kDtypeMismatch, "bool");
  EXPECT_ERROR(mean(whole), kDtypeMismatch, "[mean] is not defined");
  EXPECT_ERROR(norm(whole), kDtypeMismatch, "[norm] is not defined");
}

TEST_P(OperandsTest, ShapesMustBroadcast) {
  const Tensor a = ones({2, 3}, device_), b = ones({4}, device_);
  EXPECT_ERROR(a + b, kShapeMismatch, "[add] shapes [2, 3] and [4] do not broadcast",
               "expected equal extents, or 1, in dimension -1, got 3 and 4");
  EXPECT_ERROR(b + a, kShapeMismatch, "got 4 and 3");
  EXPECT_ERROR(a + ones({3, 3}, device_), kShapeMismatch, "dimension -2, got 2 and 3");
  const Tensor wide = ones({1}, device_).expand({std::int64_t{1} << 40, 1});
  const Tensor high = ones({1}, device_).expand({1, std::int64_t{1} << 40});
  EXPECT_ERROR(wide + high, kOverflow, "[add] too many elements");
}

TEST_P(OperandsTest, OutMustFitTheResult) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(add_out(zeros({3}, device_), a, a), kShapeMismatch,
               "[add] out has the wrong shape: expected [2, 3], got [3]");
  EXPECT_ERROR(eq_out(zeros({2, 3}, device_), a, a), kDtypeMismatch,
               "[eq] out has the wrong dtype: expected bool, got f32");
  EXPECT_INVALID(add_out(zeros({3}, device_).expand({2, 3}), a, a), "[add]",
                 "expected a place of its own for each, got strides [0, 1] (out: f32 [2, 3]" + on_ +
                     "). Write into out.clone(), and use that one from then on.");
  EXPECT_ERROR(a[0] += a, kShapeMismatch,
               "[add] a has the wrong shape: expected [2, 3], got [3] (a: f32 [3]" + on_ +
                   "). The result does not fit in place: use the form that returns a new tensor.");
  EXPECT_INVALID(add_out(Tensor(), a, a), "[add] out is undefined");
  EXPECT_INVALID(a + Tensor(), "b is undefined");
}

TEST_P(OperandsTest, PartialOverlapIsRefused) {
  const Tensor t = arange(0.0, 8, 1, device_);
  const auto refused = [&](const Tensor& out, const Tensor& in) {
    EXPECT_INVALID(add_out(out, in, 1), "[add] out and a overlap");
  };
  refused(t.slice(0, 0, 6), t.slice(0, 2));
  refused(t.slice(0, 2), t.slice(0, 0, 6));
  refused(t.view({2, 4}).slice(1, 0, 2).t(), t.view({2, 4}).slice(1, 0, 2));
  refused(t.slice(0, 0, 8, 2), t.slice(0, 2, 6));
  EXPECT_INVALID(t += t[3], "[add] a and b overlap");
  EXPECT_EQ(t.to_vector<float>(), (Floats{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_P(OperandsTest, ViewsWithoutACommonElementDoNotOverlap) {
  const Tensor t = arange(0.0, 16, 1, device_);
  add_out(t.slice(0, 0, 16, 2), t.slice(0, 1, 16, 2), 100);  // even places from the odd ones
  EXPECT_EQ(t.slice(0, 0, 4).to_vector<float>(), (Floats{101, 1, 103, 3}));
  const Tensor square = arange(0.0, 16, 1, device_).view({4, 4});
  add_out(square.slice(1, 0, 2), square.slice(1, 2), 0);  // the left half from the right one
  EXPECT_EQ(square[3].to_vector<float>(), (Floats{14, 15, 14, 15}));
}

TEST_P(OperandsTest, ExactInPlaceUseIsFine) {
  const Tensor t = arange(0.0, 6, 1, device_).view({2, 3});
  t.t() *= t.t();
  EXPECT_EQ(t.to_vector<float>(), (Floats{0, 1, 4, 9, 16, 25}));
  sub_out(t, t, t);
  EXPECT_EQ(t.to_vector<float>(), Floats(6, 0));
  EXPECT_EQ((t + 3).t().clone().to_vector<float>(), Floats(6, 3));
}

}  // namespace
}  // namespace patchbay::test
