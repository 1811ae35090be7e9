// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Calls of a fused function for several groups of tensors: what they give, and in how many
// launches.
#include "tensor/fuse/fuse_fixture.h"

namespace patchbay::test {
namespace {

class FusedGroupsTest : public FuseTest {
 protected:
  /// The launches of that name while `body` runs.
  template <class Body>
  static std::uint64_t launches_of(const std::string& name, const Body& body) {
    Profile profile(test_runtime());
    body();
    profile.stop();
    for (const ProfileRow& row : profile.rows()) {
      if (row.name == name) return row.calls;
    }
    return 0;
  }
};
PATCHBAY_ON_EACH_DEVICE(FusedGroupsTest);

/// Of x, y and a number to x and y.
const FusedFunction& step() {
  static const FusedFunction& function = *new FusedFunction(
      3,
      [](std::span<const Expression> in) {
        const Expression sum = in[0] * in[2] + in[1];
        return std::vector{sum, sum - in[0]};
      },
      "step");
  return function;
}

struct Pair {
  Tensor x, y;
};
Pair pair_of(const Shape& shape, const Device& device, unsigned seed, DType dtype = DType::f32) {
  return {random_tensor<float>(shape, device, seed).cast(dtype).clone(),
          random_tensor<float>(shape, device, seed + 1).cast(dtype).clone()};
}
FusedGroup in_place(const Pair& pair, double number = 0.5) {
  return {{pair.x, pair.y}, {pair.x, pair.y, number}};
}
Pair stepped(const Pair& pair, double number = 0.5) {
  const Tensor sum = pair.x * number + pair.y;
  return {sum, sum - pair.x};
}

TEST_P(FusedGroupsTest, ManyOfAllSizesAreOneLaunch) {
  std::vector<FusedGroup> groups;
  std::vector<Pair> pairs, expected;
  const Shape shapes[] = {{},     {1}, {7},      {255},  {256},   {257},     {1023, 3},
                          {2, 3}, {0}, {33, 65}, {4096}, {70001}, {5, 1, 7}, {64}};
  for (unsigned i = 0; i < 150; ++i) {
    pairs.push_back(pair_of(shapes[i % std::size(shapes)], device_, i));
    expected.push_back(stepped(pairs.back()));
    groups.push_back(in_place(pairs.back()));
  }
  EXPECT_EQ(launches_of("step", [&] { step().call_groups_out(groups); }), 1u);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string what = "group " + std::to_string(i);
    expect_same<float>(pairs[i].x, expected[i].x, what + ", x");
    expect_same<float>(pairs[i].y, expected[i].y, what + ", y");
  }
}

TEST_P(FusedGroupsTest, OtherLayoutsStandBesideContiguousOnes) {
  const Tensor wide = random_tensor<float>({40, 30}, device_, 1);
  const Tensor across = random_tensor<float>({30, 20}, device_, 2);
  const Tensor row = random_tensor<float>({1, 50}, device_, 3);
  const std::vector<std::vector<Tensor>> inputs = {
      {wide.slice(1, 3, 23), wide.slice(1, 0, 20)},
      {random_tensor<float>({1000}, device_, 4), random_tensor<float>({1000}, device_, 5)},
      {across.t(), random_tensor<float>({20, 30}, device_, 6)},
      {random_tensor<float>({40, 50}, device_, 7), row},
      {random_tensor<float>({1, 50}, device_, 8), random_tensor<float>({40, 1}, device_, 9)},
      {random_tensor<float>({12}, device_, 10), random_tensor<float>({12}, device_, 11)}};
  std::vector<FusedGroup> groups;
  for (const auto& in : inputs) {
    const Shape shape = (in[0] + in[1]).shape();
    groups.push_back({{zeros(shape, device_), zeros(shape, device_)}, {in[0], in[1], 2}});
  }
  EXPECT_EQ(launches_of("step", [&] { step().call_groups_out(groups); }), 1u);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Tensor sum = inputs[i][0] * 2 + inputs[i][1];
    const std::string what = "group " + std::to_string(i);
    expect_same<float>(groups[i].outputs[0], sum, what);
    expect_same<float>(groups[i].outputs[1], sum - inputs[i][0], what);
  }
}

