// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Optimisers: docs/modules.md. An optimiser changes parameters in place, on whatever device each of
// them is; nothing waits for the device. It keeps handles of the parameters, so that it goes on
// with a model that was moved.
//
// Parameters of f16 and bf16 have master weights: the optimiser keeps an f32 copy of each of them
// and all of its state in f32, changes the copy by the gradient, converted to f32, and rounds it to
// the parameter. Without it, a change of less than half a unit in the last place would be lost each
// time. What something else writes to the parameter counts: the copy follows it.
#ifndef PATCHBAY_NN_OPTIMIZER_H_
#define PATCHBAY_NN_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/nn/parameter.h"
#include "patchbay/tensor.h"
#include "patchbay/tensor_or_scalar.h"
#include "patchbay/updates.h"

namespace patchbay::nn {

class StepNumbers;

/// What optimisers share: parameters, the learning rate, steps and the state for checkpoints.
class PATCHBAY_API Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Changes the parameters by their gradients; those without a gradient stay as they are. Queued.
  /// `gradient_factor` multiplies the gradients, in f32 for those of 16 bits: for losses that were
  /// scaled. Errors, before anything changes: kInvalidArgument if a lazy layer has no shape yet, if
  /// a parameter can't be written (check_writable of updates.h), or if the factor is not finite;
  /// kShapeMismatch and kDeviceMismatch if a parameter got a tensor of another shape, or elsewhere,
  /// other than by a move of its module. After a launch that failed, some parameters may have
  /// changed and others not: load a checkpoint.
  ///
  /// In a recording, replays count the steps and read the learning rate of that moment: what the
  /// optimiser keeps, and the counts and the rate as elements of the devices, is made outside of
  /// the recording. From then on num_steps, state and the first step after a move of parameters
  /// fetch these elements in counted copies, and block; set_state writes to the tensors that state
  /// shares: clone them to keep them.
  void step(double gradient_factor = 1);
  /// Removes the gradients of all parameters.
  void zero_grad();

  /// Fetches a number only if set_learning_rate was recorded, which each replay repeats.
  double learning_rate() const;
  /// Also for replays of recorded steps. Errors: kInvalidArgument unless it is finite and not
  /// negative.
  void set_learning_rate(double rate);
  /// The number of steps that were made. Once a step was recorded: fetches one number; blocks.
  std::int64_t num_steps() const;
  std::span<const Parameter> parameters() const { return parameters_; }

  /// What the optimiser keeps, which is all that a checkpoint needs: for each parameter the number
  /// of steps with a gradient, and one tensor in each list, undefined before the first such step.
  struct State {
    std::int64_t num_steps = 0;
    std::vector<std::int64_t> parameter_steps;
    std::vector<std::vector<Tensor>> lists;
    /// Whether master weights are one list more, the last one, undefined for other parameters.
    bool has_masters = false;
  };
  /// The tensors that are kept for each parameter, besides master weights.
  std::size_t num_lists() const { return lists_.size(); }
  /// Shares the tensors.
  State state() const;
  /// Copies the tensors to where the parameters are. Errors: kInvalidArgument for another number of
  /// lists or tensors, steps below 0, and a tensor that is missing; kShapeMismatch; kDtypeMismatch
  /// for a tensor that has no floats.
  void set_state(const State& state);

 protected:
  /// `num_lists` tensors are kept for each parameter. Errors: kInvalidArgument for no parameters, a
  /// parameter that occurs twice, and a wrong rate.
  Optimizer(std::vector<Parameter> parameters, double learning_rate, std::size_t num_lists);
  /// Changes parameters whose gradients are defined, and which have their step number `step`, from
  /// 1. `lists` are those of the state, zeros at first. All are f32 for parameters of 16 bits.
  virtual void update(const TensorList& parameters, const TensorList& gradients,
                      const std::vector<TensorList>& lists, std::int64_t step) = 0;
  /// Changes parameters in a step that is recorded, and in all later ones: step and rate are
  /// elements of the devices, given for each parameter. Where `applies` is defined and false,
  /// nothing may change. The default refuses with kInvalidArgument.
  virtual void update_recorded(const TensorList& parameters, const TensorList& gradients,
                               const std::vector<TensorList>& lists,
                               std::span<const UpdateNumbers> numbers);

 private:
  friend class LossScaler;
  struct Part;
  /// A step with the gradients times `factor`, where `applies` is undefined or true.
  void change(const TensorOrScalar& factor, const Tensor& applies);
  void change_by_counts(const TensorOrScalar& factor);
  void change_by_numbers(const TensorOrScalar& factor, const Tensor& applies);
  void make_numbers();
  void check_parameters() const;
  void prepare();
  void prepare_list(Tensor& kept, std::size_t number) const;
  void prepare_master(std::size_t number);

  std::vector<Parameter> parameters_;
  double learning_rate_;
  std::int64_t num_steps_ = 0;
  std::vector<std::int64_t> parameter_steps_;
  /// Shared with the parameters, which take them along when they move.
  std::vector<std::vector<std::shared_ptr<Tensor>>> lists_;
  std::vector<std::shared_ptr<Tensor>> masters_;
  std::unique_ptr<StepNumbers> numbers_;  // null before the first recording
  bool has_recorded_ = false;             // a step: the counts are on the devices
  bool records_rate_ = false;             // replays set the rate
};

/// sgd_update of updates.h.
class PATCHBAY_API SGD : public Optimizer {
 public:
  /// Errors: kInvalidArgument for a momentum or decay below 0, for options that are not finite, and
  /// for `nesterov` without momentum or with dampening.
  explicit SGD(std::vector<Parameter> parameters, const SgdOptions& options = {});

 private:
  void update(const TensorList& parameters, const TensorList& gradients,
              const std::vector<TensorList>& lists, std::int64_t step) override;
  void update_recorded(const TensorList& parameters, const TensorList& gradients,
                       const std::vector<TensorList>& lists,
                       std::span<const UpdateNumbers> numbers) override;

  SgdOptions options_;
};

/// adam_update of updates.h.
class PATCHBAY_API Adam : public Optimizer {
 public:
  /// Errors: kInvalidArgument for a beta outside of [0, 1), and an epsilon or decay that is below 0
  /// or not finite.
  explicit Adam(std::vector<Parameter> parameters, const AdamOptions& options = {});

 private:
  void update(const TensorList& parameters, const TensorList& gradients,
              const std::vector<TensorList>& lists, std::int64_t step) override;
  void update_recorded(const TensorList& parameters, const TensorList& gradients,
                       const std::vector<TensorList>& lists,
                       std::span<const UpdateNumbers> numbers) override;

  AdamOptions options_;
};

struct AdamWOptions {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
};
/// Adam with decoupled weight decay.
class PATCHBAY_API AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Parameter> parameters, const AdamWOptions& options = {});
};

/// Limits the norm of the parameters' gradients: clip_by_norm of updates.h. Parameters without a
/// gradient count for nothing; if none has one, the norm is 0. Errors, before any work:
/// kInvalidArgument unless `most` is above 0, and for a gradient that can't be written;
/// kDeviceMismatch for gradients on several devices.
PATCHBAY_API Tensor clip_grad_norm(std::span<const Parameter> parameters, double most);
/// Limits each element of the parameters' gradients: clip_by_value of updates.h. Errors, before any
/// work: kInvalidArgument unless `limit` is 0 or more, and for a gradient that can't be written.
PATCHBAY_API void clip_grad_value(std::span<const Parameter> parameters, double limit);

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_OPTIMIZER_H_
