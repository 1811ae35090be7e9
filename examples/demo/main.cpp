// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The main job: trains a convolutional network on Fashion-MNIST on any device, saves it, and loads
// it on another one, which must classify the test images in the same way.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

#include "examples/common/fashion_mnist.h"
#include "examples/common/memory.h"
#include "examples/common/program.h"
#include "examples/common/progress_bar.h"
#include "examples/common/stopwatch.h"
#include "examples/common/text.h"
#include "examples/demo/network.h"

namespace {

using namespace examples;
using patchbay::Device;
using patchbay::Tensor;
namespace nn = patchbay::nn;

struct Options {
  std::optional<std::string> device, devices;         // cpu:0, if neither is given
  std::optional<std::string> num_training, num_test;  // all, if not given
  std::optional<std::string> reload;                  // another device, if there is one
  std::string num_epochs = "4", folder = kFashionMnistFolder, output = "patchbay-demo";
};

constexpr std::int64_t kBatch = 128;

std::int64_t chosen_count(const char* option, const std::optional<std::string>& text,
                          std::int64_t available) {
  return text ? parse_count(option, *text, available, "as many as there are") : available;
}

/// The first `count` images, as they are in the file, and their classes.
nn::TensorDataset first_of(const LabelledImages& images, std::int64_t count) {
  const Tensor pixels =
      patchbay::from_host(images.pixels, {images.count, LabelledImages::kPixels}, Device("cpu"));
  const std::vector<std::int64_t> labels(images.labels.begin(), images.labels.end());
  const Tensor classes = patchbay::from_host(labels, {images.count}, Device("cpu"));
  return nn::TensorDataset({pixels.slice(0, 0, count), classes.slice(0, 0, count)});
}

struct Data {
  nn::TensorDataset training, test;
};

Data load(const Options& options) {
  const Stopwatch watch;
  const patchbay::CopyTag tag("images");
  const FashionMnist all = load_fashion_mnist(options.folder);
  Data data{
      first_of(all.training, chosen_count("--train", options.num_training, all.training.count)),
      first_of(all.test, chosen_count("--test", options.num_test, all.test.count))};
  fmt::print("data         {} training and {} test images, read in {:.1f} s\n",
             grouped(static_cast<std::uint64_t>(data.training.size())),
             grouped(static_cast<std::uint64_t>(data.test.size())), watch.seconds());
  return data;
}

std::vector<Device> chosen_devices(const Options& options, const patchbay::Runtime& runtime) {
  if (options.device && options.devices) {
    throw patchbay::Error(patchbay::ErrorCode::kInvalidArgument,
                          "[demo] both --device and --devices: expected one of them");
  }
  const std::string names = options.devices.value_or(options.device.value_or("cpu:0"));
  std::vector<Device> devices;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    devices.push_back(runtime.device(names.substr(begin, end - begin)));
    begin = end + 1;
  }
  return devices;
}

/// The device that is named, else the first one that did not train, else the last one that did.
Device device_to_reload(const Options& options, const std::vector<Device>& trained,
                        const patchbay::Runtime& runtime) {
  if (options.reload) return runtime.device(*options.reload);
  for (const Device& device : runtime.devices()) {
    if (std::find(trained.begin(), trained.end(), device) == trained.end()) return device;
  }
  return trained.back();
}

std::string names_of(const std::vector<Device>& devices) {
  std::string names;
  for (const Device& device : devices) names += (names.empty() ? "" : ", ") + device.name();
  return names;
}

// ------------------------------------------------------------------------------------ training ---

/// Shows the progress of a training: a bar within an epoch, and a line for each.
class Progress {
 public:
  void operator()(const nn::TrainingProgress& progress) {
    using Kind = nn::TrainingProgress::Kind;
    if (progress.kind == Kind::kStep) {
      if (!bar_) bar_.emplace(progress.num_batches);
      bar_->show(progress.batch);
    }
    if (progress.kind != Kind::kEpoch) return;
    bar_.reset();
    const nn::EpochRow& row = *progress.epoch_row;
    fmt::print("epoch {:>2}/{:<4} loss {:.4f}, test loss {:.4f}, accuracy {:.4f}, {:.1f} s\n",
               row.epoch + 1, progress.num_epochs, row.loss, row.validation->loss,
               row.validation->metric, watch_.seconds());
    watch_ = Stopwatch();
  }

 private:
  Stopwatch watch_;
  std::optional<ProgressBar> bar_;
};

