// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Trainer and checkpoints: losses, devices, copies, early stop, files, and training that goes on
// after it was killed.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#include <patchbay/nn.h>

#include "nn/nets.h"
#include "support/device_test.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

Device cpu() { return test_device("cpu:0"); }

/// 24 points in two classes, separated by x + y = 1.
nn::TensorDataset points() {
  Floats values;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 24; ++i) {
    const float x = static_cast<float>(i % 5) / 4, y = static_cast<float>(i % 7) / 6;
    values.insert(values.end(), {x, y});
    labels.push_back(x + y > 1 ? 1 : 0);
  }
  return nn::TensorDataset({from_host(values, {24, 2}, cpu()), from_host(labels, {24}, cpu())});
}

nn::DataLoader loader(bool shuffles = true) {
  return nn::DataLoader(points(), {.batch_size = 5, .shuffle = shuffles, .seed = 11});
}

/// With dropout, so that the generator matters.
nn::Sequential classifier() {
  manual_seed(5);
  return nn::Sequential(nn::Linear(2, 8, {.tensor = cpu()}), nn::ReLU(), nn::Dropout(0.2),
                        nn::Linear(8, 2, {.tensor = cpu()}));
}

Tensor loss_of(const Tensor& output, const Tensor& target) { return cross_entropy(output, target); }

std::uint64_t copies_with(const Runtime& runtime, const std::string& tag) {
  std::uint64_t count = 0;
  for (const LedgerEntry& entry : runtime.ledger().entries()) {
    if (entry.tag == tag) count += entry.copies;
  }
  return count;
}

/// A training with everything that a checkpoint has.
struct Training {
  explicit Training(nn::TrainerOptions options)
      : net(classifier()),
        optimizer(net.parameters(), {.learning_rate = 0.05}),
        schedule(optimizer, nn::exponential(0.9)),
        batches(loader()),
        all(loader(false)),
        trainer(net, optimizer, loss_of, with(schedule, std::move(options))) {}

  static nn::TrainerOptions with(nn::Schedule& schedule, nn::TrainerOptions options) {
    options.schedule = &schedule;
    return options;
  }
  nn::TrainingReport fit() { return trainer.fit(batches, &all); }
  std::vector<Floats> values() {
    std::vector<Floats> result;
    for (const nn::Parameter& each : net.parameters()) result.push_back(each->to_vector<float>());
    return result;
  }

  nn::Sequential net;
  nn::Adam optimizer;
  nn::Schedule schedule;
  nn::DataLoader batches, all;
  nn::Trainer trainer;
};

class TrainerTest : public DeviceTest {};
PATCHBAY_ON_EACH_DEVICE(TrainerTest);

TEST_P(TrainerTest, LearnsOnADeviceAndCountsItsCopies) {
  Training training({.num_epochs = 60, .devices = {device_}, .log_every = 4});
  test_runtime().ledger().reset();
  const nn::TrainingReport report = training.fit();
  EXPECT_EQ(report.num_devices_asked, 1);
  EXPECT_EQ(report.devices, std::vector{device_});
  EXPECT_EQ(report.num_epochs, 60);
  EXPECT_EQ(report.num_steps, 300);
  EXPECT_EQ(report.reason, "all epochs are done");
  EXPECT_EQ(report.history.losses.size(), 75U);
  ASSERT_EQ(report.history.epochs.size(), 60U);
  EXPECT_LT(report.history.epochs.back().loss, report.history.epochs.front().loss);
  const nn::Evaluation last = *report.history.epochs.back().validation;
  EXPECT_GT(last.metric, 0.9);
  EXPECT_LT(last.loss, 0.4);
  EXPECT_EQ(training.net.parameters()[0].device(), device_);
  EXPECT_FALSE(training.net.is_training());
  if (device_ != cpu()) {
    EXPECT_EQ(copies_with(test_runtime(), "model"), 4U);
    // Two tensors of each batch, in training and in validation.
    EXPECT_EQ(copies_with(test_runtime(), "batch"), 60 * 2 * (5 + 5));
  }
  // One for each row, the rest of each epoch, and the validation's losses and counts.
  EXPECT_GE(copies_with(test_runtime(), "loss"), 75U + 60U * 2U);
  EXPECT_LE(copies_with(test_runtime(), "loss"), 75U + 60U * 3U);
}

TEST_P(TrainerTest, EvaluatesWithoutDropoutAndGradients) {
  Training training({.devices = {device_}});
  const nn::Evaluation got = training.trainer.evaluate(training.all);
  EXPECT_TRUE(training.net.is_training());
  training.net.eval();
  const nn::TensorDataset data = points();
  const Tensor output = training.net(data.tensors()[0].to(device_));
  const Tensor target = data.tensors()[1].to(device_);
  EXPECT_NEAR(got.loss, cross_entropy(output, target).item<float>(), 1e-5);
  EXPECT_FLOAT_EQ(static_cast<float>(got.metric * 24),
                  static_cast<float>(nn::num_correct(output, target).item<std::int64_t>()));
}

