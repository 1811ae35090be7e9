// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The main job: trains a convolutional network on Fashion-MNIST on any device, and brings it to
// another one, which must classify the test images in the same way. With --output it goes there
// through a file; without, no file is written.
//   patchbay-demo [--device NAME | --devices A,B] [--epochs N] [--train N] [--test N]
//                 [--reload NAME] [--data FOLDER] [--output FOLDER]
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

#include "network.h"
#include "options.h"

namespace {

using namespace examples;
using patchbay::Device;
using patchbay::DType;
using patchbay::Tensor;
namespace nn = patchbay::nn;

constexpr std::int64_t kBatch = 128;

// ---------------------------------------------------------------------------------------- data ---

/// Two files of the data set: the first images, [n, 784] u8, and their classes, [n] i64. Batches go
/// to the device one by one.
nn::TensorDataset read(const Options& options, const std::string& part, const std::string& count) {
  const std::filesystem::path folder = options.at("--data");
  const Tensor images = nn::read_idx(folder / (part + "-images-idx3-ubyte.gz"));
  const Tensor labels = nn::read_idx(folder / (part + "-labels-idx1-ubyte.gz"));
  if (images.dtype() != DType::u8 || images.rank() != 3 || images.size(1) != 28 ||
      images.size(2) != 28 || labels.dtype() != DType::u8 || labels.rank() != 1 ||
      labels.size(0) != images.size(0)) {
    throw std::runtime_error("the files of '" + part + "' are no images of 28 x 28 with labels");
  }
  const std::int64_t size = number_of(options, count, images.size(0));
  return nn::TensorDataset(
      {images.reshape({-1, 784}).slice(0, 0, size), labels.slice(0, 0, size).cast(DType::i64)});
}

struct Data {
  nn::TensorDataset training, test;
};

// ------------------------------------------------------------------------------------ training ---

/// "60,000"
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string names_of(const std::vector<Device>& devices) {
  std::string names;
  for (const Device& device : devices) names += (names.empty() ? "" : ", ") + device.name();
  return names;
}

/// Shows the progress of a training: percents within an epoch on a terminal, and a line for each.
class Progress {
 public:
  void operator()(const nn::TrainingProgress& progress) {
    using Kind = nn::TrainingProgress::Kind;
    if (progress.kind == Kind::kStep && is_terminal_) {
      std::fprintf(stderr, "\r%3d %%",
                   static_cast<int>(100 * progress.batch / progress.num_batches));
    }
    if (progress.kind != Kind::kEpoch) return;
    if (is_terminal_) std::fputs("\r     \r", stderr);
    const nn::EpochRow& row = *progress.epoch_row;
    const auto now = Clock::now();
    std::printf("epoch %2lld/%-4lld loss %.4f, test loss %.4f, accuracy %.4f, %.1f s\n",
                static_cast<long long>(row.epoch + 1), static_cast<long long>(progress.num_epochs),
                row.loss, row.validation->loss, row.validation->metric,
                std::chrono::duration<double>(now - start_).count());
    std::fflush(stdout);
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
};

nn::TrainingReport train(Network& net, const Data& data, const Options& options,
                         const std::vector<Device>& devices) {
  nn::DataLoader training(data.training, {.batch_size = kBatch,
                                          .shuffle = true,
                                          .seed = 1,
                                          .num_threads = 1,
                                          .device = devices.front()});
  nn::DataLoader test(data.test, {.batch_size = 500, .device = devices.front()});
  const std::int64_t epochs = number_of(options, "--epochs", 1000);
  nn::Adam optimizer(net.parameters(), {.learning_rate = 2e-3});
  nn::Schedule schedule(optimizer, nn::cosine(epochs * training.num_batches(), 0.02));
  Progress progress;
  nn::TrainerOptions training_options{.num_epochs = epochs,
                                      .devices = devices,
                                      .data_parallel = {.shares = nn::Shares::kMeasured},
                                      .schedule = &schedule,
                                      .schedule_per_step = true,
                                      .progress = std::ref(progress)};
  if (const std::filesystem::path folder = options.at("--output"); !folder.empty()) {
    training_options.csv = folder / "log.csv";
    training_options.plot = folder / "loss.svg";
  }
  nn::Trainer trainer(net, optimizer, nn::CrossEntropyLoss(), training_options);
  std::printf("training     %s parameters on %zu of %d devices asked: %s, %lld images a batch\n",
              grouped(net.num_parameters()).c_str(), trainer.devices().size(),
              trainer.num_devices_asked(), names_of(trainer.devices()).c_str(),
              static_cast<long long>(kBatch));
  return trainer.fit(training, &test);
}

// --------------------------------------------------------------------------------- the network ---

/// The network on another device: through a file if there is to be one, else by copies.
Network network_on(const Device& device, Network& net, const std::filesystem::path& folder) {
  const patchbay::CopyTag tag("network");
  if (folder.empty()) {
    Network copy = nn::clone(net);
    copy.move_to(device);
    return copy;
  }
  const std::filesystem::path file = folder / "model.safetensors";
  nn::save(net, file);
  Network loaded;
  loaded.move_to(device);
  nn::load(loaded, file);
  return loaded;
}

/// The scores of all images, on the host: [n, 10].
Tensor scores_of(Network& net, const nn::TensorDataset& data, const Device& device) {
  const patchbay::NoGrad no_grad;
  net.eval();
  std::vector<Tensor> parts;
  nn::DataLoader loader(data, {.batch_size = 500, .device = device});
  for (nn::Batch& batch : loader) {
    const Tensor scores = net(batch[0]);
    const patchbay::CopyTag tag("scores");
    parts.push_back(scores.to("cpu"));
  }
  return patchbay::concat(parts);
}

void compare(const Tensor& expected, const Tensor& got, const Device& device) {
  const double apart = max(abs(expected - got)).item<float>();
  const auto others = sum(ne(argmax(expected, 1), argmax(got, 1))).item<std::int64_t>();
  const std::int64_t count = expected.size(0);
  std::printf("reloaded     on %s: scores within %.1e, %lld of %s classes differ\n",
              device.name().c_str(), apart, static_cast<long long>(others), grouped(count).c_str());
  if (apart <= 1e-3 && others <= std::max<std::int64_t>(1, count / 2000)) return;
  throw std::runtime_error("the network computes something else on " + device.name());
}

// ------------------------------------------------------------------------------------- the job ---

void print_devices() {
  std::printf("devices\n");
  for (const Device& device : patchbay::Runtime::get_default().devices()) {
    const patchbay::DeviceProperties& properties = device.properties();
    std::printf("  %-10s %s, %d compute units, %.1f GiB\n", device.name().c_str(),
                properties.name.c_str(), static_cast<int>(properties.compute_units),
                static_cast<double>(properties.memory_total_bytes) / (1 << 30));
  }
}

void print_memory_and_copies(const Device& device) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("peak memory  %.1f MiB on %s, %.1f MiB in the process\n",
              static_cast<double>(device.memory().peak_bytes) / (1 << 20), device.name().c_str(),
              static_cast<double>(usage.ru_maxrss) / 1024);
  std::printf("copies\n%s", device.runtime().ledger().to_text().c_str());
}

void run(const Options& options) {
  print_devices();
  const std::vector<Device> devices = chosen_devices(options);
  const Device other = device_to_reload(options, devices);
  const Data data{read(options, "train", "--train"), read(options, "t10k", "--test")};
  std::printf("data         %s training and %s test images\n",
              grouped(data.training.size()).c_str(), grouped(data.test.size()).c_str());
  const std::filesystem::path folder = options.at("--output");
  if (!folder.empty()) std::filesystem::create_directories(folder);

  patchbay::manual_seed(1);
  Network net;
  const nn::TrainingReport report = train(net, data, options, devices);
  std::printf("accuracy     %.4f after %.1f s\n", report.history.epochs.back().validation->metric,
              report.seconds);

  Network reloaded = network_on(other, net, folder);
  compare(scores_of(net, data.test, devices.front()), scores_of(reloaded, data.test, other), other);
  if (!folder.empty()) {
    std::printf("written      model.safetensors, loss.svg and log.csv in %s\n", folder.c_str());
  }
  print_memory_and_copies(devices.front());
}

}  // namespace

int main(int argc, char** argv) try {
  run(parse(argc, argv));
} catch (const patchbay::Error& error) {
  std::fprintf(stderr, "patchbay-demo: %s%s\n", error.what(),
               error.code() == patchbay::ErrorCode::kIo
                   ? " (the images: apt-get install dataset-fashion-mnist)"
                   : "");
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "patchbay-demo: %s\n", error.what());
  return 1;
}