nn::TrainingReport train(Network& net, const Data& data, const Options& options,
                         const std::vector<Device>& devices) {
  nn::DataLoader training(data.training, {.batch_size = kBatch,
                                          .shuffle = true,
                                          .seed = 1,
                                          .num_threads = 1,
                                          .device = devices.front()});
  nn::DataLoader test(data.test, {.batch_size = 500, .device = devices.front()});
  const std::int64_t epochs = parse_count("--epochs", options.num_epochs, 1000, "the most");
  nn::Adam optimizer(net.parameters(), {.learning_rate = 2e-3});
  nn::Schedule schedule(optimizer, nn::cosine(epochs * training.num_batches(), 0.02));
  const std::filesystem::path folder = options.output;
  Progress progress;
  nn::Trainer trainer(net, optimizer, nn::CrossEntropyLoss(),
                      {.num_epochs = epochs,
                       .devices = devices,
                       .data_parallel = {.shares = nn::Shares::kMeasured},
                       .schedule = &schedule,
                       .schedule_per_step = true,
                       .progress = std::ref(progress),
                       .csv = folder / "log.csv",
                       .plot = folder / "loss.svg"});
  fmt::print("training     {} parameters on {} of {} devices asked: {}, {} images a batch\n",
             grouped(static_cast<std::uint64_t>(net.num_parameters())), trainer.devices().size(),
             trainer.num_devices_asked(), names_of(trainer.devices()), kBatch);
  return trainer.fit(training, &test);
}

// ----------------------------------------------------------------------------------- reloading ---

/// The scores of all images, on the host: [n, 10].
Tensor scores_of(nn::Module& net, const nn::TensorDataset& data, const Device& device) {
  const patchbay::NoGrad no_grad;
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
  constexpr double kMostApart = 1e-3, kMostOthers = 5e-4;
  const double apart = max(abs(expected - got)).item<float>();
  const auto others = sum(ne(argmax(expected, 1), argmax(got, 1))).item<std::int64_t>();
  const std::int64_t count = expected.size(0);
  fmt::print("reloaded     on {}: scores within {:.1e}, {} of {} classes differ\n", device.name(),
             apart, others, grouped(static_cast<std::uint64_t>(count)));
  const auto allowed = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(kMostOthers * static_cast<double>(count)));
  if (apart <= kMostApart && others <= allowed) return;
  throw patchbay::Error(
      patchbay::ErrorCode::kInternal,
      fmt::format("[demo] the network computes something else on {}: expected scores within {} and "
                  "at most {} other classes, got {} and {}",
                  device.name(), kMostApart, allowed, apart, others));
}

// ------------------------------------------------------------------------------------- the job ---

void print_devices(const patchbay::Runtime& runtime) {
  fmt::print("devices\n");
  for (const Device& device : runtime.devices()) {
    const patchbay::DeviceProperties& properties = device.properties();
    fmt::print("  {:<10} {}, {} compute units, {}\n", device.name(), properties.name,
               properties.compute_units, readable_bytes(properties.memory_total_bytes));
  }
}

void run(const Options& options) {
  patchbay::Runtime& runtime = patchbay::Runtime::get_default();
  print_devices(runtime);
  const std::vector<Device> devices = chosen_devices(options, runtime);
  const Device& device = devices.front();
  const Device other = device_to_reload(options, devices, runtime);
  const Data data = load(options);
  std::filesystem::create_directories(options.output);

  patchbay::manual_seed(1);
  Network net;
  const nn::TrainingReport report = train(net, data, options, devices);
  const nn::EpochRow& last = report.history.epochs.back();
  fmt::print("accuracy     {:.4f} after {:.1f} s\n", last.validation->metric, report.seconds);

  const std::filesystem::path file = std::filesystem::path(options.output) / "model.safetensors";
  Network loaded;
  {
    const patchbay::CopyTag tag("network");
    nn::save(net, file);
    loaded.move_to(other).eval();
    nn::load(loaded, file);
  }
  const Tensor expected = scores_of(net, data.test, device);
  compare(expected, scores_of(loaded, data.test, other), other);

  fmt::print("written      model.safetensors, loss.svg and log.csv in {}\n", options.output);
  fmt::print("peak memory  {} on {}, {} in the process\n",
             readable_bytes(device.memory().peak_bytes), device.name(),
             readable_bytes(peak_process_bytes()));
  fmt::print("copies\n{}", runtime.ledger().to_text());
}

}  // namespace

int main(int argc, char** argv) {
  Program program("patchbay-demo", "Trains a network that classifies images, on any device.");
  Options options;
  program.add_option("--device", options.device, "Where to train (default: cpu:0)");
  program.add_option("--devices", options.devices, "Several, separated by commas");
  program.add_option("--epochs", options.num_epochs, "How often each image is seen");
  program.add_option("--train", options.num_training, "How many training images (default: all)");
  program.add_option("--test", options.num_test, "How many test images (default: all)");
  program.add_option("--reload", options.reload, "Where to load the network (default: elsewhere)");
  program.add_option("--data", options.folder, "Folder of the four files");
  program.add_option("--output", options.output, "Folder for network, plot and log");
  return program.run(argc, argv, [&] { run(options); });
}
