// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A profiler's library that NVTX reaches.
#include "sim/ranges.h"

#include "cuda-cublas/api/ranges_api.hpp"

using namespace patchbay;

extern "C" PATCHBAY_SIM_EXPORT int InitializeInjectionNvtx2(cuda::ExportTables tables) {
  const auto* version = static_cast<const cuda::VersionTable*>(tables(cuda::kVersionTable));
  const auto* callbacks = static_cast<const cuda::CallbackTables*>(tables(cuda::kCallbackTables));
  constexpr std::uint32_t kUnknownTable = 2;
  if (version == nullptr || version->size < sizeof(*version) || version->version < 3 ||
      callbacks == nullptr || tables(kUnknownTable) != nullptr) {
    return 0;
  }
  version->note_version_of_profiler(3);
  cuda::AnyFunction** places = nullptr;
  unsigned count = 0;
  constexpr int kOtherModule = 5;
  if (callbacks->places(kOtherModule, &places, &count) != 0 ||
      callbacks->places(cuda::kCoreModule, &places, &count) != 1 || count <= cuda::kPopPlace ||
      places[0] != nullptr || places[count] != nullptr) {
    return 0;
  }
  *places[cuda::kPushPlace] = reinterpret_cast<cuda::AnyFunction>(&sim::push_range);
  *places[cuda::kPopPlace] = reinterpret_cast<cuda::AnyFunction>(&sim::pop_range);
  return 1;
}
