// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The replicas of a DataParallel and their threads.
#ifndef PATCHBAY_CORE_NN_PARALLEL_ENGINE_H_
#define PATCHBAY_CORE_NN_PARALLEL_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "patchbay/nn/data_parallel.h"
#include "patchbay/process_group.h"

#include "core/nn/parallel/reduction.h"
#include "core/nn/parallel/replica.h"
#include "core/nn/parallel/shares.h"
#include "core/nn/parallel/worker.h"

namespace patchbay::nn::parallel {

/// One forward, which its backward needs again.
struct Pass {
  struct Part {
    Tensor input, output;  // of the replica, recorded
    std::int64_t first_row = 0, num_rows = 0;
    std::int64_t first_output = 0;
    double seconds = 0;  // of forward, if it is measured
    Speeds* speeds = nullptr;
  };

  Device input_device;
  std::size_t num_parameters = 0;
  std::vector<Part> parts;  // by replica
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  /// Copies the module; its parameters are defined.
  Engine(const AnyModule& original, const std::vector<Device>& devices,
         const DataParallelOptions& options);

  /// Whether the module still has the parameters, buffers and modules that were copied.
  bool fits(Module& original) const;
  Tensor forward(Module& original, const Tensor& input);
  std::vector<std::int64_t> last_shares() const { return last_shares_; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// For one forward or backward at a time. Errors: kInvalidArgument inside of one of them, in
  /// which it would never come.
  Lock lock();

  using Job = std::function<void(std::size_t replica, const ProcessGroup& member)>;

  /// An element of the state that a replica has no longer.
  struct Change {
    std::size_t index;
    Tensor value;
    std::uint64_t num_overwrites;
  };

  std::shared_ptr<Pass> plan(const Tensor& input);
  std::vector<Change> changes_of(const State& original, std::size_t num_replicas) const;
  void send(const std::vector<Change>& changes, std::size_t replica, const ProcessGroup& member);
  void run_forward(std::size_t replica, Pass::Part& part, const Tensor& input);
  Tensor joined(Pass& pass) const;
  Tensor recorded(const std::shared_ptr<Pass>& pass, const State& original, const Tensor& input);

  /// The gradients of the input and of the parameters.
  std::vector<Tensor> backward(Pass& pass, const Tensor& gradient, bool retains_graph);
  void run_backward(std::size_t replica, Pass::Part& part, const Tensor& gradient,
                    bool retains_graph, Reduction& reduction);
  void add_late(const std::vector<std::unique_ptr<Reduction>>& reductions,
                std::size_t num_parameters);
  Tensor input_gradient(const Pass& pass) const;

  /// Runs the job on the first replicas at once. Their error that came first is thrown, after all
  /// have stopped.
  void run(std::size_t num_replicas, const Job& job);
  std::vector<ProcessGroup>& group_of(std::size_t num_replicas);

  const std::vector<Device> devices_;
  const DataParallelOptions options_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::map<std::size_t, std::vector<ProcessGroup>> groups_;  // by number of members
  std::mutex mutex_;
  std::vector<Speeds> speeds_;  // of calls without and with gradients
  std::vector<std::int64_t> last_shares_;
  std::vector<std::unique_ptr<Worker>> workers_;  // last: they use the others
};

}  // namespace patchbay::nn::parallel

#endif  // PATCHBAY_CORE_NN_PARALLEL_ENGINE_H_
