// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// This process's side of a group of an engine, as C++.
#ifndef PATCHBAY_CORE_DISTRIBUTED_ENGINE_GROUP_H_
#define PATCHBAY_CORE_DISTRIBUTED_ENGINE_GROUP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/collective.h"
#include "patchbay/tensor.h"

#include "core/distributed/carrier.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/engine_state.h"

namespace patchbay::distributed {

/// What the engine knows of a process of the group.
struct ProcessHealth {
  std::uint32_t state = PATCHBAY_MEMBER_WELL;
  std::string reason;
};

/// Owns the handle, and keeps the engine's plugin open. Calls and their waits are made by one
/// thread; abort, leave and health by any.
class EngineGroup {
 public:
  /// Joins the group of all processes that were launched together. Blocks. Errors: kTimedOut,
  /// kUnsupported, and others of the engine.
  EngineGroup(std::shared_ptr<runtime::RuntimeState> runtime, runtime::EngineUse engine,
              std::uint64_t deadline_ns);
  ~EngineGroup();
  EngineGroup(const EngineGroup&) = delete;
  EngineGroup& operator=(const EngineGroup&) = delete;

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }

  /// A call under way, with the tensors whose memory it uses.
  class Call;
  /// Starts the transfers. `text` is the same on all processes. Errors: the engine's status, as
  /// StatusFailure.
  std::shared_ptr<Call> start(const std::vector<patchbay_transfer>& transfers,
                              std::string_view text, std::uint64_t deadline_ns,
                              std::vector<Tensor> tensors);
  /// Returns when the call has succeeded.
  void finish(const std::shared_ptr<Call>& call);

  void abort(std::string_view reason) noexcept;
  /// Without effect after the first time.
  void leave(std::string_view reason) noexcept;
  std::vector<ProcessHealth> health() const;
  bool has_failed() const noexcept { return has_failed_.load(); }

 private:
  patchbay_group* handle() const;

  const std::shared_ptr<runtime::RuntimeState> runtime_;
  const runtime::EngineUse engine_;
  patchbay_group* group_ = nullptr;
  std::size_t rank_ = 0, size_ = 1;
  std::atomic<bool> has_failed_{false};
  mutable std::mutex mutex_;                   // of the handle
  std::vector<std::shared_ptr<Call>> failed_;  // whose memory the engine may still use
};

/// A status of an engine: the carrier makes an Error of it, with the members' names.
struct StatusFailure {
  std::int32_t code = 0;
  std::string message;
  std::int64_t process = -1;  // the one that is lost or late
};

}  // namespace patchbay::distributed

#endif  // PATCHBAY_CORE_DISTRIBUTED_ENGINE_GROUP_H_
