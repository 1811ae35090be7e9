// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "patchbay/concat.h"
#include "patchbay/nn/data.h"

#include "core/base/error.h"
#include "core/nn/data/foreign_errors.h"
#include "core/nn/data/permutation.h"

namespace patchbay::nn {

using base::raise;

namespace {

Batch sample_of(const Dataset& dataset, std::int64_t index) {
  return data::with_own_errors(
      [&] { return dataset.get(index); },
      [&] { return fmt::format("[Dataset] sample {} can't be read", index); });
}

void check_index(const char* dataset, std::int64_t index, std::int64_t size) {
  if (index >= 0 && index < size) return;
  raise(ErrorCode::kInvalidArgument, "[{}] no such sample: expected 0 to {}, got {}", dataset,
        size - 1, index);
}

/// That a sample can be stacked with the first one.
void check_alike(const Batch& sample, std::int64_t index, const Batch& first, std::int64_t its) {
  if (sample.size() != first.size()) {
    raise(ErrorCode::kInvalidArgument,
          "[Dataset] sample {} has another number of tensors than sample {}: expected {}, got {}",
          index, its, first.size(), sample.size());
  }
  for (std::size_t k = 0; k < sample.size(); ++k) {
    if (!sample[k].defined()) {
      raise(ErrorCode::kInvalidArgument,
            "[Dataset] tensor {} of sample {} is undefined: expected one with a value. Let get() "
            "return it.",
            k, index);
    }
    const auto differ = [&](ErrorCode code, const char* what, const auto& expected,
                            const auto& got) {
      raise(code,
            "[Dataset] tensor {} of sample {} has another {} than in sample {}: expected {}, got "
            "{}. Make the samples alike, for example with a MapDataset.",
            k, index, what, its, expected, got);
    };
    const Tensor &a = first[k], &b = sample[k];
    if (a.shape() != b.shape()) {
      differ(ErrorCode::kShapeMismatch, "shape", patchbay::to_string(a.shape()),
             patchbay::to_string(b.shape()));
    }
    if (a.dtype() != b.dtype()) {
      differ(ErrorCode::kDtypeMismatch, "dtype", patchbay::to_string(a.dtype()),
             patchbay::to_string(b.dtype()));
    }
    if (a.device() != b.device()) {
      differ(ErrorCode::kDeviceMismatch, "device", a.device().name(), b.device().name());
    }
  }
}

}  // namespace

Dataset::~Dataset() = default;

Batch Dataset::get_batch(std::span<const std::int64_t> indices) const {
  std::vector<Batch> samples;
  for (const std::int64_t index : indices) {
    samples.push_back(sample_of(*this, index));
    check_alike(samples.back(), index, samples.front(), indices.front());
  }
  Batch batch;
  for (std::size_t k = 0; !samples.empty() && k < samples.front().size(); ++k) {
    std::vector<Tensor> parts;
    for (const Batch& sample : samples) parts.push_back(sample[k]);
    batch.push_back(stack(parts));
  }
  return batch;
}

void AnyDataset::check() const {
  if (dataset_ == decltype(dataset_)()) {
    raise(ErrorCode::kInvalidArgument, "[AnyDataset] the dataset is null");
  }
}

// ----------------------------------------------------------------------------------- tensors ---

TensorDataset::TensorDataset(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
  if (tensors_.empty()) {
    raise(ErrorCode::kInvalidArgument, "[TensorDataset] no tensors: expected at least one");
  }
  for (std::size_t k = 0; k < tensors_.size(); ++k) {
    Tensor& tensor = tensors_[k];
    if (!tensor.defined()) {
      raise(ErrorCode::kInvalidArgument,
            "[TensorDataset] tensor {} is undefined: expected [n, ...]. Create it first.", k);
    }
    if (tensor.rank() == 0) {
      raise(ErrorCode::kInvalidArgument,
            "[TensorDataset] tensor {} has no dimension of samples: expected [n, ...], got []", k);
    }
    if (tensor.size(0) != tensors_[0].size(0)) {
      raise(ErrorCode::kShapeMismatch,
            "[TensorDataset] tensor {} has another number of samples than tensor 0: expected {}, "
            "got {} ({})",
            k, tensors_[0].size(0), tensor.size(0), patchbay::to_string(tensor.shape()));
    }
    if (!tensor.buffer().is_host_addressable()) {
      raise(ErrorCode::kUnsupported,
            "[TensorDataset] the host can't address tensor {} on {}. Copy it to a CPU device "
            "first: tensor.to(\"cpu\").",
            k, tensor.device().name());
    }
    tensor = tensor.detach().contiguous();
  }
}

std::int64_t TensorDataset::size() const { return tensors_[0].size(0); }

Batch TensorDataset::get(std::int64_t index) const {
  Batch sample;
  for (const Tensor& tensor : tensors_) sample.push_back(tensor[index]);
  return sample;
}

namespace {

/// By the host: a gather on the device would need the indices there, which is a copy.
Tensor rows_of(const Tensor& tensor, std::span<const std::int64_t> indices) {
  Shape shape = tensor.shape();
  const std::int64_t count = shape[0];
  shape[0] = static_cast<std::int64_t>(indices.size());
  Tensor rows = empty(shape, {tensor.dtype(), tensor.device()});
  if (rows.num_elements() == 0) return rows;
  const std::size_t row_bytes = rows.size_bytes() / indices.size();
  const Buffer from_buffer = tensor.buffer(), to_buffer = rows.buffer();
  const auto* const from =
      static_cast<const std::byte*>(from_buffer.host_pointer()) + tensor.offset_bytes();
  auto* to = static_cast<std::byte*>(to_buffer.host_pointer()) + rows.offset_bytes();
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= count) {
      raise(ErrorCode::kInvalidArgument, "[TensorDataset] no such sample: expected 0 to {}, got {}",
            count - 1, index);
    }
    std::memcpy(to, from + static_cast<std::size_t>(index) * row_bytes, row_bytes);
    to += row_bytes;
  }
  return rows;
}

}  // namespace

