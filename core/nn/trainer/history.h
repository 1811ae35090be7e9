// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// How far a training is, and its rows: as tables of a checkpoint, and as a table in a file.
#ifndef PATCHBAY_CORE_NN_TRAINER_HISTORY_H_
#define PATCHBAY_CORE_NN_TRAINER_HISTORY_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "patchbay/nn/trainer.h"

#include "core/nn/files/file.h"
#include "core/nn/files/safetensors.h"

namespace patchbay::nn::trainer {

/// Adds "losses" f64 [n, 4] and "epochs" f64 [n, 6].
void save_history(const TrainingHistory& history, files::HostTables& tables);
/// Errors: kInvalidArgument, with the file's name, unless both are there, as save_history
/// makes them.
TrainingHistory read_history(const files::HostTables& tables, const std::filesystem::path& file);

/// How far a call of fit() is, without what the objects of the caller keep.
struct Position {
  std::int64_t epoch = 0, step = 0;
  // Sums of losses that were fetched: since the last row, and in this epoch.
  double row_sum = 0, epoch_sum = 0;
  std::int64_t row_count = 0, epoch_count = 0;
  double best = 0;
  std::int64_t best_epoch = -1, epochs_without_best = 0;
};
/// Adds "position" f64 [9].
void save_position(const Position& at, files::HostTables& tables);
/// Errors: as read_history.
Position read_position(const files::HostTables& tables, const std::filesystem::path& file);

/// A file of comma-separated rows; each is on its way to the file when the call returns. Without a
/// path nothing is written. Errors: kIo.
class CsvLog {
 public:
  /// Replaces the file, or a link, by a new one with the rows of the history.
  void open(const std::filesystem::path& path, const TrainingHistory& history);
  void add(const LossRow& row);
  void add(const EpochRow& row);

 private:
  void write(const std::string& line);

  std::optional<files::AtomicFile> file_;
};

}  // namespace patchbay::nn::trainer

#endif  // PATCHBAY_CORE_NN_TRAINER_HISTORY_H_
