// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Loaders: the order of the samples, threads, errors, copies, positions and forks.
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "data/datasets.h"
#include "support/cancellable_thread.h"
#include "support/child.h"

namespace patchbay::test {
namespace {

using nn::Batch;
using nn::DataLoader;
using Indices = std::vector<std::int64_t>;
using Batches = std::vector<Indices>;

Device cpu() { return test_device("cpu:0"); }

class LoaderTest : public testing::TestWithParam<int> {
 protected:
  nn::DataLoaderOptions options() const {
    nn::DataLoaderOptions result;
    result.batch_size = 3;
    result.num_threads = GetParam();
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(, LoaderTest, testing::Values(0, 1, 4));

TEST_P(LoaderTest, GivesEpochAfterEpoch) {
  DataLoader loader(Numbers(8), options());
  EXPECT_EQ(loader.num_batches(), 3);
  const Batches all = {{0, 1, 2}, {3, 4, 5}, {6, 7}};
  for (int epoch = 0; epoch < 3; ++epoch) EXPECT_EQ(epoch_of(loader), all) << epoch;

  nn::DataLoaderOptions dropping = options();
  dropping.drop_last = true;
  DataLoader without_last(Numbers(8), dropping);
  EXPECT_EQ(without_last.num_batches(), 2);
  EXPECT_EQ(epoch_of(without_last), (Batches{{0, 1, 2}, {3, 4, 5}}));
}

TEST_P(LoaderTest, AnEmptyDatasetHasEmptyEpochs) {
  DataLoader loader(Numbers(0), options());
  EXPECT_EQ(loader.num_batches(), 0);
  EXPECT_FALSE(loader.next());
  EXPECT_FALSE(loader.next());
  EXPECT_EQ(loader.state().epoch, 2);
}

TEST_P(LoaderTest, IsForOneThreadAtATime) {
  std::atomic<bool> has_begun{false}, may_end{false};
  const auto before = [&](std::int64_t) {
    has_begun = true;
    while (!may_end) std::this_thread::yield();
  };
  DataLoader loader(Numbers(6, before), options());
  Indices first;
  std::thread other([&] { first = numbers_of(*loader.next()); });
  while (!has_begun) std::this_thread::yield();
  const char* const text =
      "[DataLoader] another thread is making a batch. Give each thread a loader of its own.";
  EXPECT_ERROR(loader.next(), ErrorCode::kInUse, text);
  EXPECT_ERROR(loader.set_state({}), ErrorCode::kInUse, text);
  may_end = true;
  other.join();
  EXPECT_EQ(first, (Indices{0, 1, 2}));
  EXPECT_EQ(numbers_of(*loader.next()), (Indices{3, 4, 5}));
}

TEST_P(LoaderTest, RefusesTheDatasetThatItCalls) {
  DataLoader* own = nullptr;
  const auto before = [&](std::int64_t) {
    DataLoader inner(Numbers(6), options());
    EXPECT_EQ(numbers_of(*inner.next()), (Indices{0, 1, 2}));
    static_cast<void>(own->next());
  };
  DataLoader loader(Numbers(6, before), options());
  own = &loader;
  for (int i = 0; i < 2; ++i) {
    EXPECT_ERROR(loader.next(), ErrorCode::kInUse,
                 "[DataLoader] a dataset calls the loader that calls it. Give the dataset a loader "
                 "of its own.");
  }
  EXPECT_FALSE(loader.next());
}

TEST_P(LoaderTest, ShufflesAsRandpermDoes) {
  for (const std::int64_t size : {1, 2, 7, 1000}) {
    nn::DataLoaderOptions shuffling = options();
    shuffling.shuffle = true;
    shuffling.seed = 0x123456789abcdef0;
    DataLoader loader(Numbers(size), shuffling);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      Indices got;
      for (const Indices& batch : epoch_of(loader))
        got.insert(got.end(), batch.begin(), batch.end());
      const Generator generator({shuffling.seed, epoch});
      EXPECT_EQ(got, randperm(size, cpu(), generator).to_vector<std::int64_t>());
    }
  }
}

TEST_P(LoaderTest, RangeForRunsTheRestOfTheEpoch) {
  DataLoader loader(Numbers(8), options());
  static_cast<void>(loader.next());
  Batches got;
  for (Batch& batch : loader) got.push_back(numbers_of(batch));
  EXPECT_EQ(got, (Batches{{3, 4, 5}, {6, 7}}));
  for (const Batch& batch : loader) {
    EXPECT_EQ(numbers_of(batch), (Indices{0, 1, 2}));
    break;
  }
  EXPECT_EQ(loader.state(), (DataLoader::State{0, 1, 1}));
}

TEST_P(LoaderTest, GoesOnFromAPosition) {
  nn::DataLoaderOptions shuffling = options();
  shuffling.shuffle = true;
  shuffling.seed = 3;
  DataLoader loader(Numbers(8), shuffling);
  static_cast<void>(epoch_of(loader));
  static_cast<void>(loader.next());
  const DataLoader::State state = loader.state();
  EXPECT_EQ(state, (DataLoader::State{3, 1, 1})) << "what was made ahead does not count";
  const Batches rest = epoch_of(loader), following = epoch_of(loader);

  nn::DataLoaderOptions other_seed = shuffling;
  other_seed.seed = 4;
  DataLoader other(Numbers(8), other_seed);
  static_cast<void>(other.next());
  other.set_state(state);
  EXPECT_EQ(epoch_of(other), rest);
  EXPECT_EQ(epoch_of(other), following);
  other.set_state({3, 1, 3});
  EXPECT_FALSE(other.next()) << "the end of that epoch";
  EXPECT_EQ(epoch_of(other), following);

  EXPECT_INVALID(other.set_state({3, -1, 0}),
                 "[DataLoader] a wrong epoch: expected 0 to 9223372036854775806, got -1");
  EXPECT_INVALID(other.set_state({3, 0, 4}), "[DataLoader] no such batch: expected 0 to 3, got 4");
  EXPECT_INVALID(other.set_state({3, 0, -1}), "got -1");
  EXPECT_EQ(other.state(), (DataLoader::State{3, 3, 0})) << "nothing has changed";
}

TEST_P(LoaderTest, ErrorsComeInTheirTurn) {
  const Numbers dataset(12, [](std::int64_t i) {
    if (i == 4) throw Error(ErrorCode::kIo, "[mine] as it is");
    if (i == 7) throw std::runtime_error("broken");
  });
  DataLoader loader(dataset, options());
  for (int epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(numbers_of(loader.next().value()), (Indices{0, 1, 2}));
    EXPECT_ERROR(loader.next(), ErrorCode::kIo, "[mine] as it is");
    EXPECT_EQ(loader.state(), (DataLoader::State{0, epoch, 2}));
    EXPECT_INVALID(loader.next(), "[Dataset] sample 7 can't be read: broken");
    EXPECT_EQ(numbers_of(loader.next().value()), (Indices{9, 10, 11})) << "goes on after it";
    EXPECT_FALSE(loader.next());
  }
}

/// A dataset whose batches fail.
class Failing : public Numbers {
 public:
  using Numbers::Numbers;
  Batch get_batch(std::span<const std::int64_t>) const override {
    throw std::logic_error("no batch");
  }
};

TEST_P(LoaderTest, WrongBatchesAreNamed) {
  DataLoader loader(Failing(8), options());
  EXPECT_INVALID(loader.next(), "[DataLoader] batch 0 of epoch 0 can't be made: no batch");
  EXPECT_INVALID(loader.next(), "[DataLoader] batch 1 of epoch 0");
}

TEST_P(LoaderTest, RefusesWrongOptions) {
  const auto make = [](const nn::DataLoaderOptions& wrong) { DataLoader(Numbers(8), wrong); };
  EXPECT_INVALID(make({.batch_size = 0}),
                 "[DataLoader] a wrong batch size: expected at least 1, got 0");
  EXPECT_INVALID(make({.num_threads = -1}),
                 "[DataLoader] a wrong number of threads: expected 0 to 256, got -1");
  EXPECT_INVALID(make({.num_threads = 257}), "got 257");
  EXPECT_INVALID(make({.prefetch = -1}),
                 "[DataLoader] a wrong number of batches ahead: expected at least 0, got -1");
  EXPECT_INVALID(DataLoader(Numbers(-2)),
                 "[DataLoader] a dataset of a wrong size: expected at least 0, got -2");
}

TEST_P(LoaderTest, BatchesLargerThanTheDatasetAndNothingAhead) {
  nn::DataLoaderOptions changed = options();
  changed.batch_size = std::numeric_limits<std::int64_t>::max();
  changed.prefetch = 0;
  DataLoader loader(Numbers(4), changed);
  EXPECT_EQ(epoch_of(loader), (Batches{{0, 1, 2, 3}}));
  changed.batch_size = 1;
  changed.prefetch = std::numeric_limits<int>::max();
  DataLoader far_ahead(Numbers(3), changed);
  EXPECT_EQ(epoch_of(far_ahead), (Batches{{0}, {1}, {2}}));
}

// ------------------------------------------------------------------------------------ threads ---

/// Lets calls wait until it is opened.
class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++num_waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_open_; });
  }
  void wait_for(int calls) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return num_waiting_ >= calls; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int num_waiting_ = 0;
  bool is_open_ = false;
};

