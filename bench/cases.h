// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Layers of common networks, for Patchbay and for bench/torch_peer.py, which reads this file.
#ifndef PATCHBAY_BENCH_CASES_H_
#define PATCHBAY_BENCH_CASES_H_

#include <cstdint>

namespace bench {

struct ConvolutionCase {
  const char* name;
  std::int64_t n, c, extent, o, kernel, stride, padding;
};
inline constexpr ConvolutionCase kConvolutions[] = {
    {"alexnet-11x11-s4", 16, 3, 224, 96, 11, 4, 2}, {"alexnet-5x5", 16, 96, 27, 256, 5, 1, 2},
    {"alexnet-3x3", 16, 256, 13, 384, 3, 1, 1},     {"resnet50-7x7-s2", 16, 3, 224, 64, 7, 2, 3},
    {"resnet50-3x3-56", 16, 64, 56, 64, 3, 1, 1},   {"resnet50-3x3-14", 16, 256, 14, 256, 3, 1, 1},
    {"resnet50-3x3-28", 16, 128, 28, 128, 3, 1, 1}, {"resnet50-3x3-7", 16, 512, 7, 512, 3, 1, 1},
    {"resnet50-1x1-56", 16, 64, 56, 256, 1, 1, 0},  {"resnet50-1x1-7", 16, 2048, 7, 512, 1, 1, 0},
    {"resnet50-1x1-s2", 16, 256, 56, 512, 1, 2, 0}, {"resnet56-3x3-16", 128, 16, 32, 16, 3, 1, 1},
    {"resnet56-3x3-32", 128, 32, 16, 32, 3, 1, 1},  {"resnet56-3x3-64", 128, 64, 8, 64, 3, 1, 1},
    {"alexnet-r-5x5", 128, 32, 16, 32, 5, 1, 2},
};
/// Of few images, as in inference.
inline constexpr ConvolutionCase kPackedConvolutions[] = {
    {"4x512x7-512-3x3", 4, 512, 7, 512, 3, 1, 1},
    {"16x512x7-512-3x3", 16, 512, 7, 512, 3, 1, 1},
    {"4x256x14-256-3x3", 4, 256, 14, 256, 3, 1, 1},
    {"16x256x14-256-3x3", 16, 256, 14, 256, 3, 1, 1},
    {"4x2048x7-512-1x1", 4, 2048, 7, 512, 1, 1, 0},
};

struct PoolCase {
  const char* name;
  std::int64_t n, c, extent, kernel, stride, padding;
};
inline constexpr PoolCase kPools[] = {
    {"alexnet-55", 16, 96, 55, 3, 2, 0},
    {"resnet50-112", 16, 64, 112, 3, 2, 1},
    {"alexnet-r-32", 128, 32, 32, 3, 2, 0},
    {"resnet50-7", 16, 2048, 7, 7, 1, 0},
};

}  // namespace bench

#endif  // PATCHBAY_BENCH_CASES_H_
