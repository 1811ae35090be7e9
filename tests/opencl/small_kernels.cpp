// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Every kernel of the plugin once, small, on opencl:0, compared with cpu:0: for a run under
// oclgrind, which looks for races, uninitialised values and accesses out of bounds. All tensors
// live until the end: oclgrind 21.10 takes what a new buffer has beyond the size of one that it
// replaces for uninitialised.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

namespace {

using namespace patchbay;

int num_failures = 0;
std::vector<Tensor> kept;

Tensor keep(Tensor tensor) {
  kept.push_back(tensor);
  return tensor;
}

using Compute = std::function<Tensor(const Device&)>;

void compare(const char* what, const Compute& compute) {
  const Tensor here = keep(compute(Device("cpu:0"))), there = keep(compute(Device("opencl:0")));
  const auto values = [](const Tensor& t) {
    return t.dtype() == DType::f32 ? t.to_vector<float>()
                                   : keep(t.cast(DType::f32)).to_vector<float>();
  };
  if (values(here) == values(there)) return;
  ++num_failures;
  std::printf("%s differs: %s\n", what, show(there).c_str());
}

/// Whole numbers, so that the order of additions changes nothing.
Tensor numbers(const Shape& shape, const Device& device) {
  std::vector<float> values(static_cast<std::size_t>(num_elements(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 23) - 11;
  return keep(from_host(values, shape, device));
}

void elementwise() {
  compare("add", [](const Device& d) { return numbers({5, 7}, d) + numbers({5, 7}, d); });
  compare("add of rows", [](const Device& d) { return numbers({5, 7}, d) + numbers({7}, d); });
  compare("add of a transposed one", [](const Device& d) {
    return numbers({20, 70}, d).t() + numbers({70, 20}, d);
  });
  compare("divide", [](const Device& d) { return numbers({40}, d) / 4; });
  compare("compare", [](const Device& d) { return lt(numbers({40}, d), numbers({40}, d) * 2); });
  compare("root", [](const Device& d) {
    const Tensor x = numbers({37}, d);
    return sqrt(keep(x * x));
  });
  compare("cast", [](const Device& d) { return keep(numbers({40}, d).cast(DType::u8)); });
  compare("arange", [](const Device& d) { return arange(0, 30, 2, {DType::i32, d}); });
  compare("steps", [](const Device& d) {
    return numbers({6, 6, 6}, d).slice(1, 0, 6, 2).permute({2, 0, 1}).contiguous();
  });
}

void reductions() {
  compare("sum", [](const Device& d) { return sum(numbers({3000}, d)); });
  compare("sum of rows", [](const Device& d) { return sum(numbers({9, 33}, d), {1}); });
  compare("sum of columns", [](const Device& d) { return sum(numbers({9, 33}, d), {0}); });
  compare("largest", [](const Device& d) { return max(numbers({9, 33}, d), {0}); });
  compare("its place", [](const Device& d) { return argmax(numbers({9, 300}, d), 1); });
}

void products() {
  compare("product", [](const Device& d) {
    return matmul(numbers({13, 9}, d), numbers({9, 35}, d));
  });
  compare("product of transposed ones", [](const Device& d) {
    return matmul(numbers({9, 13}, d).t(), numbers({35, 9}, d).t());
  });
  compare("large product", [](const Device& d) {
    return matmul(numbers({9, 120}, d).t(), numbers({9, 110}, d));
  });
  compare("product of integers", [](const Device& d) {
    return matmul(keep(numbers({5, 6}, d).cast(DType::i32)),
                  keep(numbers({6, 7}, d).cast(DType::i32)));
  });
}

/// The texts of the example `kernels`.
void users_kernels(const std::string& folder) {
  const auto load = [&](const Device& d, const std::string& name) {
    return KernelModule::from_file(d, folder + "/" + name + ".pbk").kernel(name);
  };
  compare("saxpy", [&](const Device& d) {
    const Tensor x = numbers({100}, d), y = numbers({100}, d);
    load(d, "saxpy").launch({.groups = {2}, .group_size = {64}}, {x, y, 2, 100});
    return y;
  });
  compare("block_sum", [&](const Device& d) {
    const Tensor x = numbers({300}, d), sums = keep(empty({2}, d));
    load(d, "block_sum").launch({.groups = {2}, .group_size = {256}}, {x, sums, 300});
    return sums;
  });
  compare("tiled_gemm", [&](const Device& d) {
    const Tensor a = numbers({17, 18}, d), b = numbers({18, 19}, d), c = keep(empty({17, 19}, d));
    load(d, "tiled_gemm").launch({.groups = {2, 2}, .group_size = {16, 16}}, {a, b, c, 17, 19, 18});
    return c;
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    elementwise();
    reductions();
    products();
    if (argc > 1) users_kernels(argv[1]);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return num_failures == 0 ? 0 : 1;
}
