// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One thread of a schedule: draws what to do next, does it, and does it in the model.
#ifndef PATCHBAY_TESTS_SCHEDULES_ACTOR_H_
#define PATCHBAY_TESTS_SCHEDULES_ACTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/model.h"
#include "schedules/random.h"

namespace patchbay::schedules {

/// What all actors of a schedule use. Nobody writes the constants once they are made.
struct Stage {
  std::vector<Device> devices;
  std::vector<Kernel> add;        // add.1 of i32, for each device
  std::vector<Tensor> constants;  // on each device, kLargest elements
  Values constant_values;
};

inline constexpr std::size_t kSizes[] = {1, 65, 5000};
inline constexpr std::size_t kLargest = 5000;

class Actor {
 public:
  Actor(const Stage& stage, std::uint64_t seed);

  /// Does one thing. Throws if a value is not that of the model.
  void step();
  /// Compares everything, and drops it.
  void finish();
  /// Gives some of the items away, with all that is pending on them.
  std::vector<Item> give_away();
  void adopt(std::vector<Item> items);

  const Traffic& traffic() const { return traffic_; }
  /// What was done, a line each.
  const std::string& history() const { return history_; }

 private:
  struct Action;

  void make();
  void lend();
  void drop();
  void calculate();
  void calculate_in_place();
  void calculate_with_constant();
  void fill();
  void move();
  void copy_into();
  void copy_range();
  void change_slice();
  void pack();
  void sum_up();
  void check();
  void look();
  void wait();
  void wait_briefly(const Device& device);
  void trim();
  void launch();
  void relay();
  void reuse();

  Item& any() { return items_[random_.below(items_.size())]; }
  /// Another one of the same size, on the same device or (`anywhere`) on any; null if there is
  /// none.
  Item* partner(const Item& item, bool anywhere);
  std::size_t index_of(const Item& item) const;
  const Stream& any_stream(std::size_t device);
  void order(const Stream& stream, Item& item);
  void count(const std::string& from, const std::string& to, std::size_t size_bytes);
  void note(const std::string& what);
  void note_foreign(Item& to, Item& from, bool non_blocking);

  const Stage& stage_;
  Random random_;
  std::vector<std::vector<Stream>> streams_;  // of its own, for each device
  std::vector<Item> items_;
  Traffic traffic_;
  std::string history_;
};

}  // namespace patchbay::schedules

#endif  // PATCHBAY_TESTS_SCHEDULES_ACTOR_H_