Batch TensorDataset::get_batch(std::span<const std::int64_t> indices) const {
  Batch batch;
  for (const Tensor& tensor : tensors_) batch.push_back(rows_of(tensor, indices));
  return batch;
}

// ------------------------------------------------------------------------- datasets of others ---

MapDataset::MapDataset(AnyDataset dataset, std::function<Batch(Batch)> function)
    : dataset_(std::move(dataset)), function_(std::move(function)) {
  if (!function_) {
    raise(ErrorCode::kInvalidArgument,
          "[MapDataset] the function is empty. Pass one that takes and returns a sample, such as a "
          "lambda.");
  }
}

Subset::Subset(AnyDataset dataset, std::vector<std::int64_t> indices)
    : dataset_(std::move(dataset)), indices_(std::move(indices)) {
  const std::int64_t count = dataset_->size();
  for (const std::int64_t index : indices_) {
    if (index >= 0 && index < count) continue;
    raise(ErrorCode::kInvalidArgument, "[Subset] no such sample: expected indices below {}, got {}",
          count, index);
  }
}

std::int64_t Subset::place_of(std::int64_t index) const {
  check_index("Subset", index, std::ssize(indices_));
  return indices_[static_cast<std::size_t>(index)];
}

Batch Subset::get(std::int64_t index) const { return dataset_->get(place_of(index)); }

Batch Subset::get_batch(std::span<const std::int64_t> indices) const {
  std::vector<std::int64_t> theirs;
  for (const std::int64_t index : indices) theirs.push_back(place_of(index));
  return dataset_->get_batch(theirs);
}

ConcatDataset::ConcatDataset(std::vector<AnyDataset> datasets) : datasets_(std::move(datasets)) {
  if (datasets_.empty()) {
    raise(ErrorCode::kInvalidArgument, "[ConcatDataset] no datasets: expected at least one");
  }
  std::int64_t end = 0;
  for (const AnyDataset& each : datasets_) {
    if (__builtin_add_overflow(end, each->size(), &end)) {
      raise(ErrorCode::kOverflow,
            "[ConcatDataset] more than 2^63 - 1 samples. Join fewer datasets.");
    }
    ends_.push_back(end);
  }
}

Batch ConcatDataset::get(std::int64_t index) const {
  check_index("ConcatDataset", index, size());
  const auto end = std::ranges::upper_bound(ends_, index);
  const auto which = static_cast<std::size_t>(end - ends_.begin());
  return datasets_[which]->get(index - (which == 0 ? 0 : ends_[which - 1]));
}

std::vector<Subset> random_split(const AnyDataset& dataset, std::span<const std::int64_t> sizes,
                                 std::uint64_t seed) {
  const std::int64_t count = dataset->size();
  std::int64_t left = count;
  for (const std::int64_t size : sizes) {
    if (size < 0) {
      raise(ErrorCode::kInvalidArgument, "[random_split] a wrong size: expected >= 0, got {}",
            size);
    }
    // A size above what is left makes it negative, once and for all.
    left = size > left ? -1 : left - size;
    if (left < 0) break;
  }
  if (left != 0) {
    raise(ErrorCode::kInvalidArgument,
          "[random_split] the sizes do not add up to that of the dataset: expected {}, got {}",
          count, fmt::join(sizes, " + "));
  }
  const std::vector<std::int64_t> order = data::permutation(count, seed, 0);
  std::vector<Subset> parts;
  auto next = order.begin();
  for (const std::int64_t size : sizes) {
    parts.emplace_back(dataset, std::vector<std::int64_t>(next, next + size));
    next += size;
  }
  return parts;
}

}  // namespace patchbay::nn
