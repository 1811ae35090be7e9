// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which packed operands the CPU plugin keeps.
#include "cpu-openblas/products/packed_cache.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::cpu {
namespace {

constexpr std::int64_t kBytes = 1000;

/// Uses operands of 1000 bytes, and tells which were kept before.
class User {
 public:
  explicit User(std::uint64_t most_bytes) : cache_(most_bytes) {}

  /// "kept", "packed" (and kept from now on) or "not kept".
  std::string use(std::uint64_t contents) { return use_in(cache_.next_launch(), contents); }
  std::string use_in(std::uint64_t launch, std::uint64_t contents) {
    bool is_new = false;
    const auto block = cache_.find({contents, nullptr, {}}, kBytes, launch, [&](char* to) {
      std::memset(to, static_cast<int>(contents), kBytes);
      return is_new = true;
    });
    if (block == nullptr) return "not kept";
    EXPECT_EQ(block.get()[kBytes - 1], static_cast<char>(contents));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % 64, 0u);
    return is_new ? "packed" : "kept";
  }
  int count_kept(const std::vector<std::uint64_t>& all) {
    int count = 0;
    for (const std::uint64_t contents : all) count += use(contents) == "kept" ? 1 : 0;
    return count;
  }
  PackedCache& cache() { return cache_; }

 private:
  PackedCache cache_;
};

TEST(PackedCache, KeepsWhatASecondLaunchUses) {
  User user(10 * kBytes);
  EXPECT_EQ(user.use(1), "not kept");
  EXPECT_EQ(user.use(1), "packed");
  EXPECT_EQ(user.use(1), "kept");
  EXPECT_EQ(user.use(2), "not kept");
  const std::uint64_t launch = user.cache().next_launch();
  EXPECT_EQ(user.use_in(launch, 3), "not kept");
  EXPECT_EQ(user.use_in(launch, 3), "not kept") << "by another thread of the same launch";
}

TEST(PackedCache, TellsOtherFormsApart) {
  PackedCache cache(10 * kBytes);
  const auto use = [&](const PackedCache::Key& key) {
    return cache.find(key, kBytes, cache.next_launch(), [](char*) { return true; });
  };
  int elements = 0;
  const PackedCache::Key key{7, nullptr, {1, 2, 3, 4, 5}};
  (void)use(key);
  const auto block = use(key);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(use(key), block);
  EXPECT_EQ(use({8, nullptr, {1, 2, 3, 4, 5}}), nullptr);
  EXPECT_EQ(use({7, &elements, {1, 2, 3, 4, 5}}), nullptr);
  EXPECT_EQ(use({7, nullptr, {1, 2, 3, 4, 6}}), nullptr);
}

TEST(PackedCache, KeepsTheWeightsOfALargeModel) {
  User user(1000 * kBytes);
  std::vector<std::uint64_t> weights(500);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = i + 1;
  (void)user.count_kept(weights);
  (void)user.count_kept(weights);
  EXPECT_GT(user.count_kept(weights), 490);  // a place among the sights may be full
}

/// Dropping the oldest would drop each weight before its next use.
TEST(PackedCache, KeepsSomeOfAModelThatDoesNotFit) {
  User user(4 * kBytes);
  const std::vector<std::uint64_t> weights = {1, 2, 3, 4, 5, 6, 7};
  (void)user.count_kept(weights);
  for (int pass = 0; pass < 10; ++pass) {
    EXPECT_EQ(user.count_kept(weights), pass == 0 ? 0 : 4) << pass;
  }
}

TEST(PackedCache, DropsWhatIsNotUsedAnyMore) {
  User user(3 * kBytes);
  const std::vector<std::uint64_t> old = {1, 2, 3}, now = {11, 12, 13};
  for (int pass = 0; pass < 3; ++pass) (void)user.count_kept(old);
  EXPECT_EQ(user.count_kept(old), 3);
  for (int pass = 0; pass < 6; ++pass) (void)user.count_kept(now);
  EXPECT_EQ(user.count_kept(now), 3);
  EXPECT_EQ(user.count_kept(old), 0);
}

TEST(PackedCache, KeepsNothingLargerThanItsLimit) {
  User none(0), little(kBytes - 1);
  for (int launch = 0; launch < 4; ++launch) {
    EXPECT_EQ(none.use(1), "not kept");
    EXPECT_EQ(little.use(1), "not kept");
  }
}

TEST(PackedCache, AnOperandThatCanNotBePackedIsTriedAgain) {
  PackedCache cache(kBytes);
  int num_tries = 0;
  const auto use = [&](bool works) {
    return cache.find({1, nullptr, {}}, kBytes, cache.next_launch(), [&](char*) {
      ++num_tries;
      return works;
    });
  };
  EXPECT_EQ(use(false), nullptr);
  EXPECT_EQ(use(false), nullptr);
  EXPECT_EQ(num_tries, 1);
  EXPECT_NE(use(true), nullptr);
  EXPECT_EQ(num_tries, 2);
}

TEST(PackedCache, WhoMeetsAnOperandThatIsBeingPackedDoesWithout) {
  User user(10 * kBytes);
  (void)user.use(1);
  const auto block =
      user.cache().find({1, nullptr, {}}, kBytes, user.cache().next_launch(), [&](char* to) {
        EXPECT_EQ(user.use(1), "not kept");
        std::memset(to, 1, kBytes);
        return true;
      });
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(user.use(1), "kept");
}

TEST(PackedCache, ABlockThatIsUsedOutlivesItsEntry) {
  User user(kBytes);
  (void)user.use(1);
  (void)user.use(1);
  const auto block = user.cache().find({1, nullptr, {}}, kBytes, user.cache().next_launch(),
                                       [](char*) { return true; });
  for (int launch = 0; launch < 9; ++launch) (void)user.use(2);
  EXPECT_EQ(user.use(2), "kept");
  EXPECT_EQ(block.get()[0], 1);
}

}  // namespace
}  // namespace patchbay::cpu