TEST(LoaderThreads, MakeBatchesAtOnceAndAhead) {
  Gate gate;
  const Numbers dataset(8, [&](std::int64_t i) {
    if (i > 0) gate.pass();
  });
  DataLoader loader(dataset, {.num_threads = 2, .prefetch = 2});
  EXPECT_EQ(numbers_of(loader.next().value()), (Indices{0}));
  gate.wait_for(2);  // samples 1 and 2, although nobody has asked for them yet
  gate.open();
  EXPECT_EQ(epoch_of(loader).size(), 7u);
}

TEST(LoaderThreads, OneThatIsDestroyedWaitsForTheCallsAlone) {
  std::atomic<int> num_calls{0};
  for (const int num_batches : {0, 1, 3}) {
    DataLoader loader(Numbers(1000, [&](std::int64_t) { ++num_calls; }),
                      {.num_threads = 3, .prefetch = 500});
    for (int i = 0; i < num_batches; ++i) static_cast<void>(loader.next());
  }
  EXPECT_LE(num_calls, 1004);
}

TEST(LoaderThreads, AMovedLoaderGoesOn) {
  DataLoader loader(Numbers(4), {.num_threads = 2});
  static_cast<void>(loader.next());
  DataLoader other = std::move(loader);
  EXPECT_EQ(numbers_of(other.next().value()), (Indices{1}));
  other = DataLoader(Numbers(2));
  EXPECT_EQ(epoch_of(other), (Batches{{0}, {1}}));
}

