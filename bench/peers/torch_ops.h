// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// libtorch's operators behind plain functions: its headers and ours want different language
// versions.
#ifndef PATCHBAY_BENCH_PEERS_TORCH_OPS_H_
#define PATCHBAY_BENCH_PEERS_TORCH_OPS_H_

#include <cstdint>
#include <functional>
#include <string_view>

namespace bench {

/// Runs once, on `count` elements of f32 between 0 and 1 (rows of 1024 where it takes two
/// dimensions). Elementwise results go to an existing output. Empty for an operator that there is
/// none of.
std::function<void()> torch_op(std::string_view op, std::int64_t count, int threads);
/// out [m, n] = a [m, k] b [k, n], b being the transpose of a contiguous one if asked for.
std::function<void()> torch_product(std::int64_t m, std::int64_t k, std::int64_t n, bool transposed,
                                    int threads);

}  // namespace bench

#endif  // PATCHBAY_BENCH_PEERS_TORCH_OPS_H_
