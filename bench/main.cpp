// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "bench.h"

// Benchmarks that need the default runtime are registered after the one that measures its creation
// and must not run in the same process: --runtime selects the latter alone.
int main(int argc, char** argv) {
  const bool only_runtime = argc > 1 && std::strcmp(argv[1], "--runtime") == 0;
  if (only_runtime) {
    argv[1] = argv[0];
    ++argv;
    --argc;
    bench::register_runtime();
  } else {
    bench::register_add();
    bench::register_convolution();
    bench::register_copy();
    bench::register_data_parallel();
    bench::register_fuse();
    bench::register_gemm();
    bench::register_gradient();
    bench::register_graph();
    bench::register_memory();
    bench::register_network();
    bench::register_opencl();
    bench::register_ops();
    bench::register_packed();
    bench::register_rows();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
