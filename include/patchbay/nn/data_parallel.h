// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Training on several devices: docs/data-parallel.md.
#ifndef PATCHBAY_NN_DATA_PARALLEL_H_
#define PATCHBAY_NN_DATA_PARALLEL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/nn/containers.h"
#include "patchbay/nn/module.h"

namespace patchbay::nn {

namespace parallel {
class Engine;
}

/// How many rows of a batch each device gets.
enum class Shares : std::uint8_t {
  kEqual,    // as equal as whole rows can be
  kMeasured  // so that all end at once, by the times of the last batches; waits for the devices
};

struct DataParallelOptions {
  Shares shares = Shares::kEqual;
  /// Gradients travel together in buckets of this size or a little more.
  std::size_t bucket_bytes = std::size_t{512} << 10;
  /// For the collective operations: the most that replicas may be apart.
  std::chrono::nanoseconds timeout = std::chrono::minutes(10);
};

/// Runs a module on several devices, of any backends, each with a part of the batch (PyTorch's
/// DataParallel). Its members are the module's own, on the first device: optimisers, files and
/// moves see nothing else. It has the module's mode at first; train() and eval() set that of the
/// module too, which alone counts. The first forward copies the module once for each device, and
/// starts a thread for each; later ones send only parameters that have changed, and buffers, of
/// which those of the first device count.
///
/// The batch [n, ...], on any device, is split along its first dimension, in order. The outputs
/// [m, ...] are joined in this order on the first device; those without dimensions become one
/// vector. With fewer rows than devices, only the first devices have work. backward() runs on all
/// devices at once; gradients are added in the order of the devices, in buckets that travel while
/// it still runs, and are those of the module alone, within rounding (statistics of batches
/// excepted). Random numbers inside are those that the module alone would draw (SplitDraws).
///
/// All copies have the caller's tag and guard. Errors: those of the module, with the number and
/// device of the replica; all others stop, and the next call starts afresh. kDeviceMismatch if
/// the module is not on the first device; kShapeMismatch for an input without dimensions, or
/// outputs that can't be joined; kUnsupported for a backward with create_graph; kDeviceLost in a
/// forked process; kInvalidArgument for a call by the module itself, and for a lazy layer that
/// learns no shape from a row in evaluation. Backwards of several threads wait for each other.
class PATCHBAY_API DataParallel : public Module {
 public:
  /// Copies nothing yet. A device may occur several times. Errors: kInvalidArgument for no devices,
  /// devices of several runtimes, or wrong names in members().
  DataParallel(AnyModule module, const std::vector<Device>& devices,
               const DataParallelOptions& options = {});
  /// Shares the module and its parameters with `other`, and makes replicas of its own.
  DataParallel(const DataParallel& other);
  DataParallel(DataParallel&&) noexcept;
  DataParallel& operator=(DataParallel other) noexcept;
  ~DataParallel() override;

  Tensor forward(const Tensor& input) override;
  void members(Members& each) override;
  std::string details() const override;

  /// The module on the first device, whose parameters the replicas follow.
  Module& module() const { return *module_; }
  const std::vector<Device>& devices() const { return devices_; }
  /// The rows that each device had in the last forward; empty before it.
  std::vector<std::int64_t> last_shares() const;
  /// Makes the next forward copy the module again: after a change that is none of parameters and
  /// buffers by operations (hooks, options, writes through data()). Backward of results from before
  /// still works.
  void renew();

 private:
  Module* stands_for() override { return &*module_; }

  AnyModule module_;
  std::vector<Device> devices_;
  DataParallelOptions options_;
  std::shared_ptr<parallel::Engine> engine_;  // null before the first forward
};

}  // namespace patchbay::nn

#endif  // PATCHBAY_NN_DATA_PARALLEL_H_
