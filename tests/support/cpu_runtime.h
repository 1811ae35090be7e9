// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runtimes with only the CPU plugin, with the settings under test.
#ifndef PATCHBAY_TESTS_SUPPORT_CPU_RUNTIME_H_
#define PATCHBAY_TESTS_SUPPORT_CPU_RUNTIME_H_

#include <random>

#include "support/runtime_fixture.h"

namespace patchbay::test {

inline Runtime cpu_runtime(std::map<std::string, std::string> settings = {}) {
  RuntimeOptions chosen;
  chosen.plugins = {"cpu-openblas"};
  chosen.settings = std::move(settings);
  chosen.read_environment = false;
  const Runtime runtime(chosen);
  (void)runtime.devices();  // opens the plugin
  return runtime;
}

/// Values between 1/1000 and 1 of all magnitudes, whose sums are rounded.
inline std::vector<float> rough_values(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> draw(0.001F, 1.0F);
  std::vector<float> values(count);
  for (float& value : values) value = draw(engine);
  return values;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_CPU_RUNTIME_H_
