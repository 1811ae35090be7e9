// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Classifies the Fashion-MNIST test images by the class of the nearest training
// image, all computation on one device.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <patchbay/patchbay.h>

#include "examples/common/fashion_mnist.h"
#include "examples/common/memory.h"
#include "examples/common/program.h"
#include "examples/common/progress_bar.h"
#include "examples/common/stopwatch.h"
#include "examples/common/text.h"
#include "examples/nearest_neighbour/nearest_neighbour.h"

namespace {

using namespace examples;
using patchbay::Device;
using patchbay::Tensor;

struct Options {
  std::string device = "cpu:0";
  std::optional<std::string> num_training, num_test;  // all, if not given
  std::string folder = kFashionMnistFolder;
};

struct Result {
  std::vector<std::int64_t> nearest;  // for each test image the index of a training image
  double upload_seconds = 0, search_seconds = 0;
};

// Divides 10,000; large enough for fast products, small enough for the distances to take 240 MB.
constexpr std::int64_t kBatch = 500;

std::int64_t chosen_count(const char* option, const std::optional<std::string>& text,
                          std::int64_t available) {
  return text ? parse_count(option, *text, available, "as many as there are") : available;
}

void keep_first(LabelledImages& images, std::int64_t count) {
  images.count = count;
  images.pixels.resize(static_cast<std::size_t>(count * LabelledImages::kPixels));
  images.labels.resize(static_cast<std::size_t>(count));
}

FashionMnist load(const Options& options) {
  const Stopwatch watch;
  FashionMnist data = load_fashion_mnist(options.folder);
  keep_first(data.training, chosen_count("--train", options.num_training, data.training.count));
  keep_first(data.test, chosen_count("--test", options.num_test, data.test.count));
  fmt::print("data         {} training and {} test images, read in {:.1f} s\n",
             grouped(static_cast<std::uint64_t>(data.training.count)),
             grouped(static_cast<std::uint64_t>(data.test.count)), watch.seconds());
  return data;
}

Tensor upload(const LabelledImages& images, const Device& device) {
  const patchbay::CopyTag tag("images");
  return from_host(images.pixels, {images.count, LabelledImages::kPixels}, device);
}

Result classify(const FashionMnist& data, const Device& device) {
  Result result;
  const std::int64_t count = data.test.count;
  const Stopwatch upload_watch;
  const NearestNeighbour neighbours(upload(data.training, device), std::min(kBatch, count));
  const Tensor images = upload(data.test, device);
  device.synchronize();
  result.upload_seconds = upload_watch.seconds();

  const Stopwatch search_watch;
  ProgressBar bar(count);
  for (std::int64_t done = 0; done < count; done += kBatch) {
    const Tensor nearest = neighbours.find(images.slice(0, done, done + kBatch));
    const patchbay::CopyTag tag("indices");
    for (const std::int64_t index : nearest.to_vector<std::int64_t>()) {
      result.nearest.push_back(index);
    }
    bar.show(std::min(done + kBatch, count));
  }
  result.search_seconds = search_watch.seconds();
  return result;
}

/// FNV-1a over the indices: equal on all devices, and easy to compare between machines.
std::uint64_t checksum(const std::vector<std::int64_t>& values) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::int64_t value : values) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ (static_cast<std::uint64_t>(value) >> shift & 0xff)) * 1099511628211u;
    }
  }
  return hash;
}

void print_devices(const patchbay::Runtime& runtime) {
  fmt::print("devices\n");
  for (const Device& device : runtime.devices()) {
    const patchbay::DeviceProperties& properties = device.properties();
    fmt::print("  {:<10} {}, {} compute units, {}\n", device.name(), properties.name,
               properties.compute_units, readable_bytes(properties.memory_total_bytes));
  }
}

void print_result(const Result& result, const FashionMnist& data, const Device& device) {
  const std::size_t count = result.nearest.size();
  std::size_t correct = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto nearest = static_cast<std::size_t>(result.nearest[i]);
    correct += data.training.labels[nearest] == data.test.labels[i] ? 1 : 0;
  }
  fmt::print("accuracy     {:.4f} ({} of {})\n",
             static_cast<double>(correct) / static_cast<double>(count), grouped(correct),
             grouped(count));
  fmt::print("speed        {:.0f} images/s (upload {:.2f} s, search {:.2f} s)\n",
             static_cast<double>(count) / result.search_seconds, result.upload_seconds,
             result.search_seconds);
  fmt::print("predictions  {:016x} (checksum of the nearest images' indices)\n",
             checksum(result.nearest));
  fmt::print("peak memory  {} on {}, {} in the process\n",
             readable_bytes(device.memory().peak_bytes), device.name(),
             readable_bytes(peak_process_bytes()));
}

void run(const Options& options) {
  patchbay::Runtime& runtime = patchbay::Runtime::get_default();
  print_devices(runtime);
  const Device device = runtime.device(options.device);
  const FashionMnist data = load(options);
  fmt::print("device       {}, {} images a batch\n", device.name(), kBatch);
  const Result result = classify(data, device);
  print_result(result, data, device);
  fmt::print("copies\n{}", runtime.ledger().to_text());
}

}  // namespace

int main(int argc, char** argv) {
  Program program("nearest_neighbour",
                  "Classifies images by their nearest neighbour, on a device.");
  Options options;
  program.add_option("--device", options.device, "Where to compute");
  program.add_option("--train", options.num_training, "How many training images (default: all)");
  program.add_option("--test", options.num_test, "How many test images (default: all)");
  program.add_option("--data", options.folder, "Folder of the four files");
  return program.run(argc, argv, [&] { run(options); });
}
