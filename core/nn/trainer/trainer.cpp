// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/nn/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <system_error>
#include <utility>

#include "patchbay/autograd.h"
#include "patchbay/concat.h"
#include "patchbay/copy.h"
#include "patchbay/nn/checkpoint.h"
#include "patchbay/ops.h"
#include "patchbay/runtime.h"

#include "core/base/error.h"
#include "core/nn/files/file.h"
#include "core/nn/files/module_state.h"
#include "core/nn/module/walk.h"
#include "core/nn/trainer/checkpoint.h"
#include "core/nn/trainer/history.h"

namespace patchbay::nn {

using base::raise;

namespace {

std::string text_of(const Tensor& tensor) {
  if (!tensor.defined()) return "an undefined tensor";
  return fmt::format("{} {}", patchbay::to_string(tensor.dtype()),
                     patchbay::to_string(tensor.shape()));
}

bool has_integers(const Tensor& tensor) {
  return tensor.defined() && !is_floating(tensor.dtype()) && tensor.dtype() != DType::boolean;
}

/// Whether these are operands of num_correct.
bool are_scores_and_classes(const Tensor& output, const Tensor& target) {
  return output.defined() && output.rank() == 2 && output.size(1) > 0 && has_integers(target) &&
         target.shape() == Shape{output.size(0)};
}

}  // namespace

Tensor num_correct(const Tensor& output, const Tensor& target) {
  if (!are_scores_and_classes(output, target)) {
    raise(has_integers(target) ? ErrorCode::kShapeMismatch : ErrorCode::kDtypeMismatch,
          "[num_correct] no scores with their classes: expected output [n, classes] and target [n] "
          "of integers, got {} and {}",
          text_of(output), text_of(target));
  }
  return sum(
      eq(argmax(output, 1), target.dtype() == DType::i64 ? target : target.cast(DType::i64)));
}

struct Trainer::State {
  Module* model;
  std::unique_ptr<Module> parallel;  // with several devices
  Optimizer* optimizer;
  LossFunction loss;  // one of the two
  BatchLossFunction batch_loss;
  TrainerOptions options;
  int num_devices_asked = 0;
  std::vector<Device> devices;
  bool stops = false;

  /// What computes a batch.
  Module& computing() { return parallel != nullptr ? *parallel : *model; }
  void move_model() {
    const CopyTag tag("model");
    model->move_to(devices.front());
  }
  /// The two have modes of their own; parameters are the same.
  void train(bool is_training) {
    model->train(is_training);
    computing().train(is_training);
  }
  void set_modes(const std::vector<bool>& modes) {
    module::set_modes(*model, modes);
    module::set_modes(computing(), modes);
  }
};

namespace {

/// What is known of a batch that was computed.
struct Outcome {
  Tensor loss;    // 0-d
  Tensor output;  // undefined with a BatchLossFunction
};

/// The tensors on the device, in counted copies.
Batch bring(const Batch& batch, const Device& device) {
  const CopyTag tag("batch");
  Batch result;
  for (const Tensor& tensor : batch) result.push_back(tensor.to(device, {.non_blocking = true}));
  return result;
}

/// The values of 0-d tensors of one device, by one copy.
std::vector<double> fetch(const std::vector<Tensor>& scalars) {
  if (scalars.empty()) return {};
  const NoGrad no_grad;
  const CopyTag tag("loss");
  std::vector<Tensor> alike;
  const bool is_f64 = scalars[0].dtype() == DType::f64;
  for (const Tensor& each : scalars) {
    alike.push_back(each.reshape({}).cast(is_f64 ? DType::f64 : DType::f32));
  }
  return stack(alike).to_vector<double>();
}

void check_scalar(const Tensor& value, const char* what, bool is_float) {
  const bool fits =
      value.defined() && value.num_elements() == 1 && (!is_float || is_floating(value.dtype()));
  if (fits) return;
  raise(ErrorCode::kInvalidArgument,
        "[Trainer] the {} gave a wrong value: expected one {}, got {}. Return {}.", what,
        is_float ? "float" : "number", text_of(value),
        is_float ? "the mean of the samples' losses" : "a sum or a mean over the samples");
}

void check_batch(const Batch& batch) {
  if (!batch.empty() && batch.front().defined() && batch.front().rank() > 0) return;
  raise(ErrorCode::kInvalidArgument,
        "[Trainer] a batch without samples: expected tensors with the samples along their first "
        "dimension");
}

template <class S>
Outcome compute(S& state, const Batch& batch) {
  Outcome result;
  if (state.loss) {
    result.output = state.computing()(batch.front());
    result.loss = state.loss(result.output, batch.back());
  } else {
    result.loss = state.batch_loss(state.computing(), batch);
  }
  check_scalar(result.loss, "loss", true);
  return result;
}

/// Whether there is such a file. Errors: kIo if the system can't tell.
bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  const bool result = std::filesystem::exists(file, error);
  if (!error) return result;
  files::raise_io("fit", "can't open the file", file, error.value());
}

}  // namespace

