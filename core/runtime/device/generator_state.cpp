// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/generator_state.h"

#include <vector>

namespace patchbay::runtime {

namespace {

/// The default generators of the process. Never destroyed: runtimes may outlive main.
struct DefaultGenerators {
  std::mutex mutex;
  std::uint64_t seed = 0;
  std::vector<std::weak_ptr<GeneratorState>> all;
};
DefaultGenerators& default_generators() {
  static DefaultGenerators& generators = *new DefaultGenerators;
  return generators;
}

}  // namespace

std::shared_ptr<GeneratorState> make_default_generator() {
  DefaultGenerators& known = default_generators();
  const std::lock_guard<std::mutex> lock(known.mutex);
  std::erase_if(known.all, [](const auto& generator) { return generator.expired(); });
  auto generator = std::make_shared<GeneratorState>();
  generator->seed = known.seed;
  known.all.push_back(generator);
  return generator;
}

void seed_default_generators(std::uint64_t seed) {
  DefaultGenerators& known = default_generators();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.seed = seed;
  for (const auto& weak : known.all) {
    const std::shared_ptr<GeneratorState> generator = weak.lock();
    if (generator == nullptr) continue;
    const std::lock_guard<std::mutex> own(generator->mutex);
    generator->seed = seed;
    generator->offset = 0;
  }
}

}  // namespace patchbay::runtime
