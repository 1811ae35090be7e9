// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The timing loop of all benchmarks: subjects take turns, in batches of calls.
#ifndef PATCHBAY_TOOLS_BENCH_TIMING_H_
#define PATCHBAY_TOOLS_BENCH_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace patchbay::tools {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Makes that many calls. The loop is inside, so a call costs nothing beside its work.
using Repeat = std::function<void(std::int64_t calls)>;

template <class Call>
Repeat repeat(Call call) {
  return [call = std::move(call)](std::int64_t calls) mutable {
    for (std::int64_t i = 0; i < calls; ++i) call();
  };
}

/// What is timed. `wait`, if there is one, is called at the end of each batch, within its time.
struct Subject {
  Repeat run;
  std::function<void()> wait = {};

  double seconds_of_batch(std::int64_t calls) const {
    return seconds_of([&] {
      run(calls);
      if (wait) wait();
    });
  }
};

/// How long is measured. Each round times one batch of each subject.
struct Rounds {
  double batch_seconds = 0;  // a batch takes at least this; 0: it is one call
  std::size_t least = 1, most = 1;
  double seconds = 0;  // between `least` and `most` rounds, none begins later
  double most_seconds = std::numeric_limits<double>::infinity();  // none begins later at all
};

/// Seconds of one call for each subject, one value a round. The first call of a subject is not
/// counted: it may compile, and touches memory for the first time.
inline std::vector<std::vector<double>> measure(const std::vector<Subject>& subjects,
                                                const Rounds& rounds) {
  constexpr std::int64_t kMostCalls = 1 << 22;
  const auto start = Clock::now();
  std::vector<std::vector<double>> times(subjects.size());
  std::vector<std::int64_t> calls(subjects.size(), 1);
  for (const Subject& subject : subjects) subject.seconds_of_batch(1);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    double seconds = subjects[i].seconds_of_batch(1);
    while (seconds < rounds.batch_seconds && calls[i] < kMostCalls) {
      calls[i] *= 2;
      seconds = subjects[i].seconds_of_batch(calls[i]);
    }
    times[i].push_back(seconds / static_cast<double>(calls[i]));
  }
  for (std::size_t round = 1; round < rounds.most; ++round) {
    const double elapsed = seconds_since(start);
    if ((round >= rounds.least && elapsed >= rounds.seconds) || elapsed > rounds.most_seconds) {
      break;
    }
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      times[i].push_back(subjects[i].seconds_of_batch(calls[i]) / static_cast<double>(calls[i]));
    }
  }
  return times;
}

}  // namespace patchbay::tools

#endif  // PATCHBAY_TOOLS_BENCH_TIMING_H_
