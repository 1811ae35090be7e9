// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What names no device takes the first visible CPU device; a training needs none. The default
// runtime is the process's: each case runs in a child.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <patchbay/nn.h>

#include "support/runtime_fixture.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

/// Runs `body` in a process whose default runtime shows these devices alone.
#define EXPECT_WITH(visible, body)                       \
  do {                                                   \
    GTEST_FLAG_SET(death_test_style, "threadsafe");      \
    const auto run_ = [&] {                              \
      RuntimeOptions chosen_ = options();                \
      chosen_.visible_devices = visible;                 \
      Runtime::set_default_options(chosen_);             \
      body();                                            \
      std::_Exit(testing::Test::HasFailure() ? 1 : 0);   \
    };                                                   \
    EXPECT_EXIT(run_(), testing::ExitedWithCode(0), ""); \
  } while (false)

using Devices = std::vector<std::string>;
using Floats = std::vector<float>;

void read_files() {
  const ScratchDirectory scratch;
  const std::filesystem::path folder = scratch.folder("files");
  const Tensor values = full({2}, 3, Device("cpu:1"));
  nn::save_safetensors(folder / "model", {{"a", values}});
  nn::save_npy(folder / "array.npy", values);
  const nn::Safetensors file(folder / "model");
  for (const Tensor& each :
       {file.read("a"), nn::load_safetensors(folder / "model").at("a"),
        nn::read_npy(folder / "array.npy"), nn::read_npy_all(folder / "array.npy").front()}) {
    EXPECT_EQ(each.device().name(), "cpu:1");
    EXPECT_EQ(each.to_vector<float>(), (Floats{3, 3}));
  }
  nn::save_checkpoint(folder / "checkpoint", {.tensors = {{"mine", values}}});
  nn::Checkpoint parts;
  nn::load_checkpoint(folder / "checkpoint", parts);
  EXPECT_EQ(parts.tensors.at("mine").device().name(), "cpu:1");
}

TEST(UnnamedDevice, IsTheFirstVisibleCpuDevice) {
  EXPECT_WITH((Devices{"cpu:1", "fake:0"}), read_files);
}

/// Eight samples that are on the device.
class OnDevice : public nn::Dataset {
 public:
  explicit OnDevice(const Device& device)
      : samples_(rand({8, 2}, device, Generator(1))), labels_(zeros({8}, {DType::i64, device})) {}
  std::int64_t size() const override { return 8; }
  nn::Batch get(std::int64_t index) const override { return {samples_[index], labels_[index]}; }
  /// They follow each other.
  nn::Batch get_batch(std::span<const std::int64_t> indices) const override {
    const std::int64_t begin = indices.front(), end = indices.back() + 1;
    return {samples_.slice(0, begin, end), labels_.slice(0, begin, end)};
  }

 private:
  Tensor samples_, labels_;
};

/// A checkpoint, its table and plot, and going on.
void train() {
  const ScratchDirectory scratch;
  const std::filesystem::path folder = scratch.folder("files");
  const Device device = Runtime::get_default().devices().front();
  const auto run = [&](std::int64_t num_epochs) {
    nn::Linear net(2, 3, {.tensor = device});
    nn::SGD optimizer(net.parameters());
    nn::DataLoader loader(OnDevice(device), {.batch_size = 4});
    nn::Trainer trainer(net, optimizer, nn::CrossEntropyLoss(),
                        {.num_epochs = num_epochs,
                         .log_every = 1,
                         .checkpoint = folder / "checkpoint",
                         .resume = true,
                         .best_model = folder / "best",
                         .csv = folder / "log.csv",
                         .plot = folder / "loss.svg"});
    return trainer.fit(loader, &loader);
  };
  EXPECT_EQ(run(1).num_steps, 2);
  const nn::TrainingReport report = run(2);
  EXPECT_EQ(report.num_steps, 4);
  EXPECT_EQ(report.history.losses.size(), 4u);
  EXPECT_EQ(report.history.epochs.size(), 2u);
}

TEST(UnnamedDevice, ATrainingNeedsNone) {
  for (const Devices& visible : {Devices{"cpu:1"}, Devices{"fake:0"}}) EXPECT_WITH(visible, train);
}

void refuse() {
  const ScratchDirectory scratch;
  const std::filesystem::path file = std::filesystem::path(scratch.folder("files")) / "file";
  const Tensor values = full({2}, 3, Device("fake:0"));
  const auto expect = [&](auto read, const std::string& operation) {
    EXPECT_ERROR(read(), ErrorCode::kUnknownDevice,
                 "[" + operation +
                     "] no CPU device is visible: expected one for what names no device, visible "
                     "are [fake:0]. Name a device, or add a CPU device to ");
  };
  nn::save_npy(file, values);
  expect([&] { return nn::read_npy(file); }, "read_npy");
  expect([&] { return nn::read_npy_all(file); }, "read_npy_all");
  expect([&] { return nn::read_npz(file); }, "read_npz");
  expect([&] { return nn::read_idx(file); }, "read_idx");
  expect([&] { return nn::read_csv(file); }, "read_csv");
  nn::save_safetensors(file, {{"a", values}});
  expect([&] { return nn::Safetensors(file).read("a"); }, "Safetensors");
  expect([&] { return nn::load_safetensors(file); }, "load_safetensors");
  EXPECT_EQ(nn::Safetensors(file).read("a", Device("fake:0")).to_vector<float>(), (Floats{3, 3}));
  nn::save_checkpoint(file, {.tensors = {{"mine", values}}});
  nn::Checkpoint parts;
  expect([&] { return nn::load_checkpoint(file, parts), 0; }, "load_checkpoint");
  EXPECT_TRUE(parts.tensors.empty());
}

TEST(UnnamedDevice, WhatNeedsOneSaysSo) { EXPECT_WITH(Devices{"fake:0"}, refuse); }

}  // namespace
}  // namespace patchbay::test
