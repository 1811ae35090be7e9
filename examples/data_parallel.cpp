// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs a module on several devices at once. It prints the size and device of each part that it is
// given, and of the whole, as PyTorch's tutorial on data parallelism does.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

#include "examples/common/program.h"
#include "examples/common/text.h"

using namespace examples;
using patchbay::Device;
using patchbay::Tensor;
namespace nn = patchbay::nn;

namespace {

constexpr std::int64_t kInputs = 5, kOutputs = 2;

void print_line(const char* where, const Tensor& input, const Tensor& output) {
  static std::mutex mutex;  // replicas run in threads
  const std::lock_guard<std::mutex> lock(mutex);
  fmt::print("{}: input {} on {}, output {} on {}\n", where, to_string(input.shape()),
             input.device().name(), to_string(output.shape()), output.device().name());
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

/// "cpu:0,fake:0" as devices; all there are if it is empty.
std::vector<Device> devices_of(std::string_view names) {
  if (names.empty()) return patchbay::Runtime::get_default().devices();
  std::vector<Device> devices;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    devices.emplace_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return devices;
}

void run(const std::vector<Device>& devices, std::int64_t num_rows, std::int64_t batch_size) {
  nn::DataParallel model(Net{devices[0]}, devices);
  fmt::print("{} rows in batches of {}, on {} device{}\n", num_rows, batch_size, devices.size(),
             devices.size() == 1 ? "" : "s");
  const Tensor data = patchbay::randn({num_rows, kInputs}, devices[0]);
  for (std::int64_t first = 0; first < num_rows; first += batch_size) {
    const Tensor input = data.slice(0, first, first + batch_size);
    print_line("whole", input, model(input));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program("data_parallel", "A module on several devices, each with a part of the batch.");
  std::string names, rows = "100", batch = "30";
  program.add_option("--devices", names, "Names with commas between (default: all devices)");
  program.add_option("--rows", rows, "Rows of the data");
  program.add_option("--batch", batch, "Rows of a batch");
  return program.run(argc, argv, [&] {
    run(devices_of(names), parse_count("--rows", rows, 100000, "the most rows"),
        parse_count("--batch", batch, 100000, "the largest batch"));
  });
}
