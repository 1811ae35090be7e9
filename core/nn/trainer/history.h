// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The rows of a training: as tensors of a checkpoint, and as a table in a file.
#ifndef PATCHBAY_CORE_NN_TRAINER_HISTORY_H_
#define PATCHBAY_CORE_NN_TRAINER_HISTORY_H_

#include <filesystem>
#include <fstream>
#include <string>

#include "patchbay/nn/safetensors.h"
#include "patchbay/nn/trainer.h"

namespace patchbay::nn::trainer {

/// Adds "losses" f64 [n, 4] and "epochs" f64 [n, 6].
void save_history(const TrainingHistory& history, TensorMap& tensors);
/// Errors: kInvalidArgument unless both tensors are there, as save_history makes them.
TrainingHistory read_history(const TensorMap& tensors);

/// A file of comma-separated rows; each is on its way to the file when the call returns. Without a
/// path nothing is written. Errors: kIo.
class CsvLog {
 public:
  /// Replaces the file by the rows of the history.
  void open(const std::filesystem::path& path, const TrainingHistory& history);
  void add(const LossRow& row);
  void add(const EpochRow& row);

 private:
  void write(const std::string& line);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace patchbay::nn::trainer

#endif  // PATCHBAY_CORE_NN_TRAINER_HISTORY_H_
