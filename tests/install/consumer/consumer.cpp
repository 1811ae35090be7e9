// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Adds two tensors, by a module too; with an argument, loads that plugin file too. Lists the
// devices.
#include <cstdio>
#include <exception>
#include <vector>

#include <patchbay/nn/containers.h>
#include <patchbay/patchbay.h>

int main(int argc, char** argv) {
  try {
    patchbay::RuntimeOptions options;
    if (argc > 1) options.plugin_files.emplace_back(argv[1]);
    const patchbay::Runtime runtime(options);
    for (const patchbay::Device& device : runtime.devices()) std::puts(device.name().c_str());

    const patchbay::Tensor one = patchbay::ones({2, 3}, runtime.device("cpu"));
    patchbay::nn::Sequential twice([](const patchbay::Tensor& x) { return x + x; });
    const std::vector<float> two(6, 2.0F);
    return (one + one).to_vector<float>() == two && twice(one).to_vector<float>() == two ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
