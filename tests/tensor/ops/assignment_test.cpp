// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is assigned to a view is written to its elements; a handle with a name refers to something
// else from then on.
#include <tuple>

#include "support/device_test.h"
#include "support/layout.h"

namespace patchbay::test {
namespace {

// Views take tensors and numbers, named handles take tensors.
static_assert(std::is_assignable_v<Tensor, Tensor> && std::is_assignable_v<Tensor, const Tensor&>);
static_assert(std::is_assignable_v<Tensor, Tensor&> && std::is_assignable_v<Tensor, double>);
static_assert(std::is_assignable_v<Tensor, int> && std::is_assignable_v<Tensor, bool>);
static_assert(std::is_assignable_v<Tensor, Scalar>);
static_assert(!std::is_assignable_v<Tensor&, double> && !std::is_assignable_v<Tensor&, Scalar>);
static_assert(!std::is_assignable_v<const Tensor&, Tensor>);
static_assert(!std::is_assignable_v<const Tensor, Tensor>);
static_assert(!std::is_assignable_v<Tensor, std::string> &&
              !std::is_assignable_v<Tensor, const char*>);
static_assert(!std::is_assignable_v<Tensor, Device> && !std::is_assignable_v<Tensor, Shape>);
static_assert(!std::is_assignable_v<Tensor, std::nullptr_t>);
static_assert(std::is_nothrow_move_assignable_v<Tensor> && std::is_copy_assignable_v<Tensor>);
static_assert(std::is_nothrow_swappable_v<Tensor>);
// Of other handles a temporary is not assigned to, for nothing would happen.
static_assert(!std::is_assignable_v<Buffer, Buffer> && std::is_copy_assignable_v<Buffer>);
static_assert(!std::is_assignable_v<Device, Device> && std::is_copy_assignable_v<Device>);

template <class T>
concept SplitsAssign = requires(T t) {
  split(t, 2)[0] = t;
};
template <class T>
concept ChunksAssign = requires(T t) {
  chunk(t, 2)[0] = t;
};
static_assert(!SplitsAssign<Tensor> && !ChunksAssign<Tensor>);

template <class A, class B>
concept Adds = requires(A a, B b) {
  a += b;
};
template <class A, class B>
concept Changes = requires(A a, B b) {
  a -= b;
  a *= b;
  a /= b;
};
static_assert(Adds<Tensor, Tensor> && Adds<const Tensor, int> && Changes<Tensor, Scalar>);
static_assert(!Adds<Tensor, std::string> && !Adds<Tensor, Device> && !Adds<Tensor, Shape>);
static_assert(!Changes<Tensor, std::string> && !Adds<std::string, Tensor>);

PATCHBAY_DEVICE_TESTS(AssignmentTest);

TEST_P(AssignmentTest, WritesTheElementsOfTheView) {
  const Tensor a = zeros({2, 3}, device_);
  a[0] = floats({1, 2, 3});
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 2, 3, 0, 0, 0}));
  a.slice(1, 1) = from_host(Floats{4, 5, 6, 7}, {2, 2}, device_);
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 4, 5, 0, 6, 7}));
  a.t()[2] = floats({8, 9});
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 4, 8, 0, 6, 9}));
  a[0][0] = a[1][2];
  a.view({6}).slice(0, 3, 5) = a.view({6}).slice(0, 0, 2);
  EXPECT_EQ(a.to_vector<float>(), (Floats{9, 4, 8, 9, 4, 9}));
}

TEST_P(AssignmentTest, OfANamedHandleWritesNothing) {
  const Tensor a = zeros({2, 3}, device_), b = floats({1, 2, 3});
  Tensor row = a[0];
  row = b;
  EXPECT_TRUE(row.is_same(b));
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 0));
  Tensor other = a[1];
  std::swap(row, other);
  EXPECT_TRUE(other.is_same(b));
  std::vector<Tensor> rows{row, other};
  rows[0] = other;
  rows.insert(rows.begin(), row);
  std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  std::optional<Tensor> maybe = row;
  maybe = other;
  std::tie(row, other) = std::pair(b, a);
  const Tensor moved = std::move(row);
  row = std::move(other);
  row = {};
  EXPECT_FALSE(row.defined());
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 0));
}

