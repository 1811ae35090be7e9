// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How the time of recording grows with the number of operations, and that of waits with the number
// of streams: patchbay-growth. Ten times as many take ten times as long.
#include <cstdio>
#include <vector>

#include <patchbay/patchbay.h>

#include "tools/bench/timing.h"

namespace {

using namespace patchbay;

using patchbay::tools::seconds_of;

/// A chain of operations, each on the last one's result.
void record(int num_operations) {
  const Tensor x = ones({16});
  double replay = 0;
  const double recording = seconds_of([&] {
    Tensor y;
    const Graph graph = record_graph([&] {
      y = x;
      for (int i = 0; i < num_operations / 2; ++i) y = (y + x) * 0.5;
    });
    replay = seconds_of([&] { graph.replay(); });
  });
  std::printf("record_graph  %8d operations  %8.3f s, of which a replay %8.3f s\n", num_operations,
              recording, replay);
}

/// Each stream writes one tensor, after the streams before it.
void share(const Device& device, int num_streams) {
  std::vector<Stream> streams;
  for (int i = 0; i < num_streams; ++i) streams.emplace_back(device);
  Tensor shared = zeros({1024, 256}, device);
  const double time = seconds_of([&] {
    for (const Stream& stream : streams) {
      const StreamScope scope(stream);
      shared += 1;
    }
  });
  const double end = seconds_of([&] { device.synchronize(); });
  std::printf("%-12s  %8d streams     %8.3f s, and %8.3f s until they are done\n",
              device.name().c_str(), num_streams, time, end);
}

}  // namespace

int main() {
  for (const int count : {10'000, 100'000, 1'000'000}) record(count);
  for (const Device& device : Runtime::get_default().devices()) {
    for (const int count : {10, 100, 1000}) share(device, count);
  }
  return 0;
}
