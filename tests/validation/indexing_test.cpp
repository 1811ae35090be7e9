// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Devices that queue can't refuse an index: in validation mode the call does.
#include <patchbay/indexing.h>

#include "validation/validated.h"

namespace patchbay::test {
namespace {

class ValidatedIndexing : public ValidationTest {};
PATCHBAY_ON_EACH_DEVICE(ValidatedIndexing);

TEST_P(ValidatedIndexing, AnIndexOutOfRangeIsRefused) {
  const Tensor a = ones({3, 2}, device_), out = zeros({2, 2}, device_);
  const Tensor index = from_host({0, 3, 1, -1}, {2, 2}, device_);
  EXPECT_ERROR(
      gather_out(out, a, 0, index), ErrorCode::kInvalidArgument,
      "[gather] index 3 at [0, 1] is out of range: expected 0 to 2 for dimension 0, got 3");
  EXPECT_ERROR(index_add_out(a, a, 0, index[1], out), ErrorCode::kInvalidArgument,
               "[index_add] index -1 at [1] is out of range: expected 0 to 2 for dimension 0, got "
               "-1");
  EXPECT_EQ(a.to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_EQ(out.to_vector<float>(), std::vector<float>(4, 0));
}

TEST_P(ValidatedIndexing, AGuardForbidsNoLookAtIt) {
  const Tensor a = ones({3, 2}, device_), index = zeros({2}, {DType::i64, device_});
  const CopyGuard guard;
  const Tensor rows = index_select(a, 0, index);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
}

}  // namespace
}  // namespace patchbay::test