TEST_P(AssignmentTest, TheSourceBroadcasts) {
  const Tensor a = zeros({2, 3}, device_);
  a.slice(0, 0) = floats({1, 2, 3});
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 2, 3, 1, 2, 3}));
  a.slice(1, 1) = from_host(Floats{4, 5}, {2, 1}, device_);
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 4, 4, 1, 5, 5}));
  a[1] = floats({6});
  a.slice(0, 0, 1) = full({}, 7, device_);
  EXPECT_EQ(a.to_vector<float>(), (Floats{7, 7, 7, 6, 6, 6}));
}

TEST_P(AssignmentTest, ANumberFills) {
  const Tensor a = zeros({2, 3}, device_), i = zeros({3}, {DType::i32, device_});
  a[1] = 2.5;
  a.t()[0] = 1;
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 0, 0, 1, 2.5, 2.5}));
  const Tensor flags = zeros({3}, {DType::boolean, device_});
  flags[1] = true;
  EXPECT_EQ(flags.to_vector<bool>(), (Bools{false, true, false}));
  EXPECT_INVALID(i[0] = 0.5, "[fill_] a literal takes the tensor's", "a value that i32 can hold");
  i.slice(0, 1) = std::int64_t{7};
  EXPECT_EQ(i.to_vector<std::int32_t>(), (Ints{0, 7, 7}));
}

TEST_P(AssignmentTest, GivesTheHandleForMore) {
  const Tensor a = zeros({3, 2}, device_);
  a[0] = a[1] = a[2] = 7;
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 7));
  const Tensor row = (a[1] = floats({1, 2}));
  EXPECT_TRUE(row.is_same(a[1]));
}

TEST_P(AssignmentTest, AnyLayoutAndEmptyTensors) {
  const auto values = small_values<float>(24, 2);
  for (const Layout from : kLayouts) {
    for (const Layout to : kLayouts) {
      const Tensor source = laid_out(from, values, {2, 3, 4}, device_);
      const Tensor target = empty_in(to, {2, 3, 4}, DType::f32, device_);
      target.slice(0, 0) = source;
      EXPECT_EQ(target.to_vector<float>(), values) << from << " to " << to;
    }
  }
  const Tensor none = zeros({0, 3}, device_);
  none.slice(0, 0) = none;
  none.slice(0, 0) = ones({3}, device_);
  none.slice(0, 0) = 1;
}

TEST_P(AssignmentTest, OverlapIsAsElsewhere) {
  const Tensor a = floats({0, 1, 2, 3});
  a.slice(0, 1) = a.slice(0, 1);
  a.slice(0, 0, 4, 2) = a.slice(0, 1, 4, 2);
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 1, 3, 3}));
  EXPECT_INVALID(a.slice(0, 1) = a.slice(0, 0, 3),
                 "[assign] destination and source overlap in part (destination: f32 [3]" + on_ +
                     "; source: f32 [3]" + on_ + "). Clone the source first: source.clone().");
  EXPECT_INVALID(a.slice(0, 0) = a[2], "[assign] destination and source overlap");
  EXPECT_INVALID(a[0].expand({4}) = a.slice(0, 0), "[assign] destination and source overlap");
  EXPECT_INVALID(a[0].expand({4}) = floats({4, 5, 6, 7}), "[assign]",
                 "expected a place of its own for each, got strides [0] (destination: f32 [4]" +
                     on_ + "). Write into destination.clone(), and use that one from then on.");
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 1, 3, 3}));
}

TEST_P(AssignmentTest, OperandsMustFit) {
  const Tensor a = ones({2, 3}, device_);
  EXPECT_ERROR(a[0] = zeros({3}, other_), kDeviceMismatch,
               "[assign] operands are on different devices (destination: f32 [3]" + on_ +
                   "; source: f32 [3] on " + other_.name() +
                   "). Copy source first: source.to(destination.device()).");
  EXPECT_ERROR(a[0] = zeros({3}, {DType::i32, device_}), kDtypeMismatch, "[assign]",
               "expected source of f32 like destination, got i32 (destination: f32 [3]" + on_ +
                   "; source: i32 [3]" + on_ + "). Convert it first: source.cast(DType::f32).");
  EXPECT_ERROR(a[0] = zeros({2}, device_), kShapeMismatch, "[assign] the source does not broadcast",
               "expected [3], or 1 in some dimensions, got [2] (destination: f32 [3]" + on_ +
                   "; source: f32 [2]" + on_ + "). Reshape it.");
  EXPECT_ERROR(a[0] = a, kShapeMismatch, "expected [3], or 1 in some dimensions, got");
  EXPECT_INVALID(a[0] = Tensor(), "[assign] source is undefined");
  const std::string undefined =
      "[assign] the destination is undefined. Create it first; a gradient is set with set_grad.";
  EXPECT_INVALID(Tensor() = a, undefined);
  EXPECT_INVALID(a.grad() = a, undefined);
  EXPECT_INVALID(a.grad() = 1, undefined);
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 1));
}

