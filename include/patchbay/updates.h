// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Updates of parameters from their gradients, and limits for gradients: docs/functional.md. In
// place; nothing is recorded, so that parameters may require gradients. Queued.
//
// A list has one tensor for each parameter, of its shape, dtype (a float or complex) and device.
// Each part of a complex number is a number of its own. Parameters may be on several devices. A
// parameter whose gradient is undefined is left alone. One launch updates all parameters of a
// device and dtype, if their tensors are apart and the device's plugin takes several groups of
// tensors (all of Patchbay's own do); else those whose tensors follow each other in one storage, in
// all lists.
// Errors, before any work: kInvalidArgument for lists of different lengths, undefined tensors,
// tensors of one parameter that overlap, a tensor to be written that can't be (check_writable), a
// rate, momentum, decay or epsilon that is negative or not finite, and a dampening that is not
// finite; kShapeMismatch, kDtypeMismatch, kDeviceMismatch; kUnsupported if a device's plugin fuses
// nothing.
#ifndef PATCHBAY_UPDATES_H_
#define PATCHBAY_UPDATES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/tensor.h"

namespace patchbay {

using TensorList = std::vector<Tensor>;

/// The numbers of an update that differ from call to call, as 0-d tensors on the parameter's
/// device: replays of a recorded update use their elements of that moment.
struct UpdateNumbers {
  Tensor step;           // i64: the number of this update, from 1
  Tensor learning_rate;  // f64; f32 on devices without f64
  Tensor applies;        // bool: where false, nothing changes; undefined: always
};

struct SgdOptions {
  double learning_rate = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
};
/// With g = gradient + weight_decay parameter: without momentum parameter -= learning_rate g. With
/// momentum velocity = momentum velocity + (1 - dampening) g, in step 1 velocity = g, and
/// parameter -= learning_rate velocity; with `nesterov` -= learning_rate (g + momentum velocity)
/// (Sutskever et al., On the Importance of Initialization and Momentum in Deep Learning, 2013).
/// `step` counts from 1. `velocities` are not read in step 1; the list is empty without momentum.
/// Errors: also kInvalidArgument for `nesterov` without momentum or with dampening.
PATCHBAY_API void sgd_update(const TensorList& parameters, const TensorList& gradients,
                             const TensorList& velocities, std::int64_t step,
                             const SgdOptions& options = {});
/// With numbers for each parameter in place of the step and of options.learning_rate. The results
/// have the same bits. Reads the velocities in step 1 too. Parameters that follow each other in one
/// storage are not joined. Errors: also those of `numbers`, which are checked as the lists are.
PATCHBAY_API void sgd_update(const TensorList& parameters, const TensorList& gradients,
                             const TensorList& velocities, std::span<const UpdateNumbers> numbers,
                             const SgdOptions& options = {});

struct AdamOptions {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  /// AdamW: the decay shrinks the parameter, and does not enter the gradient (Loshchilov and
  /// Hutter, Decoupled Weight Decay Regularization, 2019).
  bool decoupled = false;
};
/// Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, algorithm 1. `means` and
/// `squares` are its moments m and v, 0 before step 1.
PATCHBAY_API void adam_update(const TensorList& parameters, const TensorList& gradients,
                              const TensorList& means, const TensorList& squares, std::int64_t step,
                              const AdamOptions& options = {});
/// With numbers for each parameter, as sgd_update.
PATCHBAY_API void adam_update(const TensorList& parameters, const TensorList& gradients,
                              const TensorList& means, const TensorList& squares,
                              std::span<const UpdateNumbers> numbers,
                              const AdamOptions& options = {});

/// Limits each element to [-limit, limit]; NaN stays. Errors: kInvalidArgument unless limit >= 0
/// and each dtype can hold it.
PATCHBAY_API void clip_by_value(const TensorList& gradients, double limit);
/// Multiplies all gradients by most / (norm + 1e-6) if that is below 1, as PyTorch does; the norm
/// is the root of the sum of all squares. Returns the norm before (f32, f64 if the first gradient
/// is f64; 0-d). All on one device. Undefined gradients count as 0. Nothing waits for the device.
/// Errors: kInvalidArgument unless most > 0, and if no gradient is defined; kDeviceMismatch.
PATCHBAY_API Tensor clip_by_norm(const TensorList& gradients, double most);
/// With a number that a replay reads: a 0-d tensor of floats on the device of the gradients, above
/// 0. Errors: also kShapeMismatch and kDtypeMismatch.
PATCHBAY_API Tensor clip_by_norm(const TensorList& gradients, const Tensor& most);

/// For functions that write several tensors, which check all of them first. `operation` and `name`
/// are for the message. Errors: kInvalidArgument if the tensor is undefined, if its memory was lent
/// to be read, and if elements share a place, as those of an expanded tensor do.
PATCHBAY_API void check_writable(const char* operation, const Tensor& tensor,
                                 std::string_view name);

}  // namespace patchbay

#endif  // PATCHBAY_UPDATES_H_