/// One device is slow, so that measured shares show that the options arrive.
class SlowOnTheSecond : public nn::Module {
 public:
  explicit SlowOnTheSecond(std::atomic<std::int64_t>* last_rows) : last_rows_(last_rows) {}
  Tensor forward(const Tensor& x) override {
    if (x.device() == test_device("cpu:1")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      *last_rows_ = x.size(0);
    }
    return layer(x);
  }
  void members(nn::Members& each) override { each("layer", layer); }

  nn::Linear layer{2, 2, {.tensor = cpu()}};

 private:
  std::atomic<std::int64_t>* last_rows_;
};

TEST(Trainer, DividesBatchesAsTheOptionsSay) {
  const std::vector<Device> devices{cpu(), test_device("cpu:1")};
  nn::DataLoader batches(points(), {.batch_size = 24});
  for (const nn::Shares shares : {nn::Shares::kEqual, nn::Shares::kMeasured}) {
    std::atomic<std::int64_t> last_rows = 0;
    SlowOnTheSecond net(&last_rows);
    nn::SGD optimizer(net.parameters(), {.learning_rate = 0.1});
    nn::Trainer trainer(net, optimizer, loss_of,
                        {.num_epochs = 4, .devices = devices, .data_parallel = {.shares = shares}});
    trainer.fit(batches);
    if (shares == nn::Shares::kEqual) {
      EXPECT_EQ(last_rows, 12);
    } else {
      EXPECT_LT(last_rows, 6);
    }
  }
}

/// Equal shares of each batch on two devices; masks of dropout are those of one device.
TEST_P(TrainerTest, TrainsOnSeveralDevicesAsOnOne) {
  Training one({.num_epochs = 3, .devices = {cpu()}, .log_every = 1});
  const nn::TrainingReport expected = one.fit();
  Training several({.num_epochs = 3, .devices = {cpu(), device_}, .log_every = 1});
  const nn::TrainingReport report = several.fit();
  EXPECT_EQ(report.num_devices_asked, 2);
  EXPECT_EQ(report.devices, (std::vector{cpu(), device_}));
  ASSERT_EQ(report.history.losses.size(), expected.history.losses.size());
  for (std::size_t i = 0; i < expected.history.losses.size(); ++i) {
    EXPECT_NEAR(report.history.losses[i].loss, expected.history.losses[i].loss, 1e-4) << i;
  }
  const nn::Evaluation got = *report.history.epochs.back().validation;
  EXPECT_NEAR(got.loss, expected.history.epochs.back().validation->loss, 1e-4);
  EXPECT_FALSE(several.net.is_training());
}

/// Counts the batches that it computes in training.
class CountsTraining : public nn::Module {
 public:
  explicit CountsTraining(std::atomic<int>* count) : count_(count) {}
  Tensor forward(const Tensor& x) override {
    if (is_training()) ++*count_;
    return layer(x);
  }
  void members(nn::Members& each) override { each("layer", layer); }

  nn::Linear layer{2, 2, {.tensor = cpu()}};

 private:
  std::atomic<int>* count_;
};

/// fit() leaves the model in evaluation mode, and the next one trains again.
TEST(Trainer, TrainsAgainOnSeveralDevices) {
  std::atomic<int> count = 0;
  CountsTraining net(&count);
  nn::SGD optimizer(net.parameters());
  nn::DataLoader batches = loader(), all = loader(false);
  for (int i = 1; i <= 3; ++i) {
    nn::Trainer trainer(net, optimizer, loss_of, {.devices = {cpu(), test_device("cpu:1")}});
    trainer.fit(batches, &all);
    EXPECT_EQ(count, i * 2 * 5) << "5 batches, 2 devices";
    EXPECT_FALSE(net.is_training());
  }
}

/// Stops at a step, and goes on from the file with other objects.
TEST_P(TrainerTest, GoesOnFromACheckpointWithTheSameBits) {
  const ScratchDirectory folder;
  Training whole({.num_epochs = 6, .devices = {device_}, .log_every = 3});
  const nn::TrainingReport expected = whole.fit();
  for (const std::int64_t stop : {7, 15}) {
    SCOPED_TRACE(stop);
    const std::filesystem::path file = folder.path() / std::to_string(stop);
    nn::TrainerOptions options = {
        .num_epochs = 6, .devices = {device_}, .log_every = 3, .checkpoint = file, .resume = true};
    {
      nn::Trainer* trainer = nullptr;
      std::int64_t steps = 0;
      options.progress = [&](const nn::TrainingProgress& progress) {
        if (progress.kind == nn::TrainingProgress::Kind::kStep && ++steps == stop) trainer->stop();
      };
      Training first(options);
      trainer = &first.trainer;
      const nn::TrainingReport report = first.fit();
      EXPECT_EQ(report.reason, "stopped at step " + std::to_string(stop));
      EXPECT_EQ(report.num_steps, stop);
    }
    options.progress = {};
    manual_seed(99);
    Training second(options);
    const nn::TrainingReport report = second.fit();
    EXPECT_EQ(second.values(), whole.values());
    EXPECT_EQ(report.num_steps, expected.num_steps);
    EXPECT_EQ(report.best_epoch, expected.best_epoch);
    ASSERT_EQ(report.history.losses.size(), expected.history.losses.size());
    for (std::size_t i = 0; i < expected.history.losses.size(); ++i) {
      EXPECT_EQ(report.history.losses[i].loss, expected.history.losses[i].loss) << i;
      EXPECT_EQ(report.history.losses[i].step, expected.history.losses[i].step) << i;
    }
    for (std::size_t i = 0; i < expected.history.epochs.size(); ++i) {
      EXPECT_EQ(report.history.epochs[i].loss, expected.history.epochs[i].loss) << i;
      EXPECT_EQ(report.history.epochs[i].validation->loss,
                expected.history.epochs[i].validation->loss)
          << i;
    }
  }
}

