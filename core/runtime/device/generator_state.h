// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>

namespace patchbay::runtime {

struct GeneratorPosition {
  std::uint64_t seed, offset;
};

/// The position of a random generator. One that a child of fork inherited goes on there from where
/// it was.
struct GeneratorState {
  std::uint64_t seed = 0, offset = 0;  // under generators_mutex()
};

/// One mutex for all generators of the process. A child of fork has another one, because a thread
/// of the parent may hold this one. Errors: std::bad_alloc.
std::mutex& generators_mutex();

/// The generator of a new runtime, for operations without one. Starts with the process's seed.
std::shared_ptr<GeneratorState> make_default_generator();
/// Sets the process's seed, 0 at first, and restarts all runtimes' default generators with it. A
/// child of fork begins with its parent's seed, and leaves the generators of its parent's runtimes.
void seed_default_generators(std::uint64_t seed);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_
