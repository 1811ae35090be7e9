// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SCHEDULES_RANDOM_H_
#define PATCHBAY_TESTS_SCHEDULES_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <random>

namespace patchbay::schedules {

/// The same numbers from one seed everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Below `count`, which is not 0.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace patchbay::schedules

#endif  // PATCHBAY_TESTS_SCHEDULES_RANDOM_H_
