// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_GENERATOR_STATE_H_
#define PATCHBAY_CORE_RUNTIME_GENERATOR_STATE_H_

#include <cstdint>
#include <mutex>

namespace patchbay::runtime {

struct GeneratorPosition {
  std::uint64_t seed, offset;
};

/// Where a sequence of draws is.
struct GeneratorState {
  std::mutex mutex;
  std::uint64_t seed = 0, offset = 0;  // under `mutex`
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_GENERATOR_STATE_H_