TEST_P(FusedGroupsTest, EachDtypeHasALaunch) {
  std::vector<DType> dtypes = {DType::f32};
  if (device_.properties().f16) dtypes.push_back(DType::f16);
  if (device_.properties().bf16) dtypes.push_back(DType::bf16);
  if (device_.properties().f64) dtypes.push_back(DType::f64);
  std::vector<FusedGroup> groups;
  std::vector<Pair> pairs, expected;
  for (unsigned i = 0; i < 20; ++i) {
    pairs.push_back(pair_of({17 + i}, device_, i, dtypes[i % dtypes.size()]));
    expected.push_back(stepped(pairs.back()));
    groups.push_back(in_place(pairs.back()));
  }
  EXPECT_EQ(launches_of("step", [&] { step().call_groups_out(groups); }), dtypes.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string what =
        std::string(to_string(pairs[i].x.dtype())) + " of group " + std::to_string(i);
    expect_same<float>(pairs[i].x.cast(DType::f32), expected[i].x.cast(DType::f32), what);
    expect_same<float>(pairs[i].y.cast(DType::f32), expected[i].y.cast(DType::f32), what);
  }
}

TEST_P(FusedGroupsTest, EachNumberHasALaunch) {
  const Pair a = pair_of({100}, device_, 1), b = pair_of({50}, device_, 2),
             c = pair_of({70}, device_, 3);
  const Pair wanted[] = {stepped(a, 0.5), stepped(b, 3), stepped(c, 0.5)};
  const std::vector<FusedGroup> groups = {in_place(a, 0.5), in_place(b, 3), in_place(c, 0.5)};
  EXPECT_EQ(launches_of("step", [&] { step().call_groups_out(groups); }), 2u);
  expect_same<float>(a.x, wanted[0].x, "a");
  expect_same<float>(b.x, wanted[1].x, "b");
  expect_same<float>(c.y, wanted[2].y, "c");
}

/// The second call reads what the first one wrote.
TEST_P(FusedGroupsTest, GroupsThatUseTheSameMemoryAreCalledInTurn) {
  const Tensor storage = random_tensor<float>({300}, device_, 1), before = storage.clone();
  const Tensor x = storage.slice(0, 0, 100), y = storage.slice(0, 100, 200),
               shifted = storage.slice(0, 50, 150);
  const auto chain = [&](const Tensor& a, const Tensor& b) {
    const Pair next = stepped({a.clone(), b.clone()});
    a.copy_from(next.x);
    b.copy_from(next.y);
  };
  const Tensor other = random_tensor<float>({100}, device_, 2), as_before = other.clone();
  const std::vector<FusedGroup> groups = {
      in_place({x, y}), in_place({shifted, storage.slice(0, 200, 300)}), in_place({other, y})};
  EXPECT_EQ(launches_of("step", [&] { step().call_groups_out(groups); }), 3u);
  const Tensor wanted = before.clone(), wanted_other = as_before.clone();
  chain(wanted.slice(0, 0, 100), wanted.slice(0, 100, 200));
  chain(wanted.slice(0, 50, 150), wanted.slice(0, 200, 300));
  chain(wanted_other, wanted.slice(0, 100, 200));
  expect_same<float>(storage, wanted, "storage");
  expect_same<float>(other, wanted_other, "other");
}

TEST_P(FusedGroupsTest, GroupsMayReadTheSameMemory) {
  const Tensor shared = random_tensor<float>({100}, device_, 1);
  std::vector<FusedGroup> groups;
  for (int i = 0; i < 5; ++i) {
    groups.push_back({{zeros({100}, device_), zeros({100}, device_)}, {shared, shared, 1}});
  }
  EXPECT_EQ(launches_of("step", [&] { step().call_groups_out(groups); }), 1u);
  for (const FusedGroup& group : groups) {
    expect_same<float>(group.outputs[0], shared + shared, "outputs");
    expect_same<float>(group.outputs[1], shared, "differences");
  }
}

