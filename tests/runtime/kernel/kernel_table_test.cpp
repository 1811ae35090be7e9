// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The table that launches look kernels up in: keys that nearly agree, and entries that are taken.
#include "core/runtime/kernel/kernel_table.h"

#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace patchbay::runtime {

// The table keeps addresses of kernels and looks into none.
struct KernelState {
  int number = 0;
};

namespace {

using Words = std::vector<std::uint64_t>;

struct KernelTableTest : testing::Test {
  std::unique_ptr<KernelTable> table = std::make_unique<KernelTable>();
  std::vector<std::unique_ptr<KernelState>> kernels;

  KernelState* new_kernel() { return kernels.emplace_back(std::make_unique<KernelState>()).get(); }
};

TEST_F(KernelTableTest, EveryFieldTellsKeysApart) {
  const Words one{1}, other{2};
  std::vector<KernelKey> keys;
  for (int bit = 0; bit < 16; ++bit) {
    keys.push_back({static_cast<std::uint16_t>(1 << bit), 1, 1, 0, {}});
    keys.push_back({0, 1, 1, static_cast<std::uint16_t>(1 << bit), {}});
  }
  for (int bit = 1; bit < 8; ++bit) {
    keys.push_back({0, static_cast<std::uint8_t>(1 << bit), 1, 0, {}});
    keys.push_back({0, 1, static_cast<std::uint8_t>(1 << bit), 0, {}});
  }
  keys.push_back({0xffff, 0xff, 0xff, 0xffff, {}});
  keys.push_back({3, 1, 1, 0, one});
  keys.push_back({3, 1, 1, 0, other});
  for (const KernelKey& key : keys) {
    EXPECT_EQ(table->find(key), nullptr);
    ASSERT_TRUE(table->insert(key, new_kernel()));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(table->find(keys[i]), kernels[i].get());
}

TEST_F(KernelTableTest, TheFirstKernelOfAKeyStays) {
  const KernelKey key{5, 1, 2, 3, {}};
  KernelState* const first = new_kernel();
  ASSERT_TRUE(table->insert(key, first));
  ASSERT_TRUE(table->insert(key, new_kernel()));
  EXPECT_EQ(table->find(key), first);
}

TEST_F(KernelTableTest, NullIsAnEntryToo) {
  const KernelKey key{5, 1, 2, 3, {}};
  EXPECT_FALSE(table->has(key));
  ASSERT_TRUE(table->insert(key, nullptr));
  EXPECT_TRUE(table->has(key));
  EXPECT_EQ(table->find(key), nullptr);
  table->clear();
  EXPECT_FALSE(table->has(key));
}

// The tag has 16 bits for the attributes, so values with equal bits are easy to find.
TEST_F(KernelTableTest, AttributesOfOneHashAreTwoKeys) {
  std::map<std::uint64_t, std::uint64_t> seen;
  std::vector<Words> same;
  for (std::uint64_t word = 0; same.size() < 6; ++word) {
    ASSERT_LT(word, 1U << 20);
    const Words words{word};
    const auto [known, is_new] = seen.emplace(KernelTable::tag_of({7, 1, 1, 0, words}), word);
    if (!is_new) same.insert(same.end(), {Words{known->second}, words});
  }
  for (const Words& words : same) ASSERT_TRUE(table->insert({7, 1, 1, 0, words}, new_kernel()));
  for (std::size_t i = 0; i < same.size(); ++i) {
    EXPECT_EQ(table->find({7, 1, 1, 0, same[i]}), kernels[i].get());
  }
}

TEST_F(KernelTableTest, AttributesAreCopied) {
  Words words{1, 2, 3};
  KernelState* const kernel = new_kernel();
  ASSERT_TRUE(table->insert({1, 1, 1, 0, words}, kernel));
  words[2] = 4;
  EXPECT_EQ(table->find({1, 1, 1, 0, words}), nullptr);
  words[2] = 3;
  EXPECT_EQ(table->find({1, 1, 1, 0, words}), kernel);
}

// Keys of one tag begin at one entry: the first kNumProbes of them fill all that they may be in.
TEST_F(KernelTableTest, AKeyWithoutAFreeEntryIsRefusedAndTheOthersStay) {
  std::vector<Words> same;
  const std::uint64_t tag = KernelTable::tag_of({9, 1, 1, 0, Words{0}});
  for (std::uint64_t word = 0; same.size() <= KernelTable::kNumProbes; ++word) {
    ASSERT_LT(word, 1U << 24);
    if (KernelTable::tag_of({9, 1, 1, 0, Words{word}}) == tag) same.push_back({word});
  }
  for (std::size_t i = 0; i < same.size(); ++i) {
    const bool has_room = i < KernelTable::kNumProbes;
    EXPECT_EQ(table->insert({9, 1, 1, 0, same[i]}, new_kernel()), has_room) << i;
  }
  for (std::size_t i = 0; i < same.size(); ++i) {
    KernelState* const expected = i < KernelTable::kNumProbes ? kernels[i].get() : nullptr;
    EXPECT_EQ(table->find({9, 1, 1, 0, same[i]}), expected) << i;
  }
}

TEST_F(KernelTableTest, AFullTableAnswersForEveryKey) {
  std::map<std::uint16_t, KernelState*> kept;
  for (std::uint16_t op = 0; op < 60000; ++op) {
    KernelState* const kernel = new_kernel();
    if (table->insert({op, 1, 1, 0, {}}, kernel)) kept[op] = kernel;
  }
  EXPECT_EQ(kept.size(), KernelTable::kNumEntries);
  for (std::uint16_t op = 0; op < 60000; ++op) {
    const auto found = kept.find(op);
    ASSERT_EQ(table->find({op, 1, 1, 0, {}}), found == kept.end() ? nullptr : found->second) << op;
  }
}

TEST_F(KernelTableTest, AClearedTableIsEmptyAndFillsAgain) {
  const Words words{4};
  ASSERT_TRUE(table->insert({2, 1, 1, 0, words}, new_kernel()));
  table->clear();
  EXPECT_EQ(table->find({2, 1, 1, 0, words}), nullptr);
  KernelState* const kernel = new_kernel();
  ASSERT_TRUE(table->insert({2, 1, 1, 0, words}, kernel));
  EXPECT_EQ(table->find({2, 1, 1, 0, words}), kernel);
}

}  // namespace
}  // namespace patchbay::runtime
