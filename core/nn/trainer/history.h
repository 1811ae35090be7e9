// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The rows of a training: as tensors of a checkpoint, and as a table in a file.
#ifndef PATCHBAY_CORE_NN_TRAINER_HISTORY_H_
#define PATCHBAY_CORE_NN_TRAINER_HISTORY_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "patchbay/nn/safetensors.h"
#include "patchbay/nn/trainer.h"

namespace patchbay::nn::trainer {

/// Adds "losses" f64 [n, 4] and "epochs" f64 [n, 6].
void save_history(const TrainingHistory& history, TensorMap& tensors);
/// Errors: kInvalidArgument, with the file's name, unless both tensors are there, as save_history
/// makes them.
TrainingHistory read_history(const TensorMap& tensors, const std::filesystem::path& file);

/// Errors: kInvalidArgument, always: the checkpoint is of no trainer.
[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what);
/// A whole number that was kept as f64. Errors: kInvalidArgument unless it is `least` to 2^53.
std::int64_t count_of(double value, std::int64_t least, const std::filesystem::path& file);

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
