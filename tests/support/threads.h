// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_TESTS_SUPPORT_THREADS_H_
#define PATCHBAY_TESTS_SUPPORT_THREADS_H_

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

namespace patchbay::test {

/// Calls body(0) to body(n - 1), each in a thread of its own, and waits for them.
template <class Count, class Body>
void on_threads(Count n, const Body& body) {
  std::vector<std::thread> threads;
  for (Count i = 0; i < n; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

/// The threads of this process.
inline std::size_t num_threads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_THREADS_H_
