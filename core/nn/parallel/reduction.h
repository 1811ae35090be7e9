// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The gradients of a replica on their way to the first one, in buckets, while backward still runs.
#ifndef PATCHBAY_CORE_NN_PARALLEL_REDUCTION_H_
#define PATCHBAY_CORE_NN_PARALLEL_REDUCTION_H_

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "patchbay/process_group.h"

#include "core/nn/parallel/replica.h"

namespace patchbay::nn::parallel {

/// Which gradients travel together: of one dtype, the last parameters first, because backward comes
/// to them first.
struct BucketPlan {
  /// Of the parameters that require gradients.
  BucketPlan(const Replica& replica, std::size_t num_parameters, std::size_t bucket_bytes);

  std::vector<std::vector<std::size_t>> buckets;
  std::vector<std::size_t> bucket_of;  // by parameter; buckets.size() for those without
};

/// One for each replica and backward.
class Reduction {
 public:
  /// `used` has a flag for each parameter, which all replicas share. The others outlive this.
  Reduction(const Replica& replica, const ProcessGroup& member, const BucketPlan& plan,
            std::vector<std::atomic<bool>>& used);

  /// The gradient of a parameter is complete. Sends its bucket if it was the last one, and those
  /// before it are sent. Queued.
  void note_ready(std::size_t parameter);
  /// Sends what is left, with zeros for gradients that did not come, and blocks until all sums are
  /// there.
  void finish();
  /// The sum for a parameter, on replica 0, once finished.
  Tensor take_sum(std::size_t parameter) { return std::move(sums_[parameter]); }
  /// Adds what came after its bucket was sent (checkpoints may do that), for these parameters.
  void add_late(const std::vector<std::size_t>& parameters);

 private:
  struct Sent {
    Tensor elements;
    Work work;
  };

  void send_next();
  Tensor take_gradient(std::size_t parameter);
  Tensor packed(const std::vector<std::size_t>& bucket);

  const Replica& replica_;
  const ProcessGroup& member_;
  const BucketPlan& plan_;
  std::vector<std::atomic<bool>>& used_;
  std::vector<bool> is_ready_;            // by parameter
  std::vector<std::size_t> num_missing_;  // by bucket
  std::vector<Sent> sent_;
  std::vector<Tensor> sums_;  // by parameter
};

}  // namespace patchbay::nn::parallel

#endif  // PATCHBAY_CORE_NN_PARALLEL_REDUCTION_H_
