// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The memory bandwidth that is there to be had: STREAM's triad, a = b + s c, in its two forms.
#ifndef PATCHBAY_BENCH_PEERS_TRIAD_H_
#define PATCHBAY_BENCH_PEERS_TRIAD_H_

#include <cstddef>
#include <memory>

namespace bench {

enum class Stores { kPlain, kNonTemporal };

/// On two threads, of which one spins while the object lives: make it where it is measured.
class Triad {
 public:
  Triad();
  ~Triad();
  /// Over all of the arrays, which are aligned to 64 bytes.
  void run(Stores stores, float* a, const float* b, const float* c, std::size_t count);

 private:
  class Pair;
  std::unique_ptr<Pair> pair_;
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_TRIAD_H_
