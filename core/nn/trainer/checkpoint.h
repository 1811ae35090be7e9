// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checkpoints with tables that somebody else has to look at.
#ifndef PATCHBAY_CORE_NN_TRAINER_CHECKPOINT_H_
#define PATCHBAY_CORE_NN_TRAINER_CHECKPOINT_H_

#include <filesystem>
#include <functional>

#include "patchbay/nn/checkpoint.h"

#include "core/nn/files/safetensors.h"

namespace patchbay::nn::trainer {

/// load_checkpoint for the call `operation`, which errors name. `check` gets the program's own
/// tensors, which are tables in host memory then, before anything changes, and throws if they are
/// not as they have to be. Without it `parts` gets them as tensors.
void load_checkpoint_if(const char* operation, const std::filesystem::path& file, Checkpoint& parts,
                        const std::function<void(const files::HostTables& tables)>& check);
/// save_checkpoint for the call `operation`; `tables` are the program's own tensors beside `parts`.
void save_checkpoint(const char* operation, const std::filesystem::path& file,
                     const Checkpoint& parts, const files::HostTables& tables);

}  // namespace patchbay::nn::trainer

#endif  // PATCHBAY_CORE_NN_TRAINER_CHECKPOINT_H_
