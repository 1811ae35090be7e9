// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/base/fork.h"

namespace patchbay::runtime {

struct GeneratorPosition {
  std::uint64_t seed, offset;
};

/// Excludes the other threads of the process. A child of fork may lock one that it inherited,
/// though a thread of its parent may have held it: all inherited ones share a mutex of the child's.
class InheritableMutex {
 public:
  /// Errors: std::bad_alloc, of the first inherited one.
  InheritableMutex() { watch_forks(); }
  void lock() { here().lock(); }
  void unlock() { here().unlock(); }

 private:
  std::mutex& here();

  const HomeProcess home_;
  std::mutex own_;
};

/// The position of a random generator. One that a child of fork inherited goes on there from where
/// it was.
struct GeneratorState {
  InheritableMutex mutex;
  std::uint64_t seed = 0, offset = 0;  // under `mutex`
};

/// The generator of a new runtime, for operations without one. Starts with the process's seed.
std::shared_ptr<GeneratorState> make_default_generator();
/// Sets the process's seed, 0 at first, and restarts all runtimes' default generators with it. A
/// child of fork begins with its parent's seed, and leaves the generators of its parent's runtimes.
void seed_default_generators(std::uint64_t seed);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_
