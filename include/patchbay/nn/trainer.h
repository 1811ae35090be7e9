// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The loop of training, with progress, evaluation, early stop and checkpoints: docs/training.md.
//
//   nn::Trainer trainer(net, optimizer, nn::CrossEntropyLoss(), {.num_epochs = 5, .num_gpus = 1});
//   const nn::TrainingReport report = trainer.fit(training, &validation);
#ifndef PATCHBAY_NN_TRAINER_H_
#define PATCHBAY_NN_TRAINER_H_

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/nn/data.h"
#include "patchbay/nn/data_parallel.h"
#include "patchbay/nn/module.h"
#include "patchbay/nn/optimizer.h"
#include "patchbay/nn/schedule.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

/// The mean loss (0-d) of a batch: of the model's output and the batch's last tensor.
using LossFunction = std::function<Tensor(const Tensor& output, const Tensor& target)>;
/// The mean loss (0-d) of a model and a whole batch: for models that take other operands.
using BatchLossFunction = std::function<Tensor(Module& model, const Batch& batch)>;
/// A sum over the samples of a batch (0-d), of the model's output and the batch's last tensor.
using Metric = std::function<Tensor(const Tensor& output, const Tensor& target)>;

/// The number of rows (0-d, i64) of `output` [n, classes] whose largest element is at the index
/// that `target` [n], of integers, has. Errors: kShapeMismatch, kDtypeMismatch.
[[nodiscard]] PATCHBAY_API Tensor num_correct(const Tensor& output, const Tensor& target);

/// Means over a whole dataset.
struct Evaluation {
  double loss = 0;
  double metric = 0;  // the accuracy, with num_correct; 0 without a metric
};

/// The loss at some steps.
struct LossRow {
  std::int64_t epoch = 0;  // from 0
  std::int64_t step = 0;   // the steps that were made by then, over all epochs
  double loss = 0;         // the mean since the row before
  double learning_rate = 0;
};
struct EpochRow {
  std::int64_t epoch = 0;  // from 0
  std::int64_t step = 0;   // at its end
  double loss = 0;         // the mean over its steps
  std::optional<Evaluation> validation = {};
};
struct TrainingHistory {
  std::vector<LossRow> losses;
  std::vector<EpochRow> epochs;
};

/// A plot of the losses over the steps, as SVG; the file appears whole or not at all. Errors: kIo.
PATCHBAY_API void save_loss_plot(const std::filesystem::path& file, const TrainingHistory& history,
                                 const std::string& title = "loss");

/// What the progress sink is told.
struct TrainingProgress {
  enum class Kind : std::uint8_t {
    kBegin,  // before the first step
    kStep,   // after each step; a loss row was fetched if `row` is set
    kEpoch,  // at the end of an epoch, evaluated
    kEnd
  };
  Kind kind;
  std::int64_t epoch = 0, num_epochs = 0;
  std::int64_t batch = 0, num_batches = 0;  // batches of this epoch that are done
  int num_devices_asked = 0;
  const std::vector<Device>* devices;  // that are used
  const LossRow* row = nullptr;
  const EpochRow* epoch_row = nullptr;
};

/// Ends the training when the monitored value has not improved by more than `min_delta` in
/// `patience` epochs: the validation's loss, or the training's without validation.
struct EarlyStop {
  std::int64_t patience = 3;
  double min_delta = 0;
};

struct TrainerOptions {
  std::int64_t num_epochs = 1;
  /// Where to train. Several: replicas of the model compute parts of each batch (DataParallel).
  std::vector<Device> devices = {};
  DataParallelOptions data_parallel = {};  // with several devices
  /// Instead of `devices`: so many GPUs, or as many as there are; first_cpu() if there is none.
  /// Without both, the model stays where its first parameter is.
  std::optional<int> num_gpus = {};
  /// The loss stays on the device, and is fetched every so many steps, in one copy.
  std::int64_t log_every = 50;
  /// Limits the common norm of all gradients.
  std::optional<double> clip_norm = {};
  /// Stepped after each epoch, or each step. It must outlive the trainer.
  Schedule* schedule = nullptr;
  bool schedule_per_step = false;
  std::optional<EarlyStop> early_stop = {};
  /// Ends the training when a loss, or the validation's, is infinite or not a number. It is seen
  /// when losses are fetched.
  bool stops_if_not_finite = true;
  /// Empty: num_correct, where output and target are its operands; no metric elsewhere.
  Metric metric = {};
  /// The program's sink; the trainer prints nothing. Called on the thread of fit().
  std::function<void(const TrainingProgress&)> progress = {};