/// Each validation leaves out some samples, others in each epoch.
TEST(TrainerFilesTest, GoesOnWithTheOrderOfTheValidation) {
  const ScratchDirectory folder;
  const auto fit = [&](std::int64_t num_epochs, const char* file) {
    Training training(
        {.num_epochs = num_epochs, .checkpoint = folder.path() / file, .resume = true});
    nn::DataLoader some(points(), {.batch_size = 5, .shuffle = true, .seed = 3, .drop_last = true});
    return training.trainer.fit(training.batches, &some).history.epochs;
  };
  const std::vector<nn::EpochRow> expected = fit(4, "whole");
  (void)fit(2, "parts");
  const std::vector<nn::EpochRow> got = fit(4, "parts");
  ASSERT_EQ(got.size(), 4U);
  ASSERT_EQ(expected.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(got[i].validation->loss, expected[i].validation->loss) << i;
    EXPECT_EQ(got[i].validation->metric, expected[i].validation->metric) << i;
  }
}

TEST(TrainerFilesTest, GoesOnAfterSigkillWithTheSameBits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The child is another run of this test: the name of the folder is the same.
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "patchbay-trainer-killed";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  nn::TrainerOptions options = {.num_epochs = 4,
                                .log_every = 3,
                                .checkpoint = folder / "checkpoint",
                                .checkpoint_every = 4,
                                .resume = true,
                                .csv = folder / "log.csv"};
  const auto killed = [&] {
    options.progress = [](const nn::TrainingProgress& progress) {
      if (progress.epoch == 2 && progress.batch == 4) (void)std::raise(SIGKILL);
    };
    (void)Training(options).fit();
  };
  EXPECT_EXIT(killed(), testing::KilledBySignal(SIGKILL), "");
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint));
  Training resumed(options);
  (void)resumed.fit();
  const std::string log = read_text(options.csv);

  options.checkpoint = folder / "another";
  Training whole(options);
  (void)whole.fit();
  EXPECT_EQ(resumed.values(), whole.values());
  EXPECT_EQ(log, read_text(options.csv));
  std::filesystem::remove_all(folder);
}

TEST(TrainerFilesTest, WritesLogPlotAndBestModel) {
  const ScratchDirectory folder;
  const nn::TrainerOptions options = {.num_epochs = 3,
                                      .log_every = 2,
                                      .best_model = folder.path() / "best.safetensors",
                                      .csv = folder.path() / "log.csv",
                                      .plot = folder.path() / "loss.svg"};
  Training training(options);
  const nn::TrainingReport report = training.fit();

  std::istringstream log(read_text(options.csv));
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 1U + 7U + 3U);
  EXPECT_EQ(lines[0], "epoch,step,loss,learning_rate,validation_loss,validation_metric");
  EXPECT_EQ(lines[1].substr(0, 4), "0,2,");
  EXPECT_EQ(lines[3].substr(0, 4), "0,5,");  // the epoch
  EXPECT_EQ(std::count(lines[3].begin(), lines[3].end(), ','), 5);

  const std::string plot = read_text(options.plot);
  EXPECT_EQ(plot.substr(0, 5), "<svg ");
  EXPECT_NE(plot.find(">training<"), std::string::npos);
  EXPECT_NE(plot.find(">validation<"), std::string::npos);
  EXPECT_EQ(plot.find("nan"), std::string::npos);

  nn::Sequential best = classifier();
  nn::load(best, options.best_model);
  nn::SGD unused(best.parameters());
  nn::Trainer trainer(best, unused, loss_of);
  EXPECT_FLOAT_EQ(static_cast<float>(trainer.evaluate(training.all).loss),
                  static_cast<float>(report.best));
}