// ------------------------------------------------------------------------------- one training ---

/// One call of fit().
class Trainer::Run {
 public:
  Run(Trainer& trainer, DataLoader& training, DataLoader* validation)
      : trainer_(trainer),
        state_(*trainer.state_),
        options_(state_.options),
        training_(training),
        validation_(validation) {}

  TrainingReport operator()();

 private:
  using Kind = TrainingProgress::Kind;

  bool ends_early() const {
    return options_.early_stop && at_.epochs_without_best >= options_.early_stop->patience;
  }
  void resume();
  Checkpoint parts() const;
  void check_files() const;
  void save() const;
  void run_epoch();
  void make_step(const Batch& batch);
  void take_losses();
  void add_row();
  void end_unless_finite(double loss, const char* name, std::int64_t step);
  void end_epoch();
  void note_best(double value);
  void tell(Kind kind, const LossRow* row = nullptr, const EpochRow* epoch = nullptr) const;

  Trainer& trainer_;
  State& state_;
  const TrainerOptions& options_;
  DataLoader& training_;
  DataLoader* const validation_;
  trainer::Position at_;
  TrainingHistory history_;
  std::vector<Tensor> pending_;  // losses of steps, on the device
  trainer::CsvLog csv_;
  std::string reason_;
  bool is_broken_ = false;  // the model is of no use, and the last checkpoint may be
};

Checkpoint Trainer::Run::parts() const {
  return {.model = state_.model,
          .optimizer = state_.optimizer,
          .schedule = options_.schedule,
          .loader = &training_,
          .generator = default_generator(state_.devices.front().runtime())};
}

void Trainer::Run::resume() {
  const auto& file = options_.checkpoint;
  if (!options_.resume || !is_there(file)) return;
  Checkpoint parts = this->parts();
  trainer::load_checkpoint_if("fit", file, parts, [&](const files::HostTables& tables) {
    at_ = trainer::read_position(tables, file);
    history_ = trainer::read_history(tables, file);
  });
}

/// Whoever trains for hours learns of a folder that is not there now.
void Trainer::Run::check_files() const {
  for (const auto* const file : {&options_.checkpoint, &options_.best_model, &options_.plot}) {
    if (!file->empty()) files::AtomicFile(*file, "fit");
  }
}

void Trainer::Run::save() const {
  if (options_.checkpoint.empty() || is_broken_) return;
  files::HostTables tables;
  trainer::save_position(at_, tables);
  trainer::save_history(history_, tables);
  trainer::save_checkpoint("fit", options_.checkpoint, parts(), tables);
}

void Trainer::Run::tell(Kind kind, const LossRow* row, const EpochRow* epoch) const {
  if (!options_.progress) return;
  options_.progress(
      {.kind = kind,
       .epoch = at_.epoch,
       .num_epochs = options_.num_epochs,
       .batch = kind == Kind::kEpoch ? training_.num_batches() : training_.state().batch,
       .num_batches = training_.num_batches(),
       .num_devices_asked = state_.num_devices_asked,
       .devices = &state_.devices,
       .row = row,
       .epoch_row = epoch});
}

