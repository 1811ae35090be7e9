// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// libtorch behind plain functions: its headers and ours want different language versions.
#ifndef PATCHBAY_BENCH_PEERS_TORCH_H_
#define PATCHBAY_BENCH_PEERS_TORCH_H_

#include <cstdint>
#include <memory>

namespace bench {

/// Two operands and an output of `count` f32 each.
class TorchAdd {
 public:
  TorchAdd(std::int64_t count, int threads);
  ~TorchAdd();
  /// c = a + b in a fresh output.
  void fresh();
  /// c = a + b into an existing output.
  void existing();
  /// `pairs` times y = (y + a) * 0.5, in fresh outputs.
  void chain(int pairs);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Square matrices of f32.
class TorchMatmul {
 public:
  TorchMatmul(std::int64_t n, int threads);
  ~TorchMatmul();
  void existing();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_TORCH_H_