/// A number in a tensor is read after the calls before have written it.
TEST_P(FusedGroupsTest, NumbersInTensorsAreReadInTurn) {
  const Device host = test_device("cpu:0");
  const Tensor number = full({}, 2, host), more = full({}, 1, host);
  const Pair pair = {full({4}, 3, device_), full({4}, 1, device_)};
  step().call_groups_out(std::vector<FusedGroup>{{{number, more}, {number, more, 5}},
                                                 {{pair.x, pair.y}, {pair.x, pair.y, number}}});
  EXPECT_EQ(number.item<float>(), 11);
  EXPECT_EQ(pair.x.to_vector<float>(), Floats(4, 34));
  EXPECT_EQ(pair.y.to_vector<float>(), Floats(4, 31));
}

TEST_P(FusedGroupsTest, OnSeveralDevicesEachHasALaunch) {
  std::vector<FusedGroup> groups;
  std::vector<Pair> pairs, expected;
  for (unsigned i = 0; i < 8; ++i) {
    pairs.push_back(pair_of({64}, i % 2 == 0 ? device_ : other_, i));
    expected.push_back(stepped(pairs.back()));
    groups.push_back(in_place(pairs.back()));
  }
  step().call_groups_out(groups);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].x.to_vector<float>(), expected[i].x.to_vector<float>()) << i;
  }
}

TEST_P(FusedGroupsTest, AGraphRecordsOneLaunch) {
  const Pair a = pair_of({300}, device_, 1), b = pair_of({20, 30}, device_, 2);
  Pair x = {a.x.clone(), a.y.clone()}, y = {b.x.clone(), b.y.clone()};
  Scalar slot = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(0.5);
    // Elements that the graph makes are apart too.
    const Tensor twice = a.y * 2;
    const std::vector<FusedGroup> groups = {{{a.x, a.y}, {a.x, twice, slot}},
                                            {{b.x, b.y}, {b.x, b.y, slot}}};
    step().call_groups_out(groups);
  });
  EXPECT_EQ(graph.num_operations(), 2u);
  for (const double number : {0.5, 2.0, -1.0}) {
    graph.set(slot, number);
    graph.replay();
    x = stepped({x.x, x.y * 2}, number);
    y = stepped(y, number);
    expect_same<float>(a.x, x.x, "a after " + std::to_string(number));
    expect_same<float>(a.y, x.y, "a after " + std::to_string(number));
    expect_same<float>(b.x, y.x, "b after " + std::to_string(number));
    expect_same<float>(b.y, y.y, "b after " + std::to_string(number));
  }
}

TEST_P(FusedGroupsTest, NoGroupsAndEmptyOnesAreNoLaunch) {
  EXPECT_EQ(
      launches_of("step",
                  [&] {
                    step().call_groups_out({});
                    step().call_groups_out(std::vector<FusedGroup>{
                        in_place(pair_of({0}, device_, 1)), in_place(pair_of({3, 0}, device_, 1))});
                  }),
      0u);
}

TEST_P(FusedGroupsTest, AllAreCheckedBeforeTheFirstLaunch) {
  const Pair good = {ones({3}, device_), ones({3}, device_)};
  const auto refused = [&](const FusedGroup& bad, ErrorCode code, const std::string& message) {
    EXPECT_ERROR(step().call_groups_out(std::vector<FusedGroup>{in_place(good), bad}), code,
                 message);
    EXPECT_EQ(good.x.to_vector<float>(), Floats(3, 1));
  };
  const Tensor a = ones({2}, device_), b = ones({2}, device_);
  refused({{a, b}, {a, b}}, kInvalidArgument,
          "[step] wrong number of arguments: expected 3, got 2.");
  refused({{a}, {a, b, 1}}, kInvalidArgument, "[step] wrong number of outputs: expected 2, got 1.");
  refused({{a, b}, {a, ones({3}, device_), 1}}, kShapeMismatch, "[step] ");
  refused({{a, Tensor()}, {a, b, 1}}, kInvalidArgument, "[step] out is undefined");
  refused({{a, a}, {a, b, 1}}, kInvalidArgument, "[step] ");
  refused({{a, b}, {a, ones({2}, other_), 1}}, kDeviceMismatch,
          "[step] operands are on different devices");
  const Tensor parameter = ones({2}, device_).requires_grad_();
  refused({{a, b}, {parameter, b, 1}}, kInvalidArgument, "[step] ");
}

}  // namespace
}  // namespace patchbay::test
