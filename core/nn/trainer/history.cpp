// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/trainer/history.h"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace patchbay::nn::trainer {

using base::raise;
using files::HostTable;
using files::HostTables;

namespace {

constexpr std::int64_t kLossColumns = 4, kEpochColumns = 6;

HostTable table(std::vector<double> values, std::int64_t columns) {
  const Shape shape{static_cast<std::int64_t>(values.size()) / columns, columns};
  return {shape, std::move(values)};
}

/// The checkpoint is of no trainer.
[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what) {
  raise(ErrorCode::kInvalidArgument,
        "[fit] the checkpoint {} is of no trainer: {}. Resume from one that fit saved.",
        base::quote(file.native()), what);
}

/// A whole number that was kept as f64. Errors: kInvalidArgument unless it is `least` to 2^53.
std::int64_t count_of(double value, std::int64_t least, const std::filesystem::path& file) {
  constexpr double kMost = 0x1p53;
  if (value >= static_cast<double>(least) && value <= kMost && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  refuse(file, fmt::format("expected a number of {} to 2^53, got {}", least, base::printed(value)));
}

const std::vector<double>& values_of(const HostTables& tables, const char* name,
                                     std::int64_t columns, const std::filesystem::path& file) {
  const auto found = tables.find(name);
  const bool fits =
      found != tables.end() && found->second.shape.rank() == 2 && found->second.shape[1] == columns;
  if (!fits) {
    refuse(file, fmt::format("expected a tensor '{}' f64 [n, {}]", name, columns));
  }
  return found->second.values;
}

}  // namespace

void save_history(const TrainingHistory& history, HostTables& tables) {
  std::vector<double> losses, epochs;
  for (const LossRow& row : history.losses) {
    const double values[] = {static_cast<double>(row.epoch), static_cast<double>(row.step),
                             row.loss, row.learning_rate};
    losses.insert(losses.end(), std::begin(values), std::end(values));
  }
  for (const EpochRow& row : history.epochs) {
    const Evaluation validation = row.validation.value_or(Evaluation());
    const double values[] = {static_cast<double>(row.epoch),
                             static_cast<double>(row.step),
                             row.loss,
                             row.validation ? 1.0 : 0.0,
                             validation.loss,
                             validation.metric};
    epochs.insert(epochs.end(), std::begin(values), std::end(values));
  }
  tables["losses"] = table(std::move(losses), kLossColumns);
  tables["epochs"] = table(std::move(epochs), kEpochColumns);
}

TrainingHistory read_history(const HostTables& tables, const std::filesystem::path& file) {
  TrainingHistory history;
  const std::vector<double>& losses = values_of(tables, "losses", kLossColumns, file);
  for (std::size_t i = 0; i < losses.size(); i += kLossColumns) {
    const auto row = std::span(losses).subspan(i, kLossColumns);
    history.losses.push_back(
        {count_of(row[0], 0, file), count_of(row[1], 0, file), row[2], row[3]});
  }
  const std::vector<double>& epochs = values_of(tables, "epochs", kEpochColumns, file);
  for (std::size_t i = 0; i < epochs.size(); i += kEpochColumns) {
    const auto row = std::span(epochs).subspan(i, kEpochColumns);
    EpochRow& epoch = history.epochs.emplace_back();
    epoch.epoch = count_of(row[0], 0, file);
    epoch.step = count_of(row[1], 0, file);
    epoch.loss = row[2];
    if (row[3] != 0) epoch.validation = Evaluation{row[4], row[5]};
  }
  return history;
}

void save_position(const Position& at, HostTables& tables) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  tables["position"] = {
      {9},
      {number(at.epoch), number(at.step), at.row_sum, at.epoch_sum, number(at.row_count),
       number(at.epoch_count), at.best, number(at.best_epoch), number(at.epochs_without_best)}};
}

Position read_position(const HostTables& tables, const std::filesystem::path& file) {
  const auto found = tables.find("position");
  if (found == tables.end() || found->second.shape != Shape{9}) {
    refuse(file, "expected a tensor 'position' f64 [9]");
  }
  const std::vector<double>& values = found->second.values;
  // Only the best epoch may be -1: none.
  const auto count = [&](std::size_t i) { return count_of(values[i], i == 7 ? -1 : 0, file); };
  return {count(0), count(1),  values[2], values[3], count(4),
          count(5), values[6], count(7),  count(8)};
}

void CsvLog::open(const std::filesystem::path& path, const TrainingHistory& history) {
  if (path.empty()) return;
  try {
    file_.emplace(path, "fit");
  } catch (const Error& error) {
    if (error.native_code() == 0) throw;
    files::raise_io("fit", "can't write the file", path, static_cast<int>(error.native_code()));
  }
  write("epoch,step,loss,learning_rate,validation_loss,validation_metric\n");
  std::size_t done = 0;
  for (const EpochRow& epoch : history.epochs) {
    while (done < history.losses.size() && history.losses[done].step <= epoch.step) {
      add(history.losses[done++]);
    }
    add(epoch);
  }
  while (done < history.losses.size()) add(history.losses[done++]);
  file_->commit();
}

void CsvLog::add(const LossRow& row) {
  write(fmt::format("{},{},{},{},,\n", row.epoch, row.step, base::printed(row.loss),
                    base::printed(row.learning_rate)));
}

void CsvLog::add(const EpochRow& row) {
  const std::string validation = row.validation
                                     ? fmt::format("{},{}", base::printed(row.validation->loss),
                                                   base::printed(row.validation->metric))
                                     : ",";
  write(fmt::format("{},{},{},,{}\n", row.epoch, row.step, base::printed(row.loss), validation));
}

void CsvLog::write(const std::string& line) {
  if (file_) file_->write(line.data(), line.size());
}

}  // namespace patchbay::nn::trainer