/// Its thread makes the batch all the same, which is the next one's.
TEST(LoaderThreads, ACancelledThreadTakesNoBatch) {
  std::atomic<bool> has_begun{false}, may_end{false};
  const auto before = [&](std::int64_t) {
    has_begun = true;
    while (!may_end) std::this_thread::yield();
  };
  DataLoader loader(Numbers(6, before), {.batch_size = 3, .num_threads = 1});
  CancellableThread thread([&] { static_cast<void>(loader.next()); });
  while (!has_begun) std::this_thread::yield();
  EXPECT_TRUE(thread.cancel());
  EXPECT_EQ(loader.state().batch, 0);
  may_end = true;
  EXPECT_EQ(numbers_of(*loader.next()), (Indices{0, 1, 2}));
  EXPECT_EQ(numbers_of(*loader.next()), (Indices{3, 4, 5}));
  EXPECT_FALSE(loader.next());
}

/// The dataset itself waits.
TEST(LoaderThreads, ADatasetMayBeCancelled) {
  std::atomic<bool> waits{true};
  const auto before = [&](std::int64_t) {
    while (waits) {
      pthread_testcancel();
      std::this_thread::yield();
    }
  };
  DataLoader loader(Numbers(3, before), {.batch_size = 3});
  CancellableThread thread([&] { static_cast<void>(loader.next()); });
  EXPECT_TRUE(thread.cancel());
  waits = false;
  loader.set_state({});
  EXPECT_EQ(numbers_of(*loader.next()), (Indices{0, 1, 2}));
}

