// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs three kernel texts of examples/kernels/ on any device: saxpy, sums of blocks, a tiled
// product. The results have the same bits on every device, because the texts fix the order of all
// additions, and no product is fused with a sum.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <patchbay/patchbay.h>

#include "examples/common/program.h"
#include "examples/common/random_values.h"
#include "examples/common/text.h"

using namespace examples;
using patchbay::Device;
using patchbay::KernelModule;
using patchbay::Tensor;

namespace {

constexpr std::int64_t kGroup = 256, kTile = 16;

std::int64_t divide_up(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

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

/// The folder beside this program.
std::string texts_folder() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernel-texts").string();
}

/// Equal for equal bits.
std::uint64_t fingerprint(const std::vector<float>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    hash = (hash ^ bits) * 0x100000001b3;
  }
  return hash;
}

void show(const char* name, const KernelModule& module, const Tensor& result) {
  const std::vector<float> values = result.to_vector<float>();
  fmt::print("{}\n  {} values on {}, first {}, fingerprint {:016x}\n",
             module.kernel(name).signature(), values.size(), module.device().name(), values[0],
             fingerprint(values));
}

}  // namespace

int main(int argc, char** argv) {
  std::string device_name = "cpu:0", folder;
  std::string elements_text = "100000", size_text = "200";
  Program program("kernels", "Runs kernels of the portable dialect on a device.");
  program.add_option("--device", device_name, "Where to compute");
  program.add_option("--folder", folder, "Where the texts are (default: kernel-texts, beside it)");
  program.add_option("--elements", elements_text, "Elements of saxpy and block_sum");
  program.add_option("--size", size_text, "Rows of tiled_gemm");
  return program.run(argc, argv, [&] {
    const std::int64_t elements =
        parse_count("--elements", elements_text, 1 << 26, "the most elements");
    const std::int64_t size = parse_count("--size", size_text, 4096, "the largest product");
    const Device device(device_name);
    if (folder.empty()) folder = texts_folder();
    const auto load = [&](const char* name) {
      return KernelModule::from_file(device, folder + "/" + name + ".pbk");
    };
    const KernelModule first = load("saxpy"), second = load("block_sum"),
                       third = load("tiled_gemm");
    show("saxpy", first, saxpy(first, elements));
    show("block_sum", second, block_sum(second, elements));
    show("tiled_gemm", third, tiled_gemm(third, size));
  });
}
