// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The seven networks of Shi et al., Benchmarking State-of-the-Art Deep Learning Software Tools,
// 2016, Table 7, for the benchmark and its tests.
#ifndef PATCHBAY_BENCH_NETWORKS_NETWORKS_H_
#define PATCHBAY_BENCH_NETWORKS_NETWORKS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <patchbay/nn.h>
#include <patchbay/patchbay.h>

namespace networks {

/// kFull has the extents of the table. kSmall has the same layers with fewer channels, blocks and
/// pixels, for tests.
enum class Scale : std::uint8_t { kFull, kSmall };

/// A mini-batch. `input`: images or vectors of floats, or tokens (i64) [steps, sequences];
/// `target`: a class (i64) for each sample or token.
struct Batch {
  patchbay::Tensor input, target;
};

/// What a mini-batch of a network looks like.
struct BatchFormat {
  patchbay::Shape input, target;
  std::int64_t num_classes;
  bool has_tokens = false;  // else floats
};

/// A network with its loss and the optimiser of the table.
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  virtual patchbay::nn::Module& module() = 0;
  /// Runs forward. An LSTM goes on from the state of the last call, without its record.
  virtual patchbay::Tensor loss(const Batch& batch);
  /// Limits the gradients where the table says so.
  virtual void clip_gradients() {}
  /// Forward, backward and update; returns the loss before the update.
  patchbay::Tensor train(const Batch& batch);

  const BatchFormat& format() const { return format_; }
  /// Uniform in [0, 1), on the device and of the dtype of the parameters.
  Batch random_batch(std::uint64_t seed);

 protected:
  Network(BatchFormat format, const patchbay::SgdOptions& sgd)
      : format_(std::move(format)), sgd_(sgd) {}

 private:
  BatchFormat format_;
  patchbay::SgdOptions sgd_;
  std::unique_ptr<patchbay::nn::SGD> optimizer_;  // made by the first step
};

/// A row of the table.
struct Row {
  std::string_view name;
  std::int64_t num_parameters;
  double gflop;  // a mini-batch: 6 multiplications with their additions a sample
  std::unique_ptr<Network> (*make)(Scale scale, const patchbay::TensorOptions& options);
};
/// In the order of the table.
std::span<const Row> rows();

}  // namespace networks

#endif  // PATCHBAY_BENCH_NETWORKS_NETWORKS_H_
