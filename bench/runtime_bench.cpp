// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench.h"

namespace bench {

void register_runtime() {
  add_benchmark(
      "runtime/create/patchbay",
      [] {
        // The libraries are mapped anew each time: no other runtime holds them.
        return [] {
          const patchbay::Runtime runtime{patchbay::RuntimeOptions()};
          benchmark::DoNotOptimize(runtime.devices().size());
        };
      },
      benchmark::kMillisecond);
}

}  // namespace bench
