// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How many launches several groups of a fused expression take, and when what is compiled.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kit/noting_backend.h"
#include "kit/portable/elementwise/fused.hpp"

namespace patchbay::test {
namespace {

class FusedGroups : public testing::Test {
 protected:
  void prepare(const portable::Traits& traits, std::int64_t most_of_compiler = 1 << 20,
               std::size_t num_inputs = 1) {
    num_tensors_ = 1 + num_inputs;
    backend_ = std::make_unique<portable::Backend>(
        traits, [this, most_of_compiler](std::string_view text) -> portable::Program {
          const std::int64_t groups = groups_in(text);
          if (groups > most_of_compiler) {
            throw plugin::StatusError(PATCHBAY_BUILD_FAILED, "too many parameters");
          }
          built_.push_back(groups);
          return [this](std::string_view) { return std::make_unique<NotingFunction>(notes_); };
        });
    std::string code = "patchbay-expr/1";
    for (std::size_t i = 0; i < num_inputs; ++i) code += " input:f32";
    code += " scalar:f32 s0";
    for (std::size_t i = 0; i < num_inputs; ++i) code += " x" + std::to_string(i) + " mul.1";
    module_ = portable::load_fused(*backend_, code + " out");
    std::vector<patchbay_argument_spec> specs(num_tensors_ + 1);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      specs[i].kind = i < num_tensors_ ? PATCHBAY_TENSOR : PATCHBAY_SCALAR;
      specs[i].dtype = PATCHBAY_F32;
      specs[i].access = i == 0 ? PATCHBAY_WRITE : PATCHBAY_READ;
      specs[i].rank = PATCHBAY_ANY_RANK;
    }
    kernel_ = module_->kernel("fused", specs);
  }

  /// The launches of groups with so many elements.
  std::size_t launches_of(const std::vector<std::int64_t>& sizes) {
    std::vector<patchbay_argument> arguments;
    for (const std::int64_t size : sizes) {
      for (std::size_t i = 0; i < num_tensors_; ++i) arguments.push_back(tensor(size));
    }
    arguments.emplace_back().kind = PATCHBAY_SCALAR;
    arguments.back().dtype = PATCHBAY_F32;
    notes_.grids.clear();
    kernel_->launch(stream_, arguments, {}, {});
    return notes_.grids.size();
  }
  std::size_t launches_of(std::size_t count) {
    return launches_of(std::vector<std::int64_t>(count, 100));
  }

  static patchbay_argument tensor(std::int64_t size) {
    patchbay_argument argument{};
    argument.kind = PATCHBAY_TENSOR;
    argument.dtype = PATCHBAY_F32;
    argument.rank = 1;
    argument.shape[0] = size;
    argument.strides[0] = 1;
    return argument;
  }

  /// The number after "#define GROUPS ", 0 for the kernels of one group.
  static std::int64_t groups_in(std::string_view text) {
    constexpr std::string_view kBefore = "#define GROUPS ";
    return std::stoll(std::string(text.substr(text.find(kBefore) + kBefore.size(), 8)));
  }

  Notes notes_;
  std::vector<std::int64_t> built_;  // GROUPS of each text

 private:
  std::size_t num_tensors_ = 0;  // of a group
  IdleStream stream_;
  std::unique_ptr<portable::Backend> backend_;
  std::unique_ptr<plugin::Module> module_;

 protected:
  std::unique_ptr<plugin::Kernel> kernel_;
};

/// A buffer is two arguments of 8 bytes in OpenCL: (1024 - 8) / (2 * 16 + 8) groups.
TEST_F(FusedGroups, OfOpenClFitInAThousandBytes) {
  prepare({});
  EXPECT_EQ(launches_of(1), 1u);
  EXPECT_EQ(built_, std::vector<std::int64_t>{0}) << "no kernel of groups so far";
  EXPECT_EQ(launches_of(25), 1u);
  EXPECT_EQ(launches_of(26), 2u) << "the last one is a launch of one group";
  EXPECT_EQ(launches_of(51), 3u);
  EXPECT_EQ(built_, (std::vector<std::int64_t>{0, 25}));
}

TEST_F(FusedGroups, FewHaveAKernelOfTheirOwn) {
  portable::Traits traits;
  traits.has_addresses = true;
  traits.argument_bytes = 4096;
  prepare(traits);
  EXPECT_EQ(launches_of(32), 1u);
  EXPECT_EQ(launches_of(33), 1u);
  EXPECT_EQ(launches_of(170), 1u);  // (4096 - 8) / (2 * 8 + 8)
  EXPECT_EQ(launches_of(171), 2u);
  EXPECT_EQ(built_, (std::vector<std::int64_t>{0, 32, 170}));
}

TEST_F(FusedGroups, CompilersMayTakeFewerThanTheDriver) {
  portable::Traits traits;
  traits.has_addresses = true;
  traits.argument_bytes = 32764;
  prepare(traits, 170);
  EXPECT_EQ(launches_of(32), 1u);
  EXPECT_EQ(launches_of(100), 4u);
  EXPECT_EQ(built_, (std::vector<std::int64_t>{0, 32})) << "no second attempt";
}

/// 32 groups of so many tensors have more parameters than an older compiler takes.
TEST_F(FusedGroups, FewGroupsOfManyTensorsFitInAnyCompiler) {
  portable::Traits traits;
  traits.has_addresses = true;
  traits.argument_bytes = 32764;
  prepare(traits, 30, 15);  // (4096 - 8) / (16 * 8 + 8)
  EXPECT_EQ(launches_of(30), 1u);
  EXPECT_EQ(launches_of(31), 2u);
  EXPECT_EQ(launches_of(32), 2u);
  EXPECT_EQ(launches_of(91), 4u) << "the last one is a launch of one group";
  EXPECT_EQ(built_, (std::vector<std::int64_t>{0, 30}));
  built_.clear();
  prepare(traits, 1 << 20, 15);
  EXPECT_EQ(launches_of(30), 1u);
  EXPECT_EQ(launches_of(31), 1u);
  EXPECT_EQ(launches_of(240), 1u);  // (32764 - 8) / (16 * 8 + 8)
  EXPECT_EQ(built_, (std::vector<std::int64_t>{0, 30, 240}));
}

TEST_F(FusedGroups, EmptyOnesAreNoLaunchAndHugeOnesAreAlone) {
  prepare({});
  EXPECT_EQ(launches_of({0, 0}), 0u);
  EXPECT_EQ(launches_of({0, 5, 0}), 1u);
  const std::int64_t huge = (std::int64_t{1} << 30) + 1, large = 1 << 29;
  EXPECT_EQ(launches_of({5, huge, 6}), 2u);
  EXPECT_EQ(launches_of({large, large, large}), 2u) << "sums of elements have 31 bits";
}

TEST_F(FusedGroups, EachBeginsWithAGroupOfWorkItems) {
  prepare({});
  notes_.max_group_size = 64;
  EXPECT_EQ(launches_of({1, 64 * 4, 64 * 4 + 1}), 1u);  // 16 bytes for each work-item
  EXPECT_EQ(notes_.grids[0].items[0], 64u * (1 + 1 + 2));
  EXPECT_EQ(notes_.grids[0].group[0], 64u);
}

}  // namespace
}  // namespace patchbay::test
