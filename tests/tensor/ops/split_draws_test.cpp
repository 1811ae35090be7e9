// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random numbers of the parts of a batch.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

class SplitDrawsTest : public DeviceTest {
 protected:
  /// What draw(rows) gives for the parts of `parts` rows, one after the other.
  template <class T>
  static std::vector<T> in_parts(const Longs& parts,
                                 const std::function<Tensor(std::int64_t rows)>& draw) {
    SplitDraws draws;
    std::vector<std::vector<T>> values(parts.size());
    std::vector<std::thread> threads;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      threads.emplace_back([&, i, first] {
        const SplitDraws::Scope scope(draws, first, parts[i]);
        values[i] = draw(parts[i]).template to_vector<T>();
      });
      first += parts[i];
    }
    for (std::thread& each : threads) each.join();
    draws.finish();
    std::vector<T> all;
    for (const auto& each : values) all.insert(all.end(), each.begin(), each.end());
    return all;
  }
};
PATCHBAY_ON_EACH_DEVICE(SplitDrawsTest);

TEST_P(SplitDrawsTest, PartsHaveTheNumbersOfTheWhole) {
  const Generator generator(42);
  const Longs parts{3, 1, 5, 2};
  const auto expect_equal = [&](auto zero, const std::function<Tensor(std::int64_t)>& draw) {
    using T = decltype(zero);
    generator.set_state({42, 6});
    const std::vector<T> whole = draw(11).template to_vector<T>();
    const Generator::State after = generator.state();
    generator.set_state({42, 6});
    EXPECT_EQ(in_parts<T>(parts, draw), whole);
    EXPECT_EQ(generator.state(), after);
  };
  expect_equal(0.0F, [&](std::int64_t rows) { return rand({rows, 3}, device_, generator); });
  expect_equal(0.0F, [&](std::int64_t rows) { return randn({rows * 2, 7}, device_, generator); });
  expect_equal(std::int64_t{}, [&](std::int64_t rows) {
    static_cast<void>(rand({rows}, device_, generator));
    return randint(0, 1000, {rows, 5}, device_, generator);
  });
  expect_equal(std::int64_t{}, [&](std::int64_t rows) {
    return randint(0, std::int64_t{1} << 40, {rows, 3}, device_, generator);
  });
  expect_equal(false, [&](std::int64_t rows) {
    return dropout_mask(0.3, {rows, 2, 9}, device_, generator);
  });
}

TEST_P(SplitDrawsTest, OtherDrawsAreEqualInAllParts) {
  const Generator generator(1);
  const Floats noise = rand({5}, device_, generator).to_vector<float>();
  generator.manual_seed(1);
  Floats twice = noise;
  twice.insert(twice.end(), noise.begin(), noise.end());
  EXPECT_EQ(in_parts<float>({2, 2}, [&](std::int64_t) { return rand({5}, device_, generator); }),
            twice);
}

TEST_P(SplitDrawsTest, TheFurthestPartCounts) {
  const Generator generator(3);
  SplitDraws draws;
  for (const std::int64_t part : {0, 1}) {
    const SplitDraws::Scope scope(draws, part, 1);
    EXPECT_EQ(generator.state(), (Generator::State{3, 0}));
    for (std::int64_t i = 0; i <= part; ++i) static_cast<void>(rand({1}, device_, generator));
    EXPECT_EQ(generator.state().offset, static_cast<std::uint64_t>(part + 1));
  }
  EXPECT_EQ(generator.state().offset, 0u);
  draws.finish();
  EXPECT_EQ(generator.state(), (Generator::State{3, 2}));
}

TEST_P(SplitDrawsTest, SeedsSetInsideStay) {
  const Generator generator(3);
  SplitDraws draws;
  {
    const SplitDraws::Scope scope(draws, 0, 1);
    generator.set_state({9, 5});
    EXPECT_EQ(generator.state(), (Generator::State{9, 5}));
  }
  draws.finish();
  EXPECT_EQ(generator.state(), (Generator::State{9, 5}));
}

TEST_P(SplitDrawsTest, WrongParts) {
  SplitDraws draws;
  EXPECT_INVALID(SplitDraws::Scope(draws, -1, 1),
                 "[SplitDraws] no part of a batch: expected a first row from 0 and at least one "
                 "row, got row -1 and 1 rows. Leave out empty parts.");
  EXPECT_INVALID(SplitDraws::Scope(draws, 0, 0), "[SplitDraws]");
}

TEST_P(SplitDrawsTest, ACallThatIsRefusedTakesNoOffset) {
  const Generator generator(3);
  SplitDraws draws;
  const SplitDraws::Scope scope(draws, INT64_MAX, 1);
  const Tensor t = zeros({1, 2}, device_);
  const std::string refused =
      "[random] the batch is too large: expected an index that 64 bits hold, got row "
      "9223372036854775807 of 2 elements each. Split it into smaller ones.";
  EXPECT_ERROR(rand({1, 2}, device_, generator), kOverflow, refused);
  EXPECT_ERROR(fill_uniform(t, 0, 1, generator), kOverflow, refused);
  EXPECT_EQ(num_overwrites(t), 0U);
  EXPECT_EQ(generator.state(), (Generator::State{3, 0}));
}

}  // namespace
}  // namespace patchbay::test
