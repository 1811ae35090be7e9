// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One step of training on two CPU devices of one core each, against the same step on one of them.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <patchbay/nn.h>

#include "bench.h"

namespace bench {
namespace {

using namespace patchbay;

constexpr std::int64_t kBatch = 256, kClasses = 10;

/// The devices cpu:0 and cpu:1 of a runtime of its own, with a core each.
std::vector<Device> two_cores() {
  static const Runtime& runtime = *new Runtime([] {
    RuntimeOptions options;
    options.plugins = {"cpu-openblas"};
    options.settings = {{"cpu_devices", "2"}, {"cpu_threads", "1"}};
    return options;
  }());
  return {runtime.device("cpu:0"), runtime.device("cpu:1")};
}

nn::Sequential network(const Device& device) {
  const nn::Conv2dLayerOptions there{.tensor = device};
  return nn::Sequential(nn::Conv2d(1, 32, 3, there), nn::ReLU(), nn::MaxPool2d(2),
                        nn::Conv2d(32, 64, 3, there), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                        nn::Linear(64 * 5 * 5, 128, {.tensor = device}), nn::ReLU(),
                        nn::Linear(128, kClasses, {.tensor = device}));
}

/// Forward, backward and update.
struct Training {
  explicit Training(const std::shared_ptr<nn::Module>& trained, const Device& device)
      : model(trained),
        optimizer(std::make_shared<nn::SGD>(trained->parameters(),
                                            SgdOptions{.learning_rate = 0.01, .momentum = 0.9})),
        x(randn({kBatch, 1, 28, 28}, device)),
        labels(randint(0, kClasses, {kBatch}, device)) {}

  void operator()() const {
    optimizer->zero_grad();
    cross_entropy((*model)(x), labels).backward();
    optimizer->step();
  }

  std::shared_ptr<nn::Module> model;
  std::shared_ptr<nn::SGD> optimizer;
  Tensor x, labels;
};

}  // namespace

void register_data_parallel() {
  const std::string row = "data_parallel/" + std::to_string(kBatch) + "/";
  add_benchmark(
      row + "patchbay",
      [] {
        const std::vector<Device> devices = two_cores();
        return Training(std::make_shared<nn::DataParallel>(network(devices[0]), devices),
                        devices[0]);
      },
      benchmark::kMillisecond);
  add_benchmark(
      row + "one-device",
      [] {
        const Device device = two_cores()[0];
        return Training(std::make_shared<nn::Sequential>(network(device)), device);
      },
      benchmark::kMillisecond);
}

}  // namespace bench
