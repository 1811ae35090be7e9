// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One step of training on two CPU devices of one core each, against the same step on one of them;
// and what subnormal numbers cost, as values and as zeros.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <patchbay/nn.h>

#include "bench/bench.h"

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
auto training_of(const std::shared_ptr<nn::Module>& model, const Device& device) {
  const SgdOptions options{.learning_rate = 0.01, .momentum = 0.9};
  return [model, optimizer = std::make_shared<nn::SGD>(model->parameters(), options),
          x = randn({kBatch, 1, 28, 28}, device), labels = randint(0, kClasses, {kBatch}, device)] {
    optimizer->zero_grad();
    cross_entropy((*model)(x), labels).backward();
    optimizer->step();
  };
}

void add_data_parallel() {
  const std::string row = "data_parallel/" + std::to_string(kBatch);
  add(row, [] {
    const std::vector<Device> devices = two_cores();
    return training_of(std::make_shared<nn::DataParallel>(network(devices[0]), devices),
                       devices[0]);
  });
  add(row, "one-device", [] {
    const Device device = two_cores()[0];
    return training_of(std::make_shared<nn::Sequential>(network(device)), device);
  });
}

struct Operation {
  const char* name;
  Shape shape;
  std::function<Tensor(const Tensor& x)> run;  // x has the value in all elements
};

const std::vector<Operation>& operations() {
  static const auto& all = *new std::vector<Operation>{
      {"add", {1 << 20}, [](const Tensor& x) { return x + x; }},
      {"mul", {1 << 20}, [](const Tensor& x) { return x * 0.5; }},
      {"exp", {1 << 20}, [](const Tensor& x) { return exp(x); }},
      {"softmax", {1024, 1024}, [](const Tensor& x) { return softmax(x, 1); }},
      {"sum", {1 << 20}, [](const Tensor& x) { return sum(x); }},
      {"matmul", {512, 512}, [](const Tensor& x) { return matmul(x, ones_like(x)); }},
      {"conv2d",
       {32, 32, 3, 3},
       [](const Tensor& weight) {
         return conv2d(ones({8, 32, 32, 32}, weight.device()), weight);
       }},
  };
  return all;
}

Device flushing_device(bool flushes) {
  RuntimeOptions options;
  options.flush_subnormals = flushes;
  return Runtime(options).device(device_of_rows());
}

/// The peer works on subnormal values, Patchbay on normal ones, so the ratio is what they cost.
void add_subnormals(const Operation& operation, bool flushes) {
  const std::string row = std::string("subnormals/") + operation.name + (flushes ? "-flushed" : "");
  for (const auto& [subject, value] : {std::pair{"patchbay", 0.7}, {"subnormal", 1e-39}}) {
    add(row, subject, [operation, flushes, value = value] {
      const Device device = flushing_device(flushes);
      return [run = operation.run, x = full(operation.shape, value, device), device] {
        (void)run(x);
        device.synchronize();
      };
    });
  }
}

}  // namespace

void add_training() {
  add_data_parallel();
  for (const bool flushes : {false, true}) {
    for (const Operation& operation : operations()) add_subnormals(operation, flushes);
  }
}

}  // namespace bench
