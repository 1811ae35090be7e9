// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Files from which a training goes on: docs/training.md.
#ifndef PATCHBAY_NN_CHECKPOINT_H_
#define PATCHBAY_NN_CHECKPOINT_H_

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "patchbay/export.h"
#include "patchbay/nn/data.h"
#include "patchbay/nn/module.h"
#include "patchbay/nn/optimizer.h"
#include "patchbay/nn/safetensors.h"
#include "patchbay/nn/schedule.h"
#include "patchbay/random.h"

namespace patchbay::nn {

/// What a checkpoint has: each part that is not null. The objects are the caller's.
struct Checkpoint {
  Module* model = nullptr;         // parameters and buffers
  Optimizer* optimizer = nullptr;  // its state and its learning rate
  Schedule* schedule = nullptr;
  DataLoader* loader = nullptr;             // its position
  std::optional<Generator> generator = {};  // its state
  /// Tensors and texts of the program's own.
  TensorMap tensors = {};
  std::map<std::string, std::string> texts = {};
};

/// Writes the parts as a safetensors file, which appears whole or not at all. Device names are not
/// written. Blocks; each tensor's copy to the host is counted. Errors: those of save_safetensors;
/// kInvalidArgument if a lazy layer has no shape yet.
PATCHBAY_API void save_checkpoint(const std::filesystem::path& file, const Checkpoint& parts);
/// Gives the parts the state that they had, on the devices where they are now, and replaces
/// `tensors` (on the CPU) and `texts`. Everything is compared before anything changes, so that only
/// a file that can't be read to its end (kIo), or a want of memory (kOutOfMemory), leaves parts
/// half changed. On the same device, training then goes on as if it had not stopped. Blocks.
/// Errors: kIo; kInvalidArgument for a file that is no checkpoint, lacks a part, or has other
/// names, and for a schedule that has no valid rate after the file's steps; kDtypeMismatch,
/// kShapeMismatch.
PATCHBAY_API void load_checkpoint(const std::filesystem::path& file, Checkpoint& parts);

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_CHECKPOINT_H_
