// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Optimisers and schedules of learning rates: docs/modules.md. An optimiser changes parameters in
// place, on whatever device each of them is; nothing waits for the device. It keeps handles of the
// parameters, so that it goes on with a model that was moved.
#ifndef PATCHBAY_NN_OPTIMIZER_H_
#define PATCHBAY_NN_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/nn/parameter.h"
#include "patchbay/tensor.h"
#include "patchbay/updates.h"

namespace patchbay::nn {

class PATCHBAY_API Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Changes the parameters by their gradients; those without a gradient stay as they are. Queued.
  /// Errors, before anything changes: kInvalidArgument if a lazy layer has no shape yet;
  /// kShapeMismatch and kDeviceMismatch if a parameter got a tensor of another shape, or elsewhere,
  /// other than by a move of its module.
  void step();
  /// Removes the gradients of all parameters.
  void zero_grad();

  double learning_rate() const { return learning_rate_; }
  /// Errors: kInvalidArgument unless it is finite and not negative.
  void set_learning_rate(double rate);
  /// The number of steps that were made.
  std::int64_t num_steps() const { return num_steps_; }
  std::span<const Parameter> parameters() const { return parameters_; }

  /// What the optimiser keeps, which is all that a checkpoint needs: for each parameter the number
  /// of steps with a gradient, and one tensor in each list, undefined before the first such step.
  struct State {
    std::int64_t num_steps = 0;
    std::vector<std::int64_t> parameter_steps;
    std::vector<std::vector<Tensor>> lists;
  };
  /// Shares the tensors.
  State state() const;
  /// Copies the tensors to where the parameters are. Errors: kInvalidArgument for another number of
  /// lists or tensors; kShapeMismatch.
  void set_state(const State& state);

 protected:
  /// `num_lists` tensors are kept for each parameter. Errors: kInvalidArgument for no parameters, a
  /// parameter that occurs twice, and a wrong rate.
  Optimizer(std::vector<Parameter> parameters, double learning_rate, std::size_t num_lists);
  /// Changes parameters whose gradients are defined, and which have their step number `step`, from
  /// 1. `lists` are those of the state, zeros at first.
  virtual void update(const TensorList& parameters, const TensorList& gradients,
                      const std::vector<TensorList>& lists, std::int64_t step) = 0;

 private:
  void prepare();

  std::vector<Parameter> parameters_;
  double learning_rate_;
  std::int64_t num_steps_ = 0;
  std::vector<std::int64_t> parameter_steps_;
  /// Shared with the parameters, which take them along when they move.
  std::vector<std::vector<std::shared_ptr<Tensor>>> lists_;
};

/// sgd_update of updates.h.
class PATCHBAY_API SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Parameter> parameters, const SgdOptions& options = {});

 private:
  void update(const TensorList& parameters, const TensorList& gradients,
              const std::vector<TensorList>& lists, std::int64_t step) override;

  SgdOptions options_;
};

/// adam_update of updates.h.
class PATCHBAY_API Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Parameter> parameters, const AdamOptions& options = {});

 private:
  void update(const TensorList& parameters, const TensorList& gradients,
              const std::vector<TensorList>& lists, std::int64_t step) override;

  AdamOptions options_;
};

/// Adam with decoupled weight decay, of 0.01 unless given.
class PATCHBAY_API AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Parameter> parameters, AdamOptions options = {.weight_decay = 0.01});
};

/// Limits the gradients of the parameters: clip_by_norm and clip_by_value of updates.h. Parameters
/// without a gradient count for nothing.
PATCHBAY_API Tensor clip_grad_norm(std::span<const Parameter> parameters, double most);
PATCHBAY_API void clip_grad_value(std::span<const Parameter> parameters, double limit);

/// The learning rate as a function of the number of steps of the schedule (epochs, usually).
/// Constructing it sets the rate of step 0.
class PATCHBAY_API Schedule {
 public:
  /// The factor of the optimiser's first rate in step `step`. The optimiser must outlive the
  /// schedule. Errors: kInvalidArgument if a factor makes no valid rate.
  Schedule(Optimizer& optimizer, std::function<double(std::int64_t step)> factor);
  /// Sets the rate of the next step.
  void step();
  std::int64_t num_steps() const { return num_steps_; }
  /// For checkpoints: goes on from there.
  void set_num_steps(std::int64_t steps);

 private:
  void apply();

  Optimizer* optimizer_;
  std::function<double(std::int64_t)> factor_;
  double first_rate_;
  std::int64_t num_steps_ = 0;
};

// Factors for Schedule. Errors: kInvalidArgument for sizes below 1.
/// gamma^(step / size), rounded down.
PATCHBAY_API std::function<double(std::int64_t)> step_decay(std::int64_t size, double gamma = 0.1);
/// gamma to the number of milestones that are not above the step.
PATCHBAY_API std::function<double(std::int64_t)> milestones(std::vector<std::int64_t> at,
                                                            double gamma = 0.1);
/// gamma^step.
PATCHBAY_API std::function<double(std::int64_t)> exponential(double gamma);
/// From 1 to `last` along half a cosine in `steps` steps, and back likewise (Loshchilov and Hutter,
/// SGDR, 2017, without restarts).
PATCHBAY_API std::function<double(std::int64_t)> cosine(std::int64_t steps, double last = 0);
/// From `first` to `last` in equal steps, then `last`.
PATCHBAY_API std::function<double(std::int64_t)> linear_ramp(std::int64_t steps, double first,
                                                             double last = 1);

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_OPTIMIZER_H_
