// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A small model on a toy device, whose plugin file is the argument: values and gradients that were
// worked out by hand, and a copy to the other toy.
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/patchbay.h>

namespace {

using patchbay::Tensor;

void expect(const std::string& what, const Tensor& got, const std::vector<float>& expected) {
  const std::vector<float> values = got.to_vector<float>();
  bool is_equal = values.size() == expected.size();
  for (std::size_t i = 0; is_equal && i < values.size(); ++i) {
    is_equal = std::abs(values[i] - expected[i]) <= 1e-6F;
  }
  if (!is_equal) throw std::runtime_error(what + " is wrong");
  std::printf("%s is right\n", what.c_str());
}

void run(const char* plugin_file) {
  patchbay::RuntimeOptions options;
  options.plugin_files.emplace_back(plugin_file);
  const patchbay::Runtime runtime(options);
  const patchbay::Device toy = runtime.device("toy:0"), other = runtime.device("toy:1");

  const Tensor x = patchbay::from_host(std::vector<float>{1, 2, 3, 4}, {2, 2}, toy);
  const Tensor w = patchbay::from_host(std::vector<float>{1, -1, 2, 0}, {2, 2}, toy);
  w.requires_grad_();
  const Tensor y = patchbay::matmul(x, w);
  expect("a product", y, {5, -1, 11, -3});
  patchbay::sum(patchbay::relu(y)).backward();
  expect("a gradient", w.grad(), {4, 0, 6, 0});
  expect("a copy", x.to(other) * 2.0F, {2, 4, 6, 8});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    run(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