/// Fetches the losses that are on the device.
void Trainer::Run::take_losses() {
  std::int64_t step = at_.step - static_cast<std::int64_t>(pending_.size());
  for (const double loss : fetch(std::exchange(pending_, {}))) {
    ++step;
    end_unless_finite(loss, "loss", step);
    at_.row_sum += loss;
    at_.epoch_sum += loss;
    ++at_.row_count;
    ++at_.epoch_count;
  }
}

void Trainer::Run::add_row() {
  take_losses();
  const double loss = at_.row_sum / static_cast<double>(at_.row_count);
  history_.losses.push_back({at_.epoch, at_.step, loss, state_.optimizer->learning_rate()});
  at_.row_sum = 0;
  at_.row_count = 0;
  csv_.add(history_.losses.back());
}

void Trainer::Run::end_unless_finite(double loss, const char* name, std::int64_t step) {
  if (!options_.stops_if_not_finite || std::isfinite(loss) || !reason_.empty()) return;
  reason_ = fmt::format("the {} is {} at step {}", name, base::printed(loss), step);
  is_broken_ = true;
}

void Trainer::Run::make_step(const Batch& batch) {
  state_.optimizer->zero_grad();
  const Outcome outcome = compute(state_, bring(batch, state_.devices.front()));
  outcome.loss.backward();
  if (options_.clip_norm) (void)clip_grad_norm(state_.optimizer->parameters(), *options_.clip_norm);
  state_.optimizer->step();
  pending_.push_back(outcome.loss.detach());
  ++at_.step;
}

void Trainer::Run::run_epoch() {
  state_.train(true);
  while (true) {
    const std::optional<Batch> batch = training_.next();
    if (!batch) return end_epoch();
    check_batch(*batch);
    make_step(*batch);
    const bool has_row = at_.step % options_.log_every == 0;
    if (has_row) add_row();
    if (options_.schedule != nullptr && options_.schedule_per_step) options_.schedule->step();
    tell(Kind::kStep, has_row ? &history_.losses.back() : nullptr);
    if (options_.checkpoint_every > 0 && at_.step % options_.checkpoint_every == 0) {
      take_losses();
      save();
    }
    if (state_.stops && reason_.empty()) reason_ = fmt::format("stopped at step {}", at_.step);
    if (!reason_.empty()) break;
  }
  take_losses();
  save();
}

void Trainer::Run::note_best(double value) {
  const double least = options_.early_stop ? options_.early_stop->min_delta : 0;
  const bool is_better = at_.best_epoch < 0 ? !std::isnan(value) : value < at_.best - least;
  if (!is_better) {
    ++at_.epochs_without_best;
    return;
  }
  at_.best = value;
  at_.best_epoch = at_.epoch;
  at_.epochs_without_best = 0;
  if (!options_.best_model.empty()) files::save_module(*state_.model, options_.best_model, "fit");
}

void Trainer::Run::end_epoch() {
  take_losses();
  EpochRow row{at_.epoch, at_.step, at_.epoch_sum / static_cast<double>(at_.epoch_count), {}};
  at_.epoch_sum = 0;
  at_.epoch_count = 0;
  if (validation_ != nullptr) {
    // The order of its samples does not depend on where the training was interrupted.
    validation_->set_state({validation_->state().seed, at_.epoch, 0});
    row.validation = trainer_.evaluate(*validation_);
    end_unless_finite(row.validation->loss, "validation's loss", at_.step);
  }
  history_.epochs.push_back(row);
  csv_.add(row);
  note_best(row.validation ? row.validation->loss : row.loss);
  if (options_.schedule != nullptr && !options_.schedule_per_step) options_.schedule->step();
  tell(Kind::kEpoch, nullptr, &history_.epochs.back());
  ++at_.epoch;
  save();
  if (!options_.plot.empty()) save_loss_plot(options_.plot, history_);
  if (state_.stops && reason_.empty()) reason_ = fmt::format("stopped at step {}", at_.step);
}