TEST(LoaderThreads, AForkedChildGetsAnErrorAndEnds) {
  if (kSanitized) GTEST_SKIP() << "sanitizers do not follow a child of a process with threads";
  DataLoader loader(Numbers(8), {.num_threads = 2, .prefetch = 4});
  static_cast<void>(loader.next());
  const std::string answer = answer_of([&loader] {
    DataLoader mine = std::move(loader);  // whose destructor waits for no thread
    static_cast<void>(mine.next());
    return std::string("no error");
  });
  EXPECT_TRUE(answer.starts_with(
      "device_lost [DataLoader] the threads of a loader are used in a forked process"))
      << answer;
  EXPECT_EQ(epoch_of(loader).size(), 7u) << "the parent goes on";
}

// ------------------------------------------------------------------------------------- copies ---

class LoaderCopies : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    test_runtime().ledger().reset();
  }
  std::uint64_t copies_with_tag() const {
    std::uint64_t copies = 0;
    for (const LedgerEntry& entry : test_runtime().ledger().entries()) {
      if (entry.tag != "data" || entry.to != device_.name()) continue;
      copies += entry.copies;
      // No thread of the program is held up.
      EXPECT_EQ(entry.route == Route::kStaged, device_.properties().pageable_copies_block);
    }
    return copies;
  }
  nn::TensorDataset dataset() const {
    return nn::TensorDataset({arange(0, 20, 1, {DType::f32, cpu()}).reshape({10, 2}),
                              arange(0, 10, 1, {DType::i64, cpu()})});
  }
};
PATCHBAY_ON_EACH_DEVICE(LoaderCopies);

TEST_P(LoaderCopies, BatchesAreBroughtThereAndCounted) {
  const bool is_there = device_ == cpu();
  for (const int num_threads : {0, 2}) {
    test_runtime().ledger().reset();
    DataLoader loader(
        dataset(),
        {.batch_size = 4, .shuffle = true, .num_threads = num_threads, .device = device_});
    Indices labels;
    for (const Batch& batch : loader) {
      ASSERT_EQ(batch.size(), 2u);
      EXPECT_EQ(batch[0].device(), device_);
      const Indices some = batch[1].to_vector<std::int64_t>();
      const std::vector<float> inputs = batch[0].to_vector<float>();
      for (std::size_t i = 0; i < some.size(); ++i) {
        EXPECT_EQ(inputs[2 * i + 1], static_cast<float>(2 * some[i] + 1));
      }
      labels.insert(labels.end(), some.begin(), some.end());
    }
    EXPECT_EQ(labels, randperm(10, cpu(), Generator(0)).to_vector<std::int64_t>());
    EXPECT_EQ(copies_with_tag(), is_there ? 0u : 6u);
  }
}

TEST_P(LoaderCopies, NothingIsCopiedUnlessADeviceIsGiven) {
  const nn::TensorDataset data = dataset();
  const CopyGuard guard;
  DataLoader loader(data, {.batch_size = 4, .shuffle = true, .num_threads = 2});
  int batches = 0;
  for (const Batch& batch : loader) batches += batch[0].device() == cpu() ? 1 : 0;
  EXPECT_EQ(batches, 3);
  EXPECT_TRUE(test_runtime().ledger().entries().empty());
}

TEST_P(LoaderCopies, AGuardHoldsForTheThreads) {
  if (device_ == cpu()) return;  // nothing to copy
  for (const int num_threads : {0, 2}) {
    test_runtime().ledger().reset();
    DataLoader loader(dataset(), {.batch_size = 4, .num_threads = num_threads, .device = device_});
    {
      const CopyGuard guard;
      EXPECT_ERROR(loader.next(), ErrorCode::kCopyForbidden, device_.name());
    }
    EXPECT_EQ(copies_with_tag(), 0u);
    loader.set_state({0, 0, 0});
    EXPECT_EQ(loader.next().value()[1].to_vector<std::int64_t>(), (Indices{0, 1, 2, 3}));
  }
}

}  // namespace
}  // namespace patchbay::test
