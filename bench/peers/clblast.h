// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Products by CLBlast, on the first OpenCL device of the machine.
#ifndef PATCHBAY_BENCH_PEERS_CLBLAST_H_
#define PATCHBAY_BENCH_PEERS_CLBLAST_H_

#include <memory>

namespace bench {

class ClblastGemm {
 public:
  /// Random n x n matrices on the device. Throws std::runtime_error if a call fails.
  explicit ClblastGemm(int n);
  ~ClblastGemm();
  /// c = a b, row-major; blocks until it is done.
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_CLBLAST_H_