TrainingReport Trainer::Run::operator()() {
  const auto begin = std::chrono::steady_clock::now();
  state_.move_model();
  if (training_.num_batches() == 0) {
    raise(ErrorCode::kInvalidArgument,
          "[fit] the loader has no batches: {} samples, {} a batch. Add samples, or take a smaller "
          "batch_size.",
          training_.dataset().size(), training_.options().batch_size);
  }
  state_.stops = false;
  check_files();
  resume();
  csv_.open(options_.csv, history_);
  // A call before may have ended with the last batch of an epoch.
  const bool is_over = training_.state().batch == training_.num_batches();
  if (is_over && at_.epoch_count == 0) (void)training_.next();
  tell(Kind::kBegin);
  while (reason_.empty()) {
    if (at_.epoch >= options_.num_epochs) {
      reason_ = "all epochs are done";
    } else if (ends_early()) {
      reason_ = fmt::format("no better loss in {} epochs", options_.early_stop->patience);
    } else {
      run_epoch();
    }
  }
  state_.train(false);
  tell(Kind::kEnd);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {state_.num_devices_asked, state_.devices, at_.epoch,       at_.step,           reason_,
          at_.best_epoch,           at_.best,       seconds.count(), std::move(history_)};
}

// ------------------------------------------------------------------------------------ Trainer ---

namespace {

void check_options(const TrainerOptions& options) {
  const auto check = [](bool holds, const char* name, const char* expected, auto value) {
    if (holds) return;
    raise(ErrorCode::kInvalidArgument, "[Trainer] a wrong {}: expected {}, got {}", name, expected,
          value);
  };
  check(options.num_epochs >= 0, "num_epochs", "a number >= 0", options.num_epochs);
  check(options.log_every >= 1, "log_every", "a number >= 1", options.log_every);
  check(options.checkpoint_every >= 0, "checkpoint_every", "a number >= 0",
        options.checkpoint_every);
  check(!options.num_gpus || *options.num_gpus >= 1, "num_gpus", "a number >= 1",
        options.num_gpus.value_or(0));
  check(!options.clip_norm || *options.clip_norm > 0, "clip_norm", "a number > 0",
        options.clip_norm.value_or(0));
  check(!options.early_stop || options.early_stop->patience >= 1, "patience", "a number >= 1",
        options.early_stop ? options.early_stop->patience : 0);
  check(!options.early_stop || std::isfinite(options.early_stop->min_delta), "min_delta",
        "a finite number", options.early_stop ? options.early_stop->min_delta : 0);
  if (options.num_gpus && !options.devices.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[Trainer] both devices and num_gpus: expected one of them. Leave one out.");
  }
  if (options.checkpoint.empty() && (options.checkpoint_every > 0 || options.resume)) {
    raise(ErrorCode::kInvalidArgument,
          "[Trainer] no checkpoint: checkpoint_every and resume need the file's name. Set the "
          "option checkpoint.");
  }
  for (const auto* const file :
       {&options.checkpoint, &options.best_model, &options.csv, &options.plot}) {
    files::checked_name(*file, "Trainer");
  }
}

void check_parameters(Module& model, const Optimizer& optimizer) {
  const std::vector<Parameter> mine = model.parameters();
  const bool shares = std::ranges::any_of(optimizer.parameters(), [&](const Parameter& each) {
    return std::ranges::find(mine, each) != mine.end();
  });
  if (shares) return;
  raise(ErrorCode::kInvalidArgument,
        "[Trainer] the optimiser has no parameter of the model: expected one that was made with "
        "model.parameters()");
}

std::vector<Device> devices_for(Module& model, const TrainerOptions& options) {
  if (!options.devices.empty()) return options.devices;
  if (!options.num_gpus) return {model.parameters().front().device()};
  const Runtime runtime = model.parameters().front().device().runtime();
  const int used = std::min(*options.num_gpus, runtime.num_gpus());
  std::vector<Device> devices;
  for (int i = 0; i < used; ++i) devices.push_back(runtime.try_gpu(i));
  if (devices.empty()) devices.push_back(runtime.first_cpu());
  return devices;
}

}  // namespace

