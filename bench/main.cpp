// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

int main(int argc, char** argv) {
  using namespace bench;
  // How a runtime is made comes first, while nothing else holds the plugins and their libraries.
  return run_rows(argc, argv,
                  {add_runtime, add_elementwise, add_products, add_convolutions, add_gradients,
                   add_rows, add_network, add_linear_algebra, add_memory, add_training});
}
