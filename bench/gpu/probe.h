// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What to find out about a device: each command prints JSON objects, one a line, and gives its
// process's exit status.
#ifndef PATCHBAY_BENCH_GPU_PROBE_H_
#define PATCHBAY_BENCH_GPU_PROBE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

#include "bench/harness.h"

namespace probe {

/// What a command works on.
struct Target {
  std::string device = "cuda:0";
  std::int64_t size = 0;  // of the matrices that keep it busy; 0: as a card needs them

  std::int64_t size_or(std::int64_t otherwise) const { return size != 0 ? size : otherwise; }
};

using bench::print;

template <class Work>
double milliseconds_of(const Work& work) {
  return patchbay::tools::seconds_of(work) * 1e3;
}

/// Whole numbers from -6 to 6, so that sums of products are exact.
std::vector<float> whole_numbers(std::int64_t count);
/// These in a tensor.
patchbay::Tensor filled(const patchbay::Shape& shape, const patchbay::Device& device);

// checks.cpp
int start(const Target& target);
int products(const Target& target);
int streams(const Target& target);
int memory(const Target& target);
// rows.cpp
int rows(const Target& target);
using Row = std::function<void()>;
/// Answers for rows KIND/SIZE, which `make` prepares.
void answer_rows(const std::function<Row(const std::string& kind, std::int64_t n)>& make,
                 const std::function<void()>& wait);
int profile(const Target& target);
// bare.cpp
int bare(const Target& target);
// network_rows.cpp
/// So many places below `end`.
std::vector<std::int64_t> places(std::int64_t count, std::int64_t end);
/// What a row does once; empty if there is no such row.
Row network_row(const std::string& kind, std::int64_t n, const patchbay::Device& device);
// faults.cpp
int out_of_bounds(const Target& target);
int fork_after_start(const Target& target);
int work(const Target& target);
int exit_with_work(const Target& target);

}  // namespace probe

#endif  // PATCHBAY_BENCH_GPU_PROBE_H_