TEST(TrainerFilesTest, ReportsAFileThatCannotBeWritten) {
  Training training({.num_epochs = 1, .csv = "/nonexistent/log.csv"});
  const Error error = error_of([&] { (void)training.fit(); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_STREQ(error.what(),
               "[fit] can't write the file: '/nonexistent/log.csv': No such file or directory. "
               "Check the path.");
}

/// The table's link is replaced as those of other files are.
TEST(TrainerFilesTest, ALinkIsReplacedNotFollowed) {
  const ScratchDirectory folder;
  const std::filesystem::path victim = folder.path() / "victim", csv = folder.path() / "log.csv";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, csv);
  Training training({.num_epochs = 1, .csv = csv});
  (void)training.fit();
  EXPECT_EQ(read_text(victim), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(csv));
  EXPECT_TRUE(read_text(csv).starts_with("epoch,step,loss,")) << read_text(csv);
  EXPECT_NE(read_text(csv).find("\n0,5,"), std::string::npos) << read_text(csv);
}

/// Before the first step, not after the first epoch.
TEST(TrainerFilesTest, AFolderThatIsNotThereEndsNoTraining) {
  const std::filesystem::path file = "/nonexistent/file";
  for (const nn::TrainerOptions& options :
       {nn::TrainerOptions{.checkpoint = file}, nn::TrainerOptions{.best_model = file},
        nn::TrainerOptions{.plot = file}}) {
    Training training(options);
    const auto before = training.values();
    EXPECT_ERROR(training.fit(), ErrorCode::kIo,
                 "[fit] can't make a file beside: '/nonexistent/file': No such file or directory.");
    EXPECT_EQ(training.values(), before);
    EXPECT_EQ(training.optimizer.num_steps(), 0);
  }
}

TEST(TrainerFilesTest, ReportsACheckpointThatCannotBeFound) {
  const std::string name = "/tmp/" + std::string(300, 'x');
  Training training({.checkpoint = name, .resume = true});
  const std::vector<Floats> before = training.values();
  const Error error = error_of([&] { (void)training.fit(); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.native_code(), ENAMETOOLONG);
  const std::string text = error.what();
  EXPECT_TRUE(text.starts_with("[fit] can't open the file: '/tmp/xxx")) << text;
  EXPECT_TRUE(text.ends_with(": File name too long. Check the path.")) << text;
  EXPECT_EQ(training.values(), before);
}

TEST(TrainerStopTest, EndsWithoutABetterLoss) {
  Training training(
      {.num_epochs = 50, .early_stop = nn::EarlyStop{.patience = 2, .min_delta = 1e3}});
  const nn::TrainingReport report = training.fit();
  EXPECT_EQ(report.reason, "no better loss in 2 epochs");
  EXPECT_EQ(report.num_epochs, 3);
  EXPECT_EQ(report.best_epoch, 0);
}

TEST(TrainerStopTest, EndsWithALossThatIsNoNumber) {
  nn::Sequential net = classifier();
  nn::SGD optimizer(net.parameters());
  nn::DataLoader batches = loader();
  nn::Trainer trainer(net, optimizer,
                      [](const Tensor& output, const Tensor&) {
                        return sum(output) * std::numeric_limits<double>::quiet_NaN();
                      },
                      {.num_epochs = 2, .log_every = 3});
  EXPECT_EQ(trainer.fit(batches).reason, "the loss is nan at step 1");
}

/// Epochs of fewer steps than log_every, and the validation's loss.
TEST(TrainerStopTest, SeesLossesThatAreNoNumberAtTheEndOfAnEpoch) {
  for (const bool in_training : {true, false}) {
    nn::Sequential net = classifier();
    nn::SGD optimizer(net.parameters());
    nn::DataLoader batches = loader(), all = loader(false);
    nn::Trainer trainer(net, optimizer,
                        [&](const Tensor& output, const Tensor& target) {
                          const Tensor loss = loss_of(output, target);
                          const bool is_bad = in_training == is_grad_enabled();
                          return is_bad ? loss * std::numeric_limits<double>::quiet_NaN() : loss;
                        },
                        {.num_epochs = 3});
    const nn::TrainingReport report = trainer.fit(batches, &all);
    EXPECT_EQ(report.reason,
              in_training ? "the loss is nan at step 1" : "the validation's loss is nan at step 5");
    EXPECT_EQ(report.num_epochs, 1);
    EXPECT_EQ(report.best_epoch, -1);
  }
}

TEST(TrainerStopTest, AnEpochWithoutALossIsNeverTheBest) {
  nn::Sequential net = classifier();
  nn::SGD optimizer(net.parameters(), {.learning_rate = 0.1});
  nn::DataLoader batches = loader(), all = loader(false);
  int num_validations = 0;
  nn::Trainer trainer(net, optimizer,
                      [&](const Tensor& output, const Tensor& target) {
                        const Tensor loss = loss_of(output, target);
                        const bool is_bad = !is_grad_enabled() && num_validations++ < 5;
                        return is_bad ? loss * std::numeric_limits<double>::quiet_NaN() : loss;
                      },
                      {.num_epochs = 3, .stops_if_not_finite = false});
  const nn::TrainingReport report = trainer.fit(batches, &all);
  EXPECT_EQ(report.reason, "all epochs are done");
  EXPECT_GT(report.best_epoch, 0);
  EXPECT_GT(report.best, 0);
}

TEST(TrainerMetricTest, CountsRightClassesWhereThereAreAny) {
  const Tensor scores = from_host(Floats{1, 2, 4, 3}, {2, 2}, cpu());
  EXPECT_EQ(nn::num_correct(scores, from_host(std::vector<std::int64_t>{1, 1}, {2}, cpu()))
                .item<std::int64_t>(),
            1);
  EXPECT_ERROR(nn::num_correct(scores, zeros({2}, cpu())), ErrorCode::kDtypeMismatch,
               "[num_correct] no scores with their classes: expected output [n, classes] and "
               "target [n] of integers, got f32 [2, 2] and f32 [2]");
  EXPECT_ERROR(nn::num_correct(scores, zeros({2, 1}, {DType::i64, cpu()})),
               ErrorCode::kShapeMismatch, "got f32 [2, 2] and i64 [2, 1]");
  // A regression has no accuracy.
  nn::Linear net(2, 1, {.tensor = cpu()});
  nn::SGD optimizer(net.parameters());
  nn::DataLoader rows(nn::TensorDataset({ones({4, 2}, cpu()), ones({4, 1}, cpu())}),
                      {.batch_size = 2});
  nn::Trainer trainer(net, optimizer, nn::MSELoss());
  EXPECT_EQ(trainer.evaluate(rows).metric, 0);
}

TEST(TrainerStopTest, TellsTheProgress) {
  std::vector<std::string> told;
  nn::TrainerOptions options = {.num_epochs = 2, .log_every = 4};
  options.progress = [&](const nn::TrainingProgress& progress) {
    using Kind = nn::TrainingProgress::Kind;
    const char* const kinds[] = {"begin", "step", "epoch", "end"};
    if (progress.kind == Kind::kStep && progress.row == nullptr) return;
    told.push_back(std::string(kinds[static_cast<int>(progress.kind)]) + " " +
                   std::to_string(progress.epoch) + "/" + std::to_string(progress.num_epochs) +
                   " " + std::to_string(progress.batch) + "/" +
                   std::to_string(progress.num_batches));
  };
  Training training(options);
  (void)training.fit();
  const std::vector<std::string> expected = {"begin 0/2 0/5", "step 0/2 4/5",  "epoch 0/2 5/5",
                                             "step 1/2 3/5",  "epoch 1/2 5/5", "end 2/2 0/5"};
  EXPECT_EQ(told, expected);
}

TEST(TrainerDevicesTest, UsesAsManyGpusAsThereAre) {
  const int available = test_runtime().num_gpus();
  ASSERT_GE(available, 1);  // the fake devices
  nn::Sequential net = classifier();
  nn::SGD optimizer(net.parameters());
  nn::Trainer trainer(net, optimizer, loss_of, {.num_gpus = 1});
  EXPECT_EQ(trainer.num_devices_asked(), 1);
  EXPECT_EQ(trainer.devices(), std::vector{test_runtime().try_gpu(0)});
}

TEST(TrainerErrorsTest, NamesWhatIsWrong) {
  nn::Sequential net = classifier(), other = classifier();
  nn::SGD optimizer(net.parameters());
  const auto message = [&](nn::TrainerOptions options, nn::Module& model) -> std::string {
    const Error error =
        error_of([&] { nn::Trainer trainer(model, optimizer, loss_of, std::move(options)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  };
  EXPECT_EQ(message({.num_epochs = -1}, net),
            "[Trainer] a wrong num_epochs: expected a number >= 0, got -1");
  EXPECT_EQ(message({.log_every = 0}, net),
            "[Trainer] a wrong log_every: expected a number >= 1, got 0");
  EXPECT_EQ(message({.num_gpus = 0}, net),
            "[Trainer] a wrong num_gpus: expected a number >= 1, got 0");
  EXPECT_EQ(message({.clip_norm = std::nan("")}, net),
            "[Trainer] a wrong clip_norm: expected a number > 0, got nan");
  EXPECT_EQ(message({.early_stop = nn::EarlyStop{.min_delta = std::nan("")}}, net),
            "[Trainer] a wrong min_delta: expected a finite number, got nan");
  EXPECT_EQ(message({.devices = {cpu()}, .num_gpus = 1}, net),
            "[Trainer] both devices and num_gpus: expected one of them. Leave one out.");
  EXPECT_EQ(message({.resume = true}, net),
            "[Trainer] no checkpoint: checkpoint_every and resume need the file's name. Set the "
            "option checkpoint.");
  const std::filesystem::path nul(std::string("a\0b", 3));
  for (const nn::TrainerOptions& options :
       {nn::TrainerOptions{.checkpoint = nul}, nn::TrainerOptions{.best_model = nul},
        nn::TrainerOptions{.csv = nul}, nn::TrainerOptions{.plot = nul}}) {
    EXPECT_EQ(message(options, net),
              "[Trainer] a file name with NUL: 'a\\x00b'. Pass the name without it.");
  }
  EXPECT_EQ(message({}, other),
            "[Trainer] the optimiser has no parameter of the model: expected one that was made "
            "with model.parameters()");
  nn::Module& abstract = net;
  const Error several = error_of([&] {
    nn::Trainer trainer(abstract, optimizer, loss_of, {.devices = {cpu(), cpu()}});
  });
  EXPECT_EQ(several.code(), ErrorCode::kUnsupported);
  EXPECT_STREQ(several.what(),
               "[Trainer] 2 devices for a Module&: expected an object of a class that can be "
               "copied, for replicas, or one device");
  nn::Trainer vector_loss(net, optimizer,
                          [](const Tensor& output, const Tensor&) { return output; });
  nn::DataLoader batches = loader();
  EXPECT_STREQ(error_of([&] { (void)vector_loss.fit(batches); }).what(),
               "[Trainer] the loss gave a wrong value: expected one float, got f32 [5, 2]. Return "
               "the mean of the samples' losses.");
}

// --------------------------------------------------------------------------------- checkpoints ---

class CheckpointTest : public testing::Test {
 protected:
  /// How most messages begin and end.
  static constexpr std::string_view kBegin = "[load_checkpoint] can't use FILE: ",
                                    kWayOut = ". Give a file that was saved with these parts.";
  /// The message without that beginning and end.
  std::string message(nn::Checkpoint parts) const {
    try {
      nn::load_checkpoint(file_, parts);
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string name = "'" + file_.string() + "'";
      if (const auto at = text.find(name); at != std::string::npos) {
        text.replace(at, name.size(), "FILE");
      }
      EXPECT_TRUE(text.ends_with('.')) << text;
      if (text.ends_with(kWayOut)) text.resize(text.size() - kWayOut.size());
      return text.starts_with(kBegin) ? text.substr(kBegin.size()) : text;
    }
    return "no error";
  }

  const ScratchDirectory folder_;
  const std::filesystem::path file_ = folder_.path() / "checkpoint";
};

TEST_F(CheckpointTest, KeepsTensorsTextsAndGenerators) {
  const Generator generator(~std::uint64_t{0});
  (void)generator.advance(~std::uint64_t{0} - 3);
  nn::save_checkpoint(file_, {.generator = generator,
                              .tensors = {{"mean", full({2}, 0.5, {DType::f64, cpu()})}},
                              .texts = {{"name", "h\u00e4t \"1\"\n"}}});
  nn::Checkpoint read = {.generator = Generator(1)};
  nn::load_checkpoint(file_, read);
  EXPECT_EQ(read.generator->state(), generator.state());
  EXPECT_EQ(read.texts.at("name"), "h\u00e4t \"1\"\n");
  EXPECT_EQ(read.tensors.at("mean").to_vector<double>(), (std::vector<double>{0.5, 0.5}));
}

TEST_F(CheckpointTest, ErrorsOfFilesNameTheCall) {
  const std::string absent = file_.string() + "/none";
  nn::save_safetensors(file_, {});
  std::filesystem::resize_file(file_, 9);
  const std::string cut =
      "] no valid file of safetensors: '" + file_.string() +
      "': it is cut off at byte 9: expected a header of 8 bytes, got 1. Save or download it again.";
  nn::Checkpoint parts;
  EXPECT_INVALID(nn::load_checkpoint(file_, parts), "[load_checkpoint" + cut);
  EXPECT_ERROR(nn::load_checkpoint(absent, parts), ErrorCode::kIo,
               "[load_checkpoint] can't open the file: '" + absent + "': Not a directory.");
  EXPECT_ERROR(nn::save_checkpoint(absent, parts), ErrorCode::kIo,
               "[save_checkpoint] can't make a file beside: '" + absent + "': Not a directory.");
  EXPECT_INVALID(Training({.checkpoint = file_, .resume = true}).fit(), "[fit" + cut);
  EXPECT_ERROR(Training({.num_epochs = 1, .checkpoint = absent}).fit(), ErrorCode::kIo,
               "[fit] can't make a file beside: ");
  EXPECT_ERROR(Training({.num_epochs = 1, .best_model = absent}).fit(), ErrorCode::kIo,
               "[fit] can't make a file beside: ");
}

TEST_F(CheckpointTest, RefusesWhatDoesNotFit) {
  Training training({});
  training.fit();
  nn::save_safetensors(file_, {});
  EXPECT_EQ(message({}),
            "it is no checkpoint: the metadata lack 'patchbay.checkpoint'. Give a file of "
            "save_checkpoint.");
  nn::save_safetensors(file_, {}, {{"patchbay.checkpoint", "[1"}});
  EXPECT_EQ(message({}), "its numbers are no JSON object. Save or download it again.");
  nn::save_safetensors(file_, {}, {{"patchbay.checkpoint", R"({"format": 2})"}});
  EXPECT_EQ(message({}),
            "it has another format: expected 1, got 2. Read it with the version that wrote it.");
  nn::save_safetensors(file_, {}, {{"patchbay.checkpoint", R"({"format": 1, "texts": {}})"}});
  EXPECT_EQ(
      message({.optimizer = &training.optimizer}),
      "it was saved without the optimizer. Leave the optimizer out, or give a file that has it.");
  EXPECT_EQ(message({.model = &training.net}), "the tensor 'model.0.weight' is missing");
  nn::Checkpoint parts{.model = &training.net};
  EXPECT_INVALID(nn::load_checkpoint(file_, parts),
                 "' is missing. Give a file that was saved with these parts.");

  nn::save_checkpoint(
      file_,
      {.model = &training.net, .optimizer = &training.optimizer, .loader = &training.batches});
  nn::Linear small(2, 2, {.tensor = cpu()});
  nn::SGD other(small.parameters());
  EXPECT_EQ(message({.optimizer = &other}),
            "it has the state of another optimiser or model: expected 2 parameters with 0 tensors "
            "each, got 4 with 2");
  EXPECT_EQ(
      message({.schedule = &training.schedule}),
      "it was saved without the schedule. Leave the schedule out, or give a file that has it.");
  nn::Sequential wide(nn::Linear(2, 9, {.tensor = cpu()}), nn::ReLU(), nn::Dropout(0.2),
                      nn::Linear(9, 2, {.tensor = cpu()}));
  EXPECT_EQ(message({.model = &wide}),
            "[load_checkpoint] 'model.0.weight' of FILE has another shape: expected [9, 2], got "
            "[8, 2]. Make the module with the sizes that it had when it was saved.");
  nn::Sequential shorter(nn::Linear(2, 8, {.tensor = cpu()}));
  EXPECT_EQ(message({.model = &shorter}), "the model has no 'model.3.bias'");
  nn::DataLoader few(points(), {.batch_size = 24});
  training.batches.set_state({.seed = 1, .epoch = 2, .batch = 3});
  nn::save_checkpoint(file_, {.loader = &training.batches});
  EXPECT_EQ(message({.loader = &few}),
            "its loader is at batch 3 of epoch 2, this one has 1 batches");
  EXPECT_STREQ(error_of([&] {
                 nn::save_checkpoint(file_, {.texts = {{"name", "\xff"}}});
               }).what(),
               "[save_checkpoint] a text or its name is not UTF-8. Convert it, or save it as a "
               "tensor of u8.");
}

/// A number of another type, too large or missing is told, and nothing has changed.
/// Files that were made by somebody else, from a good one.
TEST_F(CheckpointTest, RefusesWhatWasChanged) {
  Training training({});
  training.fit();
  nn::Linear net(2, 2, {.tensor = cpu()});
  nn::Adam optimizer(net.parameters());
  sum(net(ones({1, 2}, cpu()))).backward();
  optimizer.step();
  const Floats before = net.weight->to_vector<float>();
  const auto changed = [&](const auto& change) {
    nn::save_checkpoint(file_, {.model = &net, .optimizer = &optimizer});
    nn::TensorMap tensors = nn::load_safetensors(file_, cpu());
    auto metadata = nn::Safetensors(file_).metadata();
    tensors.at("model.weight").fill_(9);
    change(tensors, metadata.begin()->second);
    nn::save_safetensors(file_, tensors, metadata);
    return message({.model = &net, .optimizer = &optimizer});
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    return changed([&](nn::TensorMap&, std::string& numbers) {
      const std::size_t at = numbers.find(from);
      ASSERT_NE(at, std::string::npos) << numbers;
      numbers.replace(at, from.size(), to);
    });
  };
  EXPECT_EQ(changed([](nn::TensorMap& tensors, std::string&) { tensors.erase("optimizer.1.0"); }),
            "the tensor 'optimizer.1.0' is missing");
  EXPECT_EQ(changed([](nn::TensorMap& tensors, std::string&) {
              tensors["optimizer.1.0"] = zeros({2, 2}, {DType::i8, cpu()});
            }),
            "the tensor 'optimizer.1.0' has i8: expected floats");
  EXPECT_EQ(changed([](nn::TensorMap& tensors, std::string&) {
              tensors["optimizer.7.9"] = zeros({1}, cpu());
            }),
            "the optimiser has no 'optimizer.7.9'");
  EXPECT_EQ(changed([](nn::TensorMap& tensors, std::string&) { tensors["x"] = zeros({1}, cpu()); }),
            "'x' belongs to no part");
  EXPECT_EQ(replaced("\"learning_rate\":0.001", "\"learning_rate\":-1"), "its learning rate is -1");
  EXPECT_EQ(replaced("\"num_steps\":1", "\"num_steps\":-5"),
            "'optimizer/num_steps' is out of range: expected 0 to 2^53, got -5");
  EXPECT_EQ(
      replaced("[1,1]", "[1,9223372036854775807]"),
      "'optimizer/parameter_steps' is out of range: expected 0 to 2^53, got 9223372036854775807");
  EXPECT_EQ(replaced("\"num_lists\":2", "\"num_lists\":1"),
            "it has the state of another optimiser or model: expected 2 parameters with 2 tensors "
            "each, got 2 with 1");
  EXPECT_EQ(replaced("\"num_lists\":2", "\"num_lists\":[[2]]"),
            "'optimizer/num_lists' is no such number: array");
  EXPECT_EQ(replaced("\"num_lists\":2",
                     "\"num_lists\":" + std::string(100'000, '[') + std::string(100'000, ']')),
            "its numbers are nested too deeply. Save or download it again.");
  EXPECT_EQ(net.weight->to_vector<float>(), before);
}

TEST_F(CheckpointTest, ARefusedScheduleChangesNothing) {
  nn::Linear saved(2, 2, {.tensor = cpu()}), net(2, 2, {.tensor = cpu()});
  nn::SGD first(saved.parameters(), {.learning_rate = 0.5});
  nn::SGD optimizer(net.parameters(), {.learning_rate = 0.25});
  nn::Schedule three(first, nn::exponential(0.5));
  three.set_num_steps(3);
  nn::save_checkpoint(file_, {.model = &saved, .optimizer = &first, .schedule = &three});
  nn::Schedule two(optimizer, [](std::int64_t step) { return step < 3 ? 1.0 : -1.0; });
  const Floats before = net.weight->to_vector<float>();
  EXPECT_EQ(message({.model = &net, .optimizer = &optimizer, .schedule = &two}),
            "after its 3 steps the schedule has the learning rate -0.25");
  EXPECT_EQ(net.weight->to_vector<float>(), before);
  EXPECT_EQ(optimizer.learning_rate(), 0.25);
  EXPECT_EQ(two.num_steps(), 0);
  nn::Schedule good(optimizer, nn::exponential(0.5));
  EXPECT_EQ(message({.model = &net, .optimizer = &optimizer, .schedule = &good}), "no error");
  EXPECT_EQ(optimizer.learning_rate(), 0.25 / 8) << "of the schedule, not of the file";
}

/// The model of a training that is refused stays as it is.
TEST_F(CheckpointTest, AnotherProgramsCheckpointIsNoTrainers) {
  Training training({.num_epochs = 2, .checkpoint = file_, .resume = true});
  nn::Sequential other = classifier();
  other.parameters()[0].set(full({8, 2}, 9, cpu()));
  nn::save_checkpoint(file_, {.model = &other,
                              .optimizer = &training.optimizer,
                              .schedule = &training.schedule,
                              .loader = &training.batches,
                              .generator = default_generator(cpu().runtime())});
  const std::vector<Floats> before = training.values();
  EXPECT_INVALID(training.fit(), "[fit] the checkpoint '" + file_.string() +
                                     "' is of no trainer: expected a tensor 'position' f64 [9]. "
                                     "Resume from one that fit saved.");
  EXPECT_EQ(training.values(), before);
}

TEST_F(CheckpointTest, ABrokenModelReplacesNoCheckpoint) {
  nn::Sequential net = classifier();
  nn::SGD optimizer(net.parameters());
  nn::DataLoader batches = loader();
  int num_losses = 0;
  nn::Trainer trainer(net, optimizer,
                      [&](const Tensor& output, const Tensor& target) {
                        const Tensor loss = loss_of(output, target);
                        const bool is_bad = ++num_losses == 7;  // in the second epoch
                        return is_bad ? loss * std::numeric_limits<double>::quiet_NaN() : loss;
                      },
                      {.num_epochs = 3, .checkpoint = file_});
  EXPECT_EQ(trainer.fit(batches).reason, "the loss is nan at step 7");
  nn::Sequential kept = classifier();
  nn::Checkpoint parts{.model = &kept};
  nn::load_checkpoint(file_, parts);
  EXPECT_TRUE(std::isfinite(sum(kept.parameters()[0].value()).item<float>()));
  EXPECT_FALSE(std::isfinite(sum(net.parameters()[0].value()).item<float>()));
}

TEST(TrainerStopTest, AStopAtTheEndOfAnEpochLeavesNoEmptyEpoch) {
  nn::Trainer* trainer = nullptr;
  nn::TrainerOptions options{.num_epochs = 2};
  options.progress = [&](const nn::TrainingProgress& progress) {
    if (progress.kind == nn::TrainingProgress::Kind::kStep && progress.batch == 5) trainer->stop();
  };
  Training training(options);
  trainer = &training.trainer;
  EXPECT_EQ(training.trainer.fit(training.batches).reason, "stopped at step 5");
  const nn::TrainingReport report = training.trainer.fit(training.batches);
  EXPECT_EQ(report.reason, "stopped at step 5");
  EXPECT_EQ(report.num_steps, 5);
}

TEST(TrainerStopTest, EvaluatesAWholeEpochAndPutsTheModesBack) {
  nn::Sequential net = classifier();
  nn::SGD optimizer(net.parameters());
  nn::DataLoader all = loader(false);
  int num_losses = 0;
  nn::Trainer trainer(net, optimizer, [&](const Tensor& output, const Tensor& target) {
    if (++num_losses == 3) throw Error(ErrorCode::kIo, "[loss] no.");
    return loss_of(output, target);
  });
  net.as<nn::Dropout>(2).eval();
  EXPECT_ERROR(trainer.evaluate(all), ErrorCode::kIo, "[loss] no.");
  static_cast<void>(trainer.evaluate(all));
  EXPECT_EQ(num_losses, 3 + 5);
  EXPECT_TRUE(net.is_training());
  EXPECT_TRUE(net.as<nn::Linear>(0).is_training());
  EXPECT_FALSE(net.as<nn::Dropout>(2).is_training());
}

TEST_F(CheckpointTest, RefusesWrongNumbers) {
  Training training({});
  const std::vector<Floats> before = training.values();
  const auto with = [&](const std::string& numbers) {
    nn::save_safetensors(
        file_, {}, {{"patchbay.checkpoint", R"({"format": 1, "texts": {}, )" + numbers + "}"}});
    return message({.generator = Generator(0)});
  };
  EXPECT_EQ(with(R"("generator": {"seed": -1, "offset": 0})"),
            "'generator/seed' is no such number: -1");
  EXPECT_EQ(with(R"("generator": {"seed": 1.5, "offset": 0})"),
            "'generator/seed' is no such number: 1.5");
  EXPECT_EQ(with(R"("generator": {"seed": 18446744073709551616, "offset": 0})"),
            "'generator/seed' is no such number: 1.8446744073709552e+19");
  EXPECT_EQ(with(R"("generator": {"seed": 1})"), "'generator/offset' is missing");
  EXPECT_EQ(with(R"("generator": 3)"), "'generator/seed' is missing");
  EXPECT_EQ(training.values(), before);
}

}  // namespace
}  // namespace patchbay::test
