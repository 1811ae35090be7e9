// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs a module on several devices at once. It prints the size and device of each part that it is
// given, and of the whole, as PyTorch's tutorial on data parallelism does.
//   data_parallel ROWS BATCH [DEVICE...]
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

using patchbay::Device;
using patchbay::Tensor;
namespace nn = patchbay::nn;

namespace {

constexpr std::int64_t kInputs = 5, kOutputs = 2;

void print_line(const char* where, const Tensor& input, const Tensor& output) {
  static std::mutex mutex;  // replicas run in threads
  const std::lock_guard<std::mutex> lock(mutex);
  std::cout << where << ": input " << input.shape() << " on " << input.device() << ", output "
            << output.shape() << " on " << output.device() << '\n';
}

class Net : public nn::Module {
 public:
  explicit Net(const Device& device) : layer(kInputs, kOutputs, {.tensor = device}) {}
  Tensor forward(const Tensor& x) override {
    Tensor y = layer(x);
    print_line("  part", x, y);
    return y;
  }
  void members(nn::Members& each) override { each("layer", layer); }

 private:
  nn::Linear layer;
};

void run(const std::vector<Device>& devices, std::int64_t num_rows, std::int64_t batch_size) {
  nn::DataParallel model(Net{devices[0]}, devices);
  std::cout << num_rows << " rows in batches of " << batch_size << ", on " << devices.size()
            << " device" << (devices.size() == 1 ? "" : "s") << '\n';
  const Tensor data = patchbay::randn({num_rows, kInputs}, devices[0]);
  for (std::int64_t first = 0; first < num_rows; first += batch_size) {
    const Tensor input = data.slice(0, first, first + batch_size);
    print_line("whole", input, model(input));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::int64_t num_rows = argc > 1 ? std::atoll(argv[1]) : 100;
  const std::int64_t batch_size = argc > 2 ? std::atoll(argv[2]) : 30;
  if (num_rows < 1 || batch_size < 1) {
    throw std::invalid_argument("ROWS and BATCH have to be numbers from 1");
  }
  std::vector<Device> devices(argv + (argc > 3 ? 3 : argc), argv + argc);
  if (devices.empty()) devices = patchbay::Runtime::get_default().devices();
  run(devices, num_rows, batch_size);
} catch (const std::exception& error) {
  std::cerr << "data_parallel: " << error.what() << '\n';
  return 1;
}
