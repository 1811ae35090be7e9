// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_EXAMPLES_COMMON_RANDOM_VALUES_H_
#define PATCHBAY_EXAMPLES_COMMON_RANDOM_VALUES_H_

#include <cstdint>
#include <random>
#include <vector>

namespace examples {

/// Floats in [-1, 1), the same on every machine.
inline std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value = static_cast<float>(generator() >> 8) * 0x1p-23f - 1.0f;
  }
  return values;
}

}  // namespace examples

#endif  // PATCHBAY_EXAMPLES_COMMON_RANDOM_VALUES_H_
