// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which form of the portable product a launch takes, and when it is compiled.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kit/noting_backend.h"
#include "kit/portable/operators.hpp"

namespace patchbay::test {
namespace {

class GemmForms : public testing::Test {
 protected:
  void prepare(std::uint8_t dtype, std::int64_t compute_units) {
    portable::Traits traits;
    traits.compute_units = compute_units;
    backend_ = std::make_unique<portable::Backend>(
        traits, [this](std::string_view text) -> portable::Program {
          notes_.texts.emplace_back(text);
          return [this](std::string_view) { return std::make_unique<NotingFunction>(notes_); };
        });
    dtype_ = dtype;
    patchbay_argument_spec specs[5] = {};
    for (int i = 0; i < 5; ++i) {
      specs[i].kind = i < 3 ? PATCHBAY_TENSOR : PATCHBAY_SCALAR;
      specs[i].dtype = dtype;
      specs[i].access =
          static_cast<std::uint8_t>(i == 0 ? PATCHBAY_READ | PATCHBAY_WRITE : PATCHBAY_READ);
      specs[i].rank = PATCHBAY_ANY_RANK;
    }
    patchbay_kernel_spec spec{};
    spec.size = sizeof spec;
    spec.op = plugin::to_abi("gemm.1");
    spec.arguments = specs;
    spec.num_arguments = 5;
    kernel_ = portable::prepare(*backend_, spec);
    ASSERT_NE(kernel_, nullptr);
  }

  /// The number of groups that a product of `count` [m, k] by [k, n] takes.
  std::uint64_t groups_of(std::int64_t count, std::int64_t m, std::int64_t n) {
    constexpr std::int64_t kDepth = 5;
    const patchbay_argument arguments[] = {tensor(count, m, n), tensor(count, m, kDepth),
                                           tensor(count, kDepth, n), scalar(), scalar()};
    kernel_->launch(stream_, arguments, {}, {});
    const portable::Grid& grid = notes_.grids.back();
    EXPECT_EQ(grid.items[1], grid.group[1]);
    return grid.items[0] / grid.group[0];
  }
  bool is_defined(const std::string& line) const {
    return notes_.texts.back().find("#define " + line + "\n") != std::string::npos;
  }

  Notes notes_;

 private:
  patchbay_argument tensor(std::int64_t count, std::int64_t rows, std::int64_t columns) const {
    patchbay_argument argument{};
    argument.kind = PATCHBAY_TENSOR;
    argument.dtype = dtype_;
    argument.rank = 3;
    const std::int64_t shape[] = {count, rows, columns}, strides[] = {rows * columns, columns, 1};
    for (int d = 0; d < 3; ++d) {
      argument.shape[d] = shape[d];
      argument.strides[d] = strides[d];
    }
    return argument;
  }
  patchbay_argument scalar() const {
    patchbay_argument argument{};
    argument.kind = PATCHBAY_SCALAR;
    argument.dtype = dtype_;
    argument.value.bits = 1;
    return argument;
  }

  std::uint8_t dtype_ = PATCHBAY_F32;
  std::unique_ptr<portable::Backend> backend_;
  std::unique_ptr<plugin::Kernel> kernel_;
  IdleStream stream_;
};

TEST_F(GemmForms, LargeOneIsCompiledWhenALaunchNeedsIt) {
  prepare(PATCHBAY_F32, 1);
  EXPECT_EQ(notes_.texts.size(), 1u);
  EXPECT_TRUE(is_defined("ITEM_ROWS 1"));
  EXPECT_EQ(groups_of(1, 40, 16), 3u);
  EXPECT_EQ(notes_.texts.size(), 1u);
  EXPECT_EQ(groups_of(1, 300, 256), 6u);
  EXPECT_EQ(notes_.texts.size(), 2u);
  EXPECT_TRUE(is_defined("ITEM_ROWS 8") && is_defined("ITEM_COLUMNS 8") && is_defined("TILE 16"));
  EXPECT_EQ(groups_of(2, 128, 128), 2u);
  EXPECT_EQ(notes_.texts.size(), 2u);
}

/// Blocks that reach far beyond the result, or leave most of the device idle, cost more than they
/// save.
TEST_F(GemmForms, SmallResultsTakeSingleElements) {
  prepare(PATCHBAY_F32, 16);
  EXPECT_EQ(groups_of(3, 128, 128), 3u * 64u);
  EXPECT_EQ(groups_of(4, 128, 128), 4u);
  EXPECT_EQ(groups_of(64, 16, 128), 64u * 8u);
  EXPECT_EQ(groups_of(64, 32, 128), 64u);
  EXPECT_EQ(groups_of(16, 129, 17), 16u * 18u);
  EXPECT_EQ(groups_of(17, 128, 128), 17u);
}

TEST_F(GemmForms, ElementsOf64BitsTakeSmallerBlocks) {
  for (const std::uint8_t dtype : {PATCHBAY_F64, PATCHBAY_I64}) {
    prepare(dtype, 1);
    EXPECT_EQ(groups_of(1, 300, 256), 20u);
    EXPECT_TRUE(is_defined("ITEM_ROWS 4") && is_defined("ITEM_COLUMNS 4"));
  }
}

TEST_F(GemmForms, SmallGroupsTakeSmallerTiles) {
  notes_.max_group_size = 100;
  prepare(PATCHBAY_F32, 1);
  EXPECT_TRUE(is_defined("TILE 8"));
  EXPECT_EQ(groups_of(1, 40, 16), 10u);
  EXPECT_EQ(groups_of(1, 256, 256), 16u);
  EXPECT_TRUE(is_defined("TILE 8") && is_defined("ITEM_ROWS 8"));
}

}  // namespace
}  // namespace patchbay::test
