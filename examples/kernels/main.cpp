// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs the three kernel texts of this folder on any device: saxpy, sums of blocks, a tiled product.
// The results have the same bits on every device, because the texts fix the order of all additions,
// and no product is fused with a sum.
//   kernels FOLDER [DEVICE [ELEMENTS [SIZE]]]     FOLDER: where the texts are
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::KernelModule;
using patchbay::Tensor;

namespace {

constexpr std::int64_t kGroup = 256, kTile = 16;

std::int64_t divide_up(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

/// Floats in [-1, 1), the same on every machine.
std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(generator() >> 8) * 0x1p-23f - 1.0f;
  return values;
}

Tensor saxpy(const KernelModule& module, std::int64_t n) {
  const Tensor x = from_host(random_values(n, 1), {n}, module.device());
  const Tensor y = from_host(random_values(n, 2), {n}, module.device());
  module.kernel("saxpy").launch({.groups = {divide_up(n, kGroup)}, .group_size = {kGroup}},
                                {x, y, 2.5, n});
  return y;
}

Tensor block_sum(const KernelModule& module, std::int64_t n) {
  const Tensor values = from_host(random_values(n, 3), {n}, module.device());
  const Tensor sums = values.new_empty({divide_up(n, kGroup)});
  module.kernel("block_sum")
      .launch({.groups = {sums.size(0)}, .group_size = {kGroup}}, {values, sums, n});
  return sums;
}

Tensor tiled_gemm(const KernelModule& module, std::int64_t n) {
  const std::int64_t rows = n, columns = n + 3, inner = n / 2 + 1;
  const Tensor a = from_host(random_values(rows * inner, 4), {rows, inner}, module.device());
  const Tensor b = from_host(random_values(inner * columns, 5), {inner, columns}, module.device());
  const Tensor c = a.new_empty({rows, columns});
  module.kernel("tiled_gemm")
      .launch({.groups = {divide_up(columns, kTile), divide_up(rows, kTile)},
               .group_size = {kTile, kTile}},
              {a, b, c, rows, columns, inner});
  return c;
}

/// Equal for equal bits.
std::uint64_t fingerprint(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const float value : values) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
  }
  return hash;
}

void show(const char* name, const KernelModule& module, const Tensor& result) {
  const std::vector<float> values = result.to_vector<float>();
  std::printf("%s\n  %zu values on %s, first %g, fingerprint %016llx\n",
              module.kernel(name).signature().c_str(), values.size(),
              module.device().name().c_str(), static_cast<double>(values[0]),
              static_cast<unsigned long long>(fingerprint(values)));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw std::invalid_argument("usage: kernels FOLDER [DEVICE [ELEMENTS [SIZE]]]");
  const std::string folder = argv[1];
  const Device device(argc > 2 ? argv[2] : "cpu:0");
  const std::int64_t elements = argc > 3 ? std::atoll(argv[3]) : 100000;
  const std::int64_t size = argc > 4 ? std::atoll(argv[4]) : 200;
  if (elements < 1 || size < 1) {
    throw std::invalid_argument("ELEMENTS and SIZE have to be numbers from 1");
  }
  const auto load = [&](const char* name) {
    return KernelModule::from_file(device, folder + "/" + name + ".pbk");
  };
  const KernelModule first = load("saxpy"), second = load("block_sum"), third = load("tiled_gemm");
  show("saxpy", first, saxpy(first, elements));
  show("block_sum", second, block_sum(second, elements));
  show("tiled_gemm", third, tiled_gemm(third, size));
} catch (const std::exception& error) {
  std::fprintf(stderr, "kernels: %s\n", error.what());
  return 1;
}
