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

/// Five operations one after the other, as a program without fusion writes them: each into an
/// existing output, the intermediate results into one temporary.
class TorchChain {
 public:
  TorchChain(std::int64_t count, int threads);
  ~TorchChain();
  /// out = max(a b + 1, 0) 2 - a
  void cheap();
  /// out = log(exp(a b) + 1) / 2
  void functions();
  /// The gradients of a and b for `cheap`, from that of out: 2 grad b - grad and 2 grad a where
  /// a b + 1 > 0.
  void cheap_backward();

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
