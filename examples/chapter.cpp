// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The chapter "use a device": where tensors are, which of them may be combined, and when data
// moves.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <patchbay/patchbay.h>

#include "examples/common/program.h"

using patchbay::Device;
using patchbay::Tensor;

namespace {

void list_devices() {
  fmt::print("devices:");
  for (const Device& device : patchbay::Runtime::get_default().devices()) {
    fmt::print(" {}", device.name());
  }
  // No accelerator is no error: a program asks for the first one and gets the CPU.
  fmt::print("\naccelerators: {}, try_gpu(0) is {}\n", patchbay::num_gpus(),
             patchbay::try_gpu(0).name());
}

/// A tensor on the device that is asked for, and an operation, whose result is there too.
Tensor make_tensor(const Device& device) {
  const Tensor x = patchbay::ones({2, 3}, device);
  const Tensor y = x + x;
  fmt::print("x is on {}, x + x is on {}\n", x.device().name(), y.device().name());
  return x;
}

/// Operands on two devices: no silent copy, but an error that says what to do.
void mix_devices(const Tensor& x) {
  for (const Device& other : patchbay::Runtime::get_default().devices()) {
    if (other == x.device()) continue;
    try {
      const Tensor sum = x + patchbay::ones({2, 3}, other);
      fmt::print("never printed: {}\n", sum.device().name());
    } catch (const patchbay::Error& error) {
      fmt::print("refused ({}): {}\n", patchbay::to_string(error.code()), error.what());
    }
    return;
  }
  fmt::print("one device only: nothing to mix\n");
}

/// `to` copies to where the tensor is not, and gives the tensor itself where it is.
void copy_explicitly(const Tensor& x) {
  patchbay::Ledger& ledger = patchbay::Runtime::get_default().ledger();
  for (const Device& target : patchbay::Runtime::get_default().devices()) {
    ledger.reset();
    const Tensor there = x.to(target);
    const std::uint64_t copied = ledger.total().bytes;
    const Tensor again = there.to(target);
    fmt::print("to {}: {} bytes copied; to {} again: {} bytes, the same tensor: {}\n",
               target.name(), copied, target.name(), ledger.total().bytes - copied,
               again.is_same(there));
  }
}

/// y = x w + b, with the parameters on one device.
struct Linear {
  Linear(int inputs, int outputs, const Device& device)
      : weight(full({inputs, outputs}, 0.5, device)), bias(ones({outputs}, device)) {}
  Tensor operator()(const Tensor& x) const { return matmul(x, weight) + bias; }

  Tensor weight, bias;
};

void run_model(const Device& device) {
  const Linear model(3, 2, device);
  const Tensor x = patchbay::from_host<float>({1, 2, 3, 4, 5, 6}, {2, 3}, device);
  const Tensor y = model(x);
  fmt::print("parameters: weight {} on {}, bias {} on {}\n", to_string(model.weight.shape()),
             model.weight.device().name(), to_string(model.bias.shape()),
             model.bias.device().name());
  // Looking at values brings them to the host: a copy, so it has a name of its own.
  fmt::print("output:\n{}\n", show(y));
}

}  // namespace

int main(int argc, char** argv) {
  examples::Program program("chapter", "Devices, tensors on them, and copies between them.");
  std::string name = "cpu:0";
  program.add_option("--device", name, "Where to compute");
  return program.run(argc, argv, [&] {
    list_devices();
    const Device device(name);
    const Tensor x = make_tensor(device);
    mix_devices(x);
    copy_explicitly(x);
    run_model(device);
  });
}