Trainer::Trainer(Module& model, const Maker& parallel, Optimizer& optimizer, LossFunction loss,
                 BatchLossFunction batch_loss, TrainerOptions options) {
  if (!loss && !batch_loss) {
    raise(ErrorCode::kInvalidArgument, "[Trainer] no loss: expected a function");
  }
  check_options(options);
  check_parameters(model, optimizer);
  std::vector<Device> devices = devices_for(model, options);
  if (devices.size() > 1 && !parallel) {
    raise(ErrorCode::kUnsupported,
          "[Trainer] {} devices for a Module&: expected an object of a class that can be copied, "
          "for replicas, or one device",
          devices.size());
  }
  const int asked = options.num_gpus.value_or(static_cast<int>(devices.size()));
  state_ = std::make_unique<State>();
  state_->model = &model;
  if (devices.size() > 1) state_->parallel = parallel(devices, options.data_parallel);
  state_->optimizer = &optimizer;
  state_->loss = std::move(loss);
  state_->batch_loss = std::move(batch_loss);
  state_->options = std::move(options);
  state_->num_devices_asked = asked;
  state_->devices = std::move(devices);
}

Trainer::~Trainer() = default;

TrainingReport Trainer::fit(DataLoader& training, DataLoader* validation) {
  return Run(*this, training, validation)();
}

void Trainer::stop() { state_->stops = true; }

int Trainer::num_devices_asked() const { return state_->num_devices_asked; }

const std::vector<Device>& Trainer::devices() const { return state_->devices; }

namespace {

/// Calls a function when the scope ends.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> function) : function_(std::move(function)) {}
  ~AtEnd() { function_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  const std::function<void()> function_;
};

}  // namespace

Evaluation Trainer::evaluate(DataLoader& loader) {
  const NoGrad no_grad;
  state_->move_model();
  const std::vector<bool> modes = module::modes_of(*state_->model);
  const AtEnd back([&] { state_->set_modes(modes); });
  // A whole epoch, also after one that an exception ended.
  if (DataLoader::State position = loader.state(); position.batch != 0) {
    position.batch = 0;
    loader.set_state(position);
  }
  state_->train(false);
  std::vector<Tensor> losses, metrics;
  std::vector<double> sizes;
  while (const std::optional<Batch> batch = loader.next()) {
    check_batch(*batch);
    const Batch here = bring(*batch, state_->devices.front());
    const Outcome outcome = compute(*state_, here);
    losses.push_back(outcome.loss);
    sizes.push_back(static_cast<double>(here.front().size(0)));
    if (const Metric& metric = state_->options.metric) {
      if (!outcome.output.defined()) continue;
      metrics.push_back(metric(outcome.output, here.back()));
    } else if (are_scores_and_classes(outcome.output, here.back())) {
      metrics.push_back(num_correct(outcome.output, here.back()));
    } else {
      continue;
    }
    check_scalar(metrics.back(), "metric", false);
  }
  if (losses.empty()) {
    raise(ErrorCode::kInvalidArgument,
          "[evaluate] the loader has no batches: {} samples. Add samples, or take a smaller "
          "batch_size.",
          loader.dataset().size());
  }
  Evaluation sums;
  double count = 0;
  const std::vector<double> values = fetch(losses);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums.loss += values[i] * sizes[i];
    count += sizes[i];
  }
  for (const double value : fetch(metrics)) sums.metric += value;
  return {sums.loss / count, sums.metric / count};
}

}  // namespace patchbay::nn
