// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "bench.h"
#include "peers/triad.h"
#ifdef PATCHBAY_BENCH_TORCH
#include "peers/torch.h"
#endif

namespace bench {
namespace {

using patchbay::Tensor;

void register_size(const std::string& group, std::int64_t count, benchmark::TimeUnit unit) {
  add_benchmark(
      group + "-fresh/patchbay",
      [count] {
        return [a = random_tensor({count}), b = random_tensor({count})] {
          benchmark::DoNotOptimize(patchbay::add(a, b));
        };
      },
      unit);
  add_benchmark(
      group + "-existing/patchbay",
      [count] {
        return [a = random_tensor({count}), b = random_tensor({count}),
                out = random_tensor({count})] { patchbay::add_out(out, a, b); };
      },
      unit);
#ifdef PATCHBAY_BENCH_TORCH
  add_benchmark(
      group + "-fresh/libtorch",
      [count] { return [peer = std::make_shared<TorchAdd>(count, kThreads)] { peer->fresh(); }; },
      unit);
  add_benchmark(
      group + "-existing/libtorch",
      [count] {
        return [peer = std::make_shared<TorchAdd>(count, kThreads)] { peer->existing(); };
      },
      unit);
#endif
}

void register_triad(const std::string& group, std::int64_t count) {
  for (const auto& [name, stores] :
       {std::pair{"triad-plain", Stores::kPlain}, {"triad-nontemporal", Stores::kNonTemporal}}) {
    add_benchmark(
        group + "-existing/" + name,
        [count, stores = stores] {
          return [a = random_tensor({count}), b = random_tensor({count}),
                  c = random_tensor({count}), pair = std::make_shared<Triad>(), count, stores] {
            pair->run(stores, a.data<float>(), b.data<float>(), c.data<float>(),
                      static_cast<std::size_t>(count));
          };
        },
        benchmark::kMillisecond);
  }
}

}  // namespace

void register_add() {
  register_size("add/1", 1, benchmark::kNanosecond);
  register_size("add/1024", 1024, benchmark::kNanosecond);
  register_size("add/1048576", 1 << 20, benchmark::kMicrosecond);
  register_size("add/16777216", 1 << 24, benchmark::kMillisecond);
  register_triad("add/16777216", 1 << 24);
}

}  // namespace bench
