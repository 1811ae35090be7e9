// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Samples, and the batches that training takes: docs/data.md.
#ifndef PATCHBAY_NN_DATA_H_
#define PATCHBAY_NN_DATA_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/tensor.h"

namespace patchbay::nn {

/// The tensors of one batch: by convention the inputs first, then the targets. Each has the samples
/// along its first dimension.
using Batch = std::vector<Tensor>;

/// A number of samples. Threads of a DataLoader call the const members at once, so these must be
/// thread-safe. They may throw anything.
class PATCHBAY_API Dataset {
 public:
  virtual ~Dataset();
  virtual std::int64_t size() const = 0;
  /// The tensors of one sample, without a dimension of samples. 0 <= index < size().
  virtual Batch get(std::int64_t index) const = 0;
  /// The samples stacked along a new first dimension, in the order of `indices`, of which there is
  /// at least one. Overridden where a whole batch is cheaper. Errors: kShapeMismatch,
  /// kDtypeMismatch, kDeviceMismatch and kInvalidArgument name the sample that differs from the
  /// first one.
  virtual Batch get_batch(std::span<const std::int64_t> indices) const;

 protected:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset(Dataset&&) noexcept = default;
  Dataset& operator=(const Dataset&) = default;
  Dataset& operator=(Dataset&&) noexcept = default;
};

/// A shared handle of a dataset of any type, which is given by value or by shared pointer.
class PATCHBAY_API AnyDataset {
 public:
  template <std::derived_from<Dataset> D>
  AnyDataset(D dataset)  // NOLINT(google-explicit-constructor)
      : dataset_(std::make_shared<const D>(std::move(dataset))) {}
  /// Errors: kInvalidArgument for null.
  template <std::derived_from<Dataset> D>
  AnyDataset(std::shared_ptr<D> dataset)  // NOLINT(google-explicit-constructor)
      : dataset_(std::move(dataset)) {
    check();
  }

  /// Errors: kInvalidArgument if the object was moved from.
  const Dataset& operator*() const { return *dataset_; }
  const Dataset* operator->() const { return dataset_.get(); }

 private:
  void check() const;

  runtime::ObjectHandle<const Dataset, "AnyDataset"> dataset_;
};

/// Tensors in memory. Sample i has row i of each: tensor[i].
class PATCHBAY_API TensorDataset : public Dataset {
 public:
  /// Shares the tensors; those that are not contiguous are copied on their device. Errors:
  /// kInvalidArgument for no tensors, undefined ones, and numbers; kShapeMismatch if the first
  /// extents differ; kUnsupported if the host can't address the memory.
  explicit TensorDataset(std::vector<Tensor> tensors);

  std::int64_t size() const override;
  /// Views of the rows.
  Batch get(std::int64_t index) const override;
  /// New tensors on the same devices, gathered by the host.
  Batch get_batch(std::span<const std::int64_t> indices) const override;
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

/// Samples through a function, which several threads call at once.
class PATCHBAY_API MapDataset : public Dataset {
 public:
  /// Errors: kInvalidArgument for no function.
  MapDataset(AnyDataset dataset, std::function<Batch(Batch sample)> function);

  std::int64_t size() const override { return dataset_->size(); }
  Batch get(std::int64_t index) const override { return function_(dataset_->get(index)); }

 private:
  AnyDataset dataset_;
  std::function<Batch(Batch)> function_;
};

/// Some of the samples, in the order of the indices. One may occur several times.
class PATCHBAY_API Subset : public Dataset {
 public:
  /// Errors: kInvalidArgument names an index that the dataset does not have.
  Subset(AnyDataset dataset, std::vector<std::int64_t> indices);

  std::int64_t size() const override { return static_cast<std::int64_t>(indices_.size()); }
  Batch get(std::int64_t index) const override;
  Batch get_batch(std::span<const std::int64_t> indices) const override;
  const std::vector<std::int64_t>& indices() const { return indices_; }

 private:
  std::int64_t place_of(std::int64_t index) const;

  AnyDataset dataset_;
  std::vector<std::int64_t> indices_;
};

/// The samples of several datasets, one after the other.
class PATCHBAY_API ConcatDataset : public Dataset {
 public:
  /// Errors: kInvalidArgument for no datasets; kOverflow for more than 2^63 - 1 samples.
  explicit ConcatDataset(std::vector<AnyDataset> datasets);

