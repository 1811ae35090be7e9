// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/generator_state.h"

#include <atomic>
#include <vector>

#include "core/base/fork.h"

namespace patchbay::runtime {
namespace {

/// The default generators of the process.
struct DefaultGenerators {
  std::mutex mutex;
  std::vector<std::weak_ptr<GeneratorState>> all;
};
constinit base::OfProcess<DefaultGenerators> default_generators;
constinit std::atomic<std::uint64_t> process_seed{0};  // changed under the mutex

}  // namespace

std::mutex& generators_mutex() { return default_generators.get().mutex; }

std::shared_ptr<GeneratorState> make_default_generator() {
  DefaultGenerators& known = default_generators.get();
  const std::scoped_lock lock(known.mutex);
  std::erase_if(known.all, [](const auto& generator) { return generator.expired(); });
  auto generator = std::make_shared<GeneratorState>();
  generator->seed = process_seed.load();
  known.all.push_back(generator);
  return generator;
}

void seed_default_generators(std::uint64_t seed) {
  DefaultGenerators& known = default_generators.get();
  const std::scoped_lock lock(known.mutex);
  process_seed.store(seed);
  for (const auto& weak : known.all) {
    const std::shared_ptr<GeneratorState> generator = weak.lock();
    if (generator == nullptr) continue;
    generator->seed = seed;
    generator->offset = 0;
  }
}

}  // namespace patchbay::runtime
