// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products on opencl:0, tensor to tensor, waited for.
#include <algorithm>
#include <memory>

#include "bench.h"
#ifdef PATCHBAY_BENCH_CLBLAST
#include "peers/clblast.h"
#endif

namespace bench {
namespace {

void register_size(int n) {
  const std::string group = "opencl-gemm/" + std::to_string(n) + "/";
  add_benchmark(
      group + "patchbay",
      [n] {
        const patchbay::Device device("opencl:0");
        const auto there = [&] { return random_tensor({n, n}).to(device); };
        return [device, a = there(), b = there(), out = there()] {
          patchbay::matmul_out(out, a, b);
          device.synchronize();
        };
      },
      benchmark::kMicrosecond);
#ifdef PATCHBAY_BENCH_CLBLAST
  add_benchmark(
      group + "clblast", [n] { return [peer = std::make_shared<ClblastGemm>(n)] { peer->run(); }; },
      benchmark::kMicrosecond);
#endif
}

}  // namespace

void register_opencl() {
  const auto devices = patchbay::Runtime::get_default().devices();
  const bool is_there = std::any_of(devices.begin(), devices.end(),
                                    [](const auto& device) { return device.name() == "opencl:0"; });
  if (!is_there) return;
  for (const int n : {256, 512, 1024, 2048}) register_size(n);
}

}  // namespace bench
