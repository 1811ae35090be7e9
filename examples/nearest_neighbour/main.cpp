// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Classifies the Fashion-MNIST test images by the class of the nearest training image, all
// computation on one device.
//   nearest_neighbour [--device NAME] [--train N] [--test N] [--data FOLDER]
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/nn/arrays.h>
#include <patchbay/patchbay.h>

#include "nearest_neighbour.h"

namespace {

using patchbay::Device;
using patchbay::DType;
using patchbay::Tensor;
using Options = std::map<std::string, std::string>;

// Divides 10,000; large enough for fast products, small enough for the distances to take 240 MB.
constexpr std::int64_t kBatch = 500;

/// The command line over these defaults.
Options parse(int argc, char** argv, Options options) {
  for (int i = 1; i < argc; i += 2) {
    const auto option = options.find(argv[i]);
    if (option == options.end() || i + 1 == argc) {
      throw std::invalid_argument("'" + std::string(argv[i]) +
                                  "' is no option, or has no value; there are --device NAME, "
                                  "--train N, --test N and --data FOLDER");
    }
    option->second = argv[i + 1];
  }
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// ---------------------------------------------------------------------------------------- data ---

struct LabelledImages {
  std::int64_t size() const { return pixels.size(0); }

  Tensor pixels;  // [n, 784] u8, in host memory
  std::vector<std::uint8_t> labels;
};

/// Two files of the data set; the first images, as many as the option says.
LabelledImages read(const Options& options, const std::string& part, const std::string& count) {
  const std::filesystem::path folder = options.at("--data");
  const Tensor images = patchbay::nn::read_idx(folder / (part + "-images-idx3-ubyte.gz"));
  const Tensor labels = patchbay::nn::read_idx(folder / (part + "-labels-idx1-ubyte.gz"));
  if (images.dtype() != DType::u8 || images.rank() != 3 || images.size(1) != 28 ||
      images.size(2) != 28 || labels.dtype() != DType::u8 || labels.rank() != 1 ||
      labels.size(0) != images.size(0)) {
    throw std::runtime_error("the files of '" + part + "' are no images of 28 x 28 with labels");
  }
  const std::string& text = options.at(count);
  const std::int64_t wanted = text.empty() ? images.size(0) : std::atoll(text.c_str());
  if (wanted < 1 || wanted > images.size(0)) {
    throw std::invalid_argument("[" + count + "] expected a whole number from 1 to " +
                                std::to_string(images.size(0)) + ", got '" + text + "'");
  }
  return {images.reshape({-1, 784}).slice(0, 0, wanted),
          labels.slice(0, 0, wanted).to_vector<std::uint8_t>()};
}

// -------------------------------------------------------------------------------------- search ---

struct Result {
  std::vector<std::int64_t> nearest;  // for each test image the index of a training image
  double upload_seconds = 0, search_seconds = 0;
};

Result classify(const LabelledImages& training, const LabelledImages& test, const Device& device) {
  const std::int64_t count = test.size();
  const bool shows_progress = isatty(STDERR_FILENO) == 1;
  Result result;
  auto start = std::chrono::steady_clock::now();
  const examples::NearestNeighbour neighbours(training.pixels.to(device), std::min(kBatch, count));
  const Tensor images = test.pixels.to(device);
  device.synchronize();
  result.upload_seconds = seconds_since(start);

  start = std::chrono::steady_clock::now();
  for (std::int64_t done = 0; done < count; done += kBatch) {
    const Tensor nearest = neighbours.find(images.slice(0, done, done + kBatch));
    const patchbay::CopyTag tag("indices");
    for (const std::int64_t index : nearest.to_vector<std::int64_t>()) {
      result.nearest.push_back(index);
    }
    if (shows_progress) {
      std::fprintf(stderr, "\r%3d %%", static_cast<int>(100 * result.nearest.size() / count));
    }
  }
  if (shows_progress) std::fputs("\r     \r", stderr);
  result.search_seconds = seconds_since(start);
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

// -------------------------------------------------------------------------------------- report ---

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

void print_result(const Result& result, const LabelledImages& training, const LabelledImages& test,
                  const Device& device) {
  const std::size_t count = result.nearest.size();
  std::size_t correct = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto nearest = static_cast<std::size_t>(result.nearest[i]);
    correct += training.labels[nearest] == test.labels[i] ? 1 : 0;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("accuracy     %.4f (%zu of %zu)\n",
              static_cast<double>(correct) / static_cast<double>(count), correct, count);
  std::printf("speed        %.0f images/s (upload %.2f s, search %.2f s)\n",
              static_cast<double>(count) / result.search_seconds, result.upload_seconds,
              result.search_seconds);
  std::printf("predictions  %016llx (checksum of the nearest images' indices)\n",
              static_cast<unsigned long long>(checksum(result.nearest)));
  std::printf("peak memory  %.1f MiB on %s, %.1f MiB in the process\n",
              mebibytes(device.memory().peak_bytes), device.name().c_str(),
              static_cast<double>(usage.ru_maxrss) / 1024);
  std::printf("copies\n%s", device.runtime().ledger().to_text().c_str());
}

void run(const Options& options) {
  const Device device(options.at("--device"));
  const LabelledImages training = read(options, "train", "--train");
  const LabelledImages test = read(options, "t10k", "--test");
  std::printf("data         %lld training and %lld test images\n",
              static_cast<long long>(training.size()), static_cast<long long>(test.size()));
  std::printf("device       %s, %lld images a batch\n", device.name().c_str(),
              static_cast<long long>(kBatch));
  print_result(classify(training, test, device), training, test, device);
}

}  // namespace

int main(int argc, char** argv) try {
  run(parse(argc, argv,
            {{"--device", "cpu:0"},
             {"--train", ""},
             {"--test", ""},
             {"--data", "/usr/share/datasets/fashion-mnist"}}));
} catch (const patchbay::Error& error) {
  std::fprintf(stderr, "nearest_neighbour: %s%s\n", error.what(),
               error.code() == patchbay::ErrorCode::kIo
                   ? " (the images: apt-get install dataset-fashion-mnist)"
                   : "");
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "nearest_neighbour: %s\n", error.what());
  return 1;
}
