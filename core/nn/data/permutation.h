// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Random orders on the host. Those of randperm, which needs a device, and whose result would have
// to be copied from there.
#ifndef PATCHBAY_CORE_NN_DATA_PERMUTATION_H_
#define PATCHBAY_CORE_NN_DATA_PERMUTATION_H_

#include <array>
#include <cstdint>
#include <vector>

namespace patchbay::nn::data {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3, 2011).
PhiloxBlock philox(std::uint64_t key, PhiloxBlock counter);

/// 0 to n - 1, sorted by (draw of 64 bits, index).
std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed, std::uint64_t offset);

}  // namespace patchbay::nn::data

#endif  // PATCHBAY_CORE_NN_DATA_PERMUTATION_H_
