// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Trains one of the seven networks and prints what it took as JSON. bench/training makes the table.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/networks/networks.h"
#include "tools/bench/timing.h"

namespace {

using networks::Batch;
using networks::Network;
using networks::Row;
using patchbay::Device;
using patchbay::Tensor;
using patchbay::tools::median;
using patchbay::tools::seconds_of;

struct Options {
  std::string net, device = "cpu:0";
  int threads = 2, warm_up = 2, steps = 5;
  bool has_profile = false;
};

/// Memory of this process as Linux counts it: VmRSS now, VmHWM at most. 0 if it does not say.
std::uint64_t process_bytes(const char* wanted) {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    std::uint64_t kibibytes = 0;
    if (key == wanted && status >> kibibytes) return kibibytes * 1024;
    std::getline(status, key);
  }
  return 0;
}

/// GFLOP/s of f32 products of 2048 x 2048 matrices, the best of several.
double product_rate(const Device& device) {
  constexpr std::int64_t kExtent = 2048;
  const Tensor a = patchbay::rand({kExtent, kExtent}, device);
  const Tensor b = patchbay::rand({kExtent, kExtent}, device);
  const Tensor out = patchbay::empty({kExtent, kExtent}, device);
  const std::vector<double> times = patchbay::tools::measure(
      {{patchbay::tools::repeat([&] { matmul_out(out, a, b); }), [&] { device.synchronize(); }}},
      {.least = 8, .most = 8})[0];
  const double best = *std::min_element(times.begin(), times.end());
  return 2.0 * kExtent * kExtent * kExtent / best / 1e9;
}

const Row& row_of(const std::string& name) {
  for (const Row& row : networks::rows()) {
    if (row.name == name) return row;
  }
  throw CLI::ValidationError("--net", "no such network: " + name);
}

nlohmann::json measure(const Options& options) {
  const Row& row = row_of(options.net);
  const Device device(options.device);
  device.synchronize();
  const std::uint64_t loaded_bytes = process_bytes("VmRSS:");
  const std::unique_ptr<Network> network = row.make(networks::Scale::kFull, device);
  const Batch batch = network->random_batch(1);
  for (int i = 0; i < options.warm_up; ++i) (void)network->train(batch).item<float>();
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is counted from now on: proc(5)
  const std::uint64_t allocations_before = device.memory().num_driver_allocations;
  std::vector<double> seconds;
  float loss = 0;
  std::optional<patchbay::Profile> profile;
  if (options.has_profile) profile.emplace();
  for (int i = 0; i < options.steps; ++i) {
    seconds.push_back(seconds_of([&] { loss = network->train(batch).item<float>(); }));
  }
  if (profile) {
    profile->stop();
    std::cerr << profile->table();
  }
  const patchbay::DeviceMemory memory = device.memory();
  const std::uint64_t peak_bytes = process_bytes("VmHWM:") - loaded_bytes;
  return {{"net", row.name},
          {"device", device.name()},
          {"processor", device.properties().name},
          {"num_parameters", network->module().num_parameters()},
          {"gflop", row.gflop},
          {"loss", loss},
          {"seconds", median(seconds)},
          {"peak_bytes", peak_bytes},
          {"live_peak_bytes", memory.peak_bytes},
          {"reserved_peak_bytes", memory.peak_reserved_bytes},
          {"driver_allocations", memory.num_driver_allocations - allocations_before},
          {"product_gflops", product_rate(device)}};
}

void set_threads(int threads) {
  patchbay::RuntimeOptions options;
  options.settings["cpu_threads"] = std::to_string(threads);
  patchbay::Runtime::set_default_options(options);
}

int run(int argc, char** argv) {
  CLI::App app("Trains one of the seven networks and prints times and memory as JSON.",
               "patchbay-training");
  Options options;
  app.add_option("--net", options.net, "The name of the network")->required();
  app.add_option("--device", options.device, "Where to compute")->capture_default_str();
  app.add_option("--threads", options.threads, "Of CPU devices")->capture_default_str();
  app.add_option("--warm-up", options.warm_up, "Steps before")->capture_default_str();
  app.add_option("--steps", options.steps, "Steps that are timed")->capture_default_str();
  app.add_flag("--profile", options.has_profile,
               "Print the operators of these steps; measuring makes them slower");
  try {
    app.parse(argc, argv);
    set_threads(options.threads);
    std::cout << measure(options).dump() << '\n';
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "patchbay-training: %s\n", error.what());
    return 1;
  }
}