  std::int64_t size() const override { return ends_.back(); }
  Batch get(std::int64_t index) const override;

 private:
  std::vector<AnyDataset> datasets_;
  std::vector<std::int64_t> ends_;  // the number of samples up to the end of each
};

/// Subsets of these sizes without a common sample, drawn by `seed`. Errors: kInvalidArgument for
/// negative sizes, and unless they add up to the size of the dataset.
[[nodiscard]] PATCHBAY_API std::vector<Subset> random_split(const AnyDataset& dataset,
                                                            std::span<const std::int64_t> sizes,
                                                            std::uint64_t seed = 0);
[[nodiscard]] inline std::vector<Subset> random_split(const AnyDataset& dataset,
                                                      std::initializer_list<std::int64_t> sizes,
                                                      std::uint64_t seed = 0) {
  return random_split(dataset, std::span<const std::int64_t>(sizes.begin(), sizes.size()), seed);
}

struct DataLoaderOptions {
  std::int64_t batch_size = 1;
  /// Takes the samples of each epoch in the order randperm(size) has for the generator state (seed,
  /// epoch); else in their own.
  bool shuffle = false;
  std::uint64_t seed = 0;
  /// Leaves out a last batch that is smaller than the others.
  bool drop_last = false;
  /// Background threads that make batches; 0: they are made in next().
  int num_threads = 0;
  /// How many batches the threads make ahead of the one that next() returns, within its epoch.
  int prefetch = 2;
  /// Batches are brought there by non-blocking copies, which the ledger counts under the tag
  /// "data". Tensors that are there already are not copied. Unless given, nothing is copied.
  std::optional<Device> device = std::nullopt;
};

namespace data {
class LoaderState;
struct PATCHBAY_API DeleteLoader {
  void operator()(LoaderState* state) const noexcept;
};
}  // namespace data

/// Batches of a dataset, epoch after epoch. The order depends on seed and epoch alone. Threads work
/// under the scopes (copy guard, streams, default device ...) of the call of next() that asked for
/// the batch, `prefetch` calls before it is returned. Used by one thread at a time. The destructor
/// waits for the calls of the dataset that run. After a fork, next() of a loader with threads
/// throws kDeviceLost in the child.
class PATCHBAY_API DataLoader {
 public:
  /// Errors: kInvalidArgument for a batch size below 1, or numbers of threads outside 0 to 256 and
  /// of batches ahead below 0.
  explicit DataLoader(const AnyDataset& dataset, DataLoaderOptions options = {});

  /// The batches of one epoch.
  std::int64_t num_batches() const;
  const Dataset& dataset() const;
  const DataLoaderOptions& options() const;

  /// The next batch; nullopt at the end of an epoch, after which the next call begins the following
  /// one. Blocks until the batch is made, not until it is copied. Errors: those of the dataset, as
  /// they are if they are patchbay::Error or std::bad_alloc, else kInvalidArgument with sample or
  /// batch and the message; those of Tensor::to. A batch that failed is left out: the following
  /// call goes on after it.
  std::optional<Batch> next();

  /// A position between batches, for checkpoints.
  struct State {
    std::uint64_t seed = 0;
    std::int64_t epoch = 0, batch = 0;  // of the batch that next() returns
    friend bool operator==(const State&, const State&) = default;
  };
  /// Batches that are made ahead do not count.
  State state() const;
  /// Errors: kInvalidArgument for a negative epoch, or a batch outside 0 to num_batches().
  void set_state(const State& state);

  /// `for (nn::Batch& batch : loader)` runs the rest of the current epoch. One pass only.
  class Iterator {
   public:
    explicit Iterator(DataLoader& loader) : loader_(&loader), batch_(loader.next()) {}
    Batch& operator*() { return *batch_; }
    Batch* operator->() { return &*batch_; }
    Iterator& operator++() {
      batch_.reset();
      batch_ = loader_->next();
      return *this;
    }
    friend bool operator==(const Iterator& a, std::default_sentinel_t) { return !a.batch_; }
    friend bool operator!=(const Iterator& a, std::default_sentinel_t end) { return !(a == end); }

   private:
    DataLoader* loader_;
    std::optional<Batch> batch_;
  };
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  data::LoaderState& held() const;

  std::unique_ptr<data::LoaderState, data::DeleteLoader> state_;
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_DATA_H_
