// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where tensors are, which of them may be combined, and when data moves.
//   tour [DEVICE]
#include <exception>
#include <iostream>

#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;

namespace {

void list_devices() {
  std::cout << "devices:";
  for (const Device& device : patchbay::Runtime::get_default().devices()) {
    std::cout << ' ' << device;
  }
  // No accelerator is no error: a program asks for the first one and gets the CPU.
  std::cout << "\naccelerators: " << patchbay::num_gpus() << ", try_gpu(0) is "
            << patchbay::try_gpu(0) << '\n';
}

/// A tensor on the device that is asked for, and an operation, whose result is there too.
Tensor make_tensor(const Device& device) {
  Tensor x = patchbay::ones({2, 3}, device);
  const Tensor y = x + x;
  std::cout << "x is on " << x.device() << ", x + x is on " << y.device() << '\n';
  return x;
}

/// Operands on two devices: no silent copy, but an error that says what to do.
void mix_devices(const Tensor& x) {
  for (const Device& other : patchbay::Runtime::get_default().devices()) {
    if (other == x.device()) continue;
    try {
      const Tensor sum = x + patchbay::ones({2, 3}, other);
      std::cout << "never printed: " << sum.device() << '\n';
    } catch (const patchbay::Error& error) {
      std::cout << "refused (" << patchbay::to_string(error.code()) << "): " << error.what()
                << '\n';
    }
    return;
  }
  std::cout << "one device only: nothing to mix\n";
}

/// to() copies once, and gives the tensor itself where it is.
void copy_explicitly(const Tensor& x) {
  patchbay::Ledger& ledger = patchbay::Runtime::get_default().ledger();
  for (const Device& target : patchbay::Runtime::get_default().devices()) {
    ledger.reset();
    const Tensor there = x.to(target);
    const auto copied = ledger.total().bytes;
    const Tensor again = there.to(target);
    std::cout << "to " << target << ": " << copied << " bytes copied; to " << target
              << " again: " << ledger.total().bytes - copied
              << " bytes, the same tensor: " << (again.is_same(there) ? "true" : "false") << '\n';
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
  std::cout << "parameters: weight " << model.weight.shape() << " on " << model.weight.device()
            << ", bias " << model.bias.shape() << " on " << model.bias.device() << '\n';
  // Looking at values brings them to the host: a copy, so it has a name of its own.
  std::cout << "output:\n" << show(y) << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  list_devices();
  const Device device(argc > 1 ? argv[1] : "cpu:0");
  const Tensor x = make_tensor(device);
  mix_devices(x);
  copy_explicitly(x);
  run_model(device);
} catch (const std::exception& error) {
  std::cerr << "tour: " << error.what() << '\n';
  return 1;
}
