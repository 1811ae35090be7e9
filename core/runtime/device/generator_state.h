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

/// The position of a random generator.
struct GeneratorState {
  std::mutex mutex;
  std::uint64_t seed = 0, offset = 0;  // under `mutex`
};

/// The generator of a new runtime, for operations without one. Starts with the process's seed.
std::shared_ptr<GeneratorState> make_default_generator();
/// Sets the process's seed, 0 at first, and restarts all runtimes' default generators with it.
void seed_default_generators(std::uint64_t seed);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_GENERATOR_STATE_H_
