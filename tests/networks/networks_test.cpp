// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The seven networks of the benchmark: numbers of parameters, gradients, and the losses of
// training. torch_losses.safetensors is PyTorch's: bench/networks/torch_losses.py.
#include "bench/networks/networks.h"

#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

using networks::Batch;
using networks::Network;
using networks::Row;
using networks::Scale;
using NetworkPtr = std::unique_ptr<Network>;

const nn::Safetensors& start() {
  static const nn::Safetensors& file =
      *new nn::Safetensors(test::source_path("tests/networks/torch_losses.safetensors"));
  return file;
}

std::string key(const Row& row, std::string_view name) {
  return std::string(row.name) + "/" + std::string(name);
}

/// A small network with PyTorch's first values.
NetworkPtr make_small(const Row& row, const Device& device, DType dtype = DType::f32) {
  NetworkPtr network = row.make(Scale::kSmall, device);
  const NoGrad no_grad;
  for (const nn::NamedParameter& each : network->module().named_parameters()) {
    start().read_into(key(row, each.name), each.parameter);
  }
  if (dtype != DType::f32) network->module().cast(dtype);
  return network;
}

Batch read_batch(const Row& row, const Device& device, DType dtype = DType::f32) {
  Tensor input = start().read(key(row, "input"), device);
  if (input.dtype() == DType::u8) input = input.cast(dtype) / 256;
  return {input, start().read(key(row, "target"), device)};
}

std::vector<Tensor> gradients_of(Network& network, const Batch& batch) {
  network.loss(batch).backward();
  std::vector<Tensor> gradients;
  for (const nn::Parameter& each : network.module().parameters()) {
    gradients.push_back(each->grad());
  }
  return gradients;
}

/// Gradients of one batch in f64 on cpu:0.
const std::vector<Tensor>& reference_gradients(const Row& row) {
  static auto& known = *new std::map<std::string_view, std::vector<Tensor>>;
  std::vector<Tensor>& gradients = known[row.name];
  if (gradients.empty()) {
    const Device cpu = test_device("cpu:0");
    gradients = gradients_of(*make_small(row, cpu, DType::f64), read_batch(row, cpu, DType::f64));
  }
  return gradients;
}

double length_of(const Tensor& a) { return std::sqrt(sum(square(a)).item<double>()); }

class NetworksTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(NetworksTest);

TEST_P(NetworksTest, GradientsAreThoseInF64) {
  const Device cpu = test_device("cpu:0");
  for (const Row& row : networks::rows()) {
    SCOPED_TRACE(row.name);
    const std::vector<Tensor>& expected = reference_gradients(row);
    const NetworkPtr network = make_small(row, device_);
    const std::vector<Tensor> got = gradients_of(*network, read_batch(row, device_));
    ASSERT_EQ(got.size(), expected.size());
    double whole = 0;
    for (const Tensor& each : expected) whole = std::hypot(whole, length_of(each));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Tensor difference = got[i].to(cpu).cast(DType::f64) - expected[i];
      EXPECT_LE(length_of(difference), 1e-4 * length_of(expected[i]) + 1e-6 * whole)
          << network->module().named_parameters()[i].name;
    }
  }
}

/// The loss of a network whose parameters are moved along the directions.
double loss_beside(const Row& row, const Batch& batch, const std::vector<Tensor>& directions,
                   double distance) {
  const NetworkPtr network = make_small(row, batch.target.device(), DType::f64);
  const NoGrad no_grad;
  const std::vector<nn::Parameter> parameters = network->module().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->copy_from(*parameters[i] + directions[i] * distance);
  }
  return network->loss(batch).item<double>();
}

TEST(NetworksReferenceTest, GradientsAreCentralDifferences) {
  constexpr double kDistance = 1e-8;  // few elements change their sign on the way
  const Device cpu = test_device("cpu:0");
  for (const Row& row : networks::rows()) {
    SCOPED_TRACE(row.name);
    const std::vector<Tensor>& gradients = reference_gradients(row);
    const Batch batch = read_batch(row, cpu, DType::f64);
    const Generator generator(5);
    for (int trial = 0; trial < 3; ++trial) {
      std::vector<Tensor> directions;
      double expected = 0;
      for (const Tensor& each : gradients) {
        directions.push_back(randn(each.shape(), {DType::f64, cpu}, generator));
        expected += sum(each * directions.back()).item<double>();
      }
      const double difference = loss_beside(row, batch, directions, kDistance) -
                                loss_beside(row, batch, directions, -kDistance);
      EXPECT_NEAR(difference / (2 * kDistance), expected, 1e-5 * std::abs(expected) + 1e-6);
    }
  }
}

TEST(NetworksReferenceTest, TheFirstLossesArePyTorchs) {
  const Device cpu = test_device("cpu:0");
  for (const Row& row : networks::rows()) {
    SCOPED_TRACE(row.name);
    const NetworkPtr network = make_small(row, cpu);
    const Batch batch = read_batch(row, cpu);
    std::istringstream losses(start().metadata().at(std::string(row.name)));
    int step = 0;
    for (double expected = 0; losses >> expected; ++step) {
      const auto got = static_cast<double>(network->train(batch).item<float>());
      EXPECT_NEAR(got, expected, 0.01 * expected) << "step " << step;
    }
    EXPECT_EQ(step, 20);
  }
}

TEST(NetworksTableTest, NumbersOfParametersAreThoseOfTheTable) {
  for (const Row& row : networks::rows()) {
    const NetworkPtr network = row.make(Scale::kFull, {DType::bf16, test_device("cpu:0")});
    EXPECT_EQ(network->module().num_parameters(), row.num_parameters) << row.name;
  }
}

TEST(NetworksTableTest, BatchesHaveTheFormatOfTheNetwork) {
  for (const Row& row : networks::rows()) {
    const NetworkPtr network = row.make(Scale::kSmall, test_device("cpu:0"));
    const Batch batch = network->random_batch(1), same = network->random_batch(1);
    EXPECT_EQ(batch.input.shape(), network->format().input) << row.name;
    EXPECT_EQ(batch.target.shape(), network->format().target) << row.name;
    EXPECT_TRUE(all(eq(batch.input, same.input)).item<bool>()) << row.name;
    EXPECT_TRUE(std::isfinite(network->train(batch).item<float>())) << row.name;
  }
}

}  // namespace
}  // namespace patchbay::test