TEST_P(AssignmentTest, AScalarOfTheHostStandsForItsValue) {
  const Tensor a = ones({2, 3}, device_), number = full({}, 4, test_device("cpu:1"));
  const std::uint64_t before = num_copies("cpu:1", device_.name());
  a[0] = number;
  EXPECT_EQ(a.to_vector<float>(), (Floats{4, 4, 4, 1, 1, 1}));
  EXPECT_EQ(num_copies("cpu:1", device_.name()), before + 1);  // the value
  EXPECT_ERROR(a[1] = full({}, 4, {DType::f64, test_device("cpu:1")}), kDtypeMismatch,
               "[assign] operands have different dtypes");
  EXPECT_ERROR(full({1}, 4, test_device("fake:1"))[0] = full({}, 1, test_device("fake:0")),
               kDeviceMismatch, "[assign] operands are on different devices");
}

/// A temporary that alone holds its storage.
TEST_P(AssignmentTest, WritesThatNobodyWouldSeeAreRefused) {
  const Tensor a = zeros({2, 3}, device_), rows = zeros({1}, {DType::i64, device_});
  EXPECT_INVALID(
      a.clone() = ones({2, 3}, device_),
      "[assign] the write would be lost, because the destination is a temporary that alone holds "
      "its storage (destination: f32 [2, 3]" +
          on_ + "). Give it a name and use copy_from, or assign to a view: slice, select or view.");
  EXPECT_INVALID((a + a) = 1, "[assign] the write would be lost");
  EXPECT_INVALID(a.t().contiguous() = 1, "the write would be lost");
  EXPECT_INVALID(a.t().reshape({6}) = 1, "the write would be lost");
  EXPECT_INVALID(index_select(a, 0, rows) = 1, "would be lost");
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 0));
  a.contiguous() = 1;  // a itself
  a.reshape({6}).slice(0, 3) = 2;
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 1, 1, 2, 2, 2}));
}

TEST(Assignment, ToLentMemoryIsSeenByItsOwner) {
  float lent[2] = {1, 2};
  wrap_host(lent, DType::f32, {2}, test_device("cpu:0")) = 5;
  EXPECT_EQ(lent[0] + lent[1], 10);
}

TEST_P(AssignmentTest, IsAnInPlaceWriteForGradients) {
  const Tensor x = leaf({1, 2}), plain = floats({3, 4});
  EXPECT_INVALID(x[0] = plain[0],
                 "[assign] destination requires gradients, so a recorded graph may need it "
                 "(destination: f32 []" +
                     on_);
  EXPECT_INVALID(x[0] = 1, "[fill_] tensor requires gradients");
  EXPECT_INVALID(plain[0] = x[0],
                 "[assign] source requires gradients, which do not flow into a destination");
  const Tensor y = sum(x * plain);
  {
    const NoGrad scope;
    x.slice(0, 0, 1) = 5;
    plain[1] = x[0];
  }
  EXPECT_EQ(x.to_vector<float>(), (Floats{5, 2}));
  EXPECT_EQ(plain.to_vector<float>(), (Floats{3, 5}));
  EXPECT_INVALID(y.backward(), "of mul was overwritten");
  x.set_grad(floats({0, 0}));
  x.grad() = 6;
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 6}));
}

TEST_P(AssignmentTest, IsRecordedInGraphs) {
  const Tensor a = zeros({2, 3}, device_), b = floats({1, 2, 3});
  const Graph graph = record_graph([&] {
    a[0] = b;
    a.t()[2] = 9;
  });
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 0));
  graph.replay();
  EXPECT_EQ(a.to_vector<float>(), (Floats{1, 2, 9, 0, 0, 9}));
  b[0] = 4;
  graph.replay();
  EXPECT_EQ(a.to_vector<float>(), (Floats{4, 2, 9, 0, 0, 9}));
}

TEST_P(AssignmentTest, MovesNothing) {
  const Tensor a = zeros({2, 3}, device_), b = floats({1, 2, 3});
  const std::uint64_t before = num_copies(device_.name(), device_.name());
  {
    const CopyGuard guard;
    a[0] = b;
    a.slice(0, 0) = b;
    a[1] = 1;
  }
  EXPECT_EQ(num_copies(device_.name(), device_.name()), before + 2);
}

}  // namespace
}  // namespace patchbay::test
