// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Devices that queue can't refuse an index: in validation mode the call does.
#include "runtime/validation/validated.h"

namespace patchbay::test {
namespace {

class ValidatedIndexing : public ValidationTest {};
PATCHBAY_ON_EACH_DEVICE(ValidatedIndexing);

TEST_P(ValidatedIndexing, AnIndexOutOfRangeIsRefused) {
  const Tensor a = ones({3, 2}, device_), out = zeros({2, 2}, device_);
  const Tensor index = from_host({0, 3, 1, -1}, {2, 2}, device_);
  EXPECT_INVALID(gather_out(out, a, 0, index), "[gather] index 3 at [0, 1] is out of range",
                 "expected 0 to 2 for dimension 0, got 3");
  EXPECT_INVALID(index_add_out(a, a, 0, index[1], out), "[index_add] index -1 at [1]",
                 "expected 0 to 2 for dimension 0, got -1");
  EXPECT_EQ(a.to_vector<float>(), Floats(6, 1));
  EXPECT_EQ(out.to_vector<float>(), Floats(4, 0));
}

/// The position counts no dimension along which the index repeats, and strides are walked.
TEST_P(ValidatedIndexing, IndicesOfAnyLayoutAreLookedAt) {
  const Tensor a = ones({3, 2}, device_), wide = from_host(Longs{0, 7, 1, 7, 5, 7}, {6}, device_);
  EXPECT_INVALID(index_select(a, 0, wide.slice(0, 0, 6, 2)),
                 "[index_select] index 5 at [2] is out of range: expected 0 to 2 for dimension 0");
  const Tensor square = from_host({0, 1, 2, 3}, {2, 2}, device_);
  EXPECT_INVALID(gather(a.slice(0, 0, 2), 1, square.t()),
                 "[gather] index 2 at [0, 1] is out of range: expected 0 to 1 for dimension 1");
  EXPECT_EQ(index_select(a, 0, wide.slice(0, 0, 4, 2)).to_vector<float>(), Floats(4, 1));
}

TEST_P(ValidatedIndexing, AnIndexOfSlicesWithoutElementsIsLookedAt) {
  const Tensor a = ones({0, 3}, device_), index = from_host({2, 3}, {2}, device_);
  EXPECT_INVALID(index_select(a, 1, index), "[index_select] index 3 at [1] is out of range",
                 "expected 0 to 2 for dimension 1, got 3");
  EXPECT_INVALID(index_add_out(a, a, 1, index, ones({0, 2}, device_)),
                 "[index_add] index 3 at [1] is out of range");
}

TEST_P(ValidatedIndexing, ARecordedLookupIsLookedAtByEachReplay) {
  const Tensor a = from_host(Floats{1, 2, 3, 4, 5, 6}, {3, 2}, device_);
  const Tensor index = from_host({2, 0}, {2}, device_), other = from_host({1, 3}, {2}, device_);
  Tensor rows, sums;
  const Graph graph = record_graph([&](GraphRecording&) {
    rows = index_select(a, 0, index);
    sums = index_add(a, 0, index + 0, rows);  // an index that the graph itself makes
  });
  graph.replay();
  EXPECT_EQ(rows.to_vector<float>(), (Floats{5, 6, 1, 2}));
  EXPECT_EQ(sums.to_vector<float>(), (Floats{2, 4, 3, 4, 10, 12}));
  index.copy_from(other);
  EXPECT_INVALID(graph.replay(), "[index_select] index 3 at [1]", "0 to 2 for dimension 0, got 3");
  index.fill_(1);
  inside(CopyGuard(), [&] { graph.replay(); });
  EXPECT_EQ(rows.to_vector<float>(), (Floats{3, 4, 3, 4}));
}

TEST_P(ValidatedIndexing, ARecordingHasTheSameOperationsAsWithoutValidation) {
  const auto count = [](const Device& device) {
    const Tensor a = ones({3, 2}, device), index = zeros({2}, {DType::i32, device});
    Tensor rows;
    return record_graph([&](GraphRecording&) { rows = index_select(a, 0, index); })
        .num_operations();
  };
  EXPECT_EQ(count(device_), count(test_device(GetParam())));
}

TEST_P(ValidatedIndexing, AGuardForbidsNoLookAtIt) {
  const Tensor a = ones({3, 2}, device_), index = zeros({2}, {DType::i64, device_});
  const CopyGuard guard;
  const Tensor rows = index_select(a, 0, index);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
}

}  // namespace
}  // namespace patchbay::test