  // Files; none is written unless named.
  /// Written at the end of each epoch and, if not 0, after every `checkpoint_every` steps.
  std::filesystem::path checkpoint = {};
  std::int64_t checkpoint_every = 0;
  /// Goes on from the checkpoint if that file is there.
  bool resume = false;
  /// The model (safetensors) with the best monitored value so far.
  std::filesystem::path best_model = {};
  /// A table of the loss rows and epochs; a resumed training goes on with it. The file is replaced
  /// when the training begins, as the others are: a symbolic link is not followed.
  std::filesystem::path csv = {};
  std::filesystem::path plot = {};  // SVG, at the end of each epoch
};

struct TrainingReport {
  int num_devices_asked = 0;
  std::vector<Device> devices;                 // that were used
  std::int64_t num_epochs = 0, num_steps = 0;  // resumed ones included
  std::string reason;                          // why it ended
  std::int64_t best_epoch = -1;                // -1 without an epoch
  double best = 0;                             // the monitored value then
  double seconds = 0;                          // of this call
  TrainingHistory history;
};

/// Trains a model. It moves the model and each batch to the device, in copies that the ledger
/// counts under the tags "model" and "batch", and the values that it fetches under "loss". Used by
/// one thread at a time. Model and optimiser must outlive it.
class PATCHBAY_API Trainer {
 public:
  /// `loss` gets the output of model(batch[0]). Errors: kInvalidArgument for wrong numbers, for a
  /// file's name with NUL, for `devices` beside `num_gpus`, and for an optimiser that has no
  /// parameter of the model; kUnsupported for several devices and a model that is given as a
  /// Module&, which can't be copied.
  template <std::derived_from<Module> M>
  Trainer(M& model, Optimizer& optimizer, LossFunction loss, TrainerOptions options = {})
      : Trainer(model, maker_of(model), optimizer, std::move(loss), {}, std::move(options)) {}
  template <std::derived_from<Module> M>
  Trainer(M& model, Optimizer& optimizer, BatchLossFunction loss, TrainerOptions options = {})
      : Trainer(model, maker_of(model), optimizer, {}, std::move(loss), std::move(options)) {}
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Trains for the epochs of the options, in the mode of training; evaluates after each on
  /// `validation`, in the order that its loader has for an epoch of this number. The model is left
  /// in evaluation mode. An exception of the model, the loss, the data or the sink leaves it as it
  /// is; a checkpoint that was written can be resumed. Errors: kIo for files that can't be read or
  /// written, of which a folder that takes no file is seen before the first step; those of
  /// load_checkpoint.
  TrainingReport fit(DataLoader& training, DataLoader* validation = nullptr);
  /// Ends fit() after the current step: for the sink.
  void stop();
  /// Means over one epoch of the loader, on the trainer's first device, without gradients and in
  /// evaluation mode.
  Evaluation evaluate(DataLoader& loader);

  int num_devices_asked() const;
  /// The devices that fit() uses.
  const std::vector<Device>& devices() const;

 private:
  struct State;
  class Run;
  /// Makes the model's DataParallel.
  using Maker = std::function<std::unique_ptr<Module>(const std::vector<Device>& devices,
                                                      const DataParallelOptions& options)>;

  template <class M>
  static Maker maker_of(M& model) {
    if constexpr (std::copy_constructible<M>) {
      return [&model](const std::vector<Device>& devices, const DataParallelOptions& options) {
        return std::make_unique<DataParallel>(AnyModule(model), devices, options);
      };
    } else {
      return {};
    }
  }
  Trainer(Module& model, const Maker& parallel, Optimizer& optimizer, LossFunction loss,
          BatchLossFunction batch_loss, TrainerOptions options);

  std::unique_ptr<State> state_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_TRAINER_H_
