// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies that no stream can order. They run one at a time: in a thread that asks for one and waits
// for it, if no other is running; else in a thread of the runtime.
#ifndef PATCHBAY_CORE_RUNTIME_COPY_TRANSFER_H_
#define PATCHBAY_CORE_RUNTIME_COPY_TRANSFER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "patchbay/buffer.h"
#include "patchbay/copy.h"
#include "patchbay/error.h"

#include "core/base/fork.h"
#include "core/runtime/stream/position.h"

namespace patchbay::runtime {

struct DeviceState;
struct StagingRing;

/// One queued copy. It keeps its buffers until it ends, and they keep it as a use. Others wait for
/// it only on the host, so that no stream ever waits for this thread.
class TransferJob final : public Queue {
 public:
  /// Its only position.
  static constexpr std::uint64_t kPosition = 1;

  /// Errors describe it by route and size: "the copy of 64 bytes from a to b (staged)".
  TransferJob(Buffer to, Buffer from, Route route, std::size_t size_bytes,
              std::function<void()> work);

  /// Errors: the copy's failure, which stays with the memory that it was to write.
  void wait_on_host(std::uint64_t sequence, std::string_view operation,
                    std::uint64_t deadline_ns) override;
  void poll() noexcept override {}
  /// True on the thread that makes a copy: copies before it are done, copies after it wait for it.
  bool is_ordered_here() const noexcept override;
  void finish_quietly() noexcept override;

  /// Makes the copy, then releases the buffers, perhaps the last users of the runtime. Called by
  /// the thread whose turn it is.
  void run() noexcept;
  /// Ends it without making the copy.
  void cancel() noexcept;
  /// Whether it was made or given up.
  bool has_ended();
  bool concerns(const DeviceState* device) const {
    return device == nullptr || device == to_device_ || device == from_device_;
  }

  const base::HomeProcess home;
  std::vector<std::shared_ptr<TransferJob>> after;  // unfinished copies that write the source

 private:
  bool ends_by(std::uint64_t deadline_ns);
  void attempt();
  void end() noexcept;
  void fail(const Error& error);
  std::string describe() const;
  void release() noexcept;

  Buffer to_, from_;
  const DeviceState *const to_device_, *const from_device_;
  const Route route_;
  const std::size_t size_bytes_;
  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  FaultPtr fault_;  // null if it succeeded
};

/// The queue of one runtime and its thread, which starts with the first copy queued for it and
/// sleeps when there is none.
class Transfer {
  struct State;

 public:
  /// The right to make one copy in the calling thread while all others wait. The destructor makes
  /// the copy.
  class OwnCopy {
   public:
    explicit OwnCopy(std::shared_ptr<State> state) : state_(std::move(state)) {}
    OwnCopy(OwnCopy&& other) noexcept = default;
    ~OwnCopy();

   private:
    std::shared_ptr<State> state_;  // null once moved from
  };

  Transfer();
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Queues a copy for the thread. `ring` is what a staged copy goes through. Errors: kOutOfMemory
  /// if the thread can't be started; kInternal if the process is ending.
  void add(std::shared_ptr<TransferJob> job, const std::shared_ptr<StagingRing>& ring);
  /// Queues a copy for the calling thread to make, which saves a change of threads: that costs as
  /// much as a small copy. Empty if another copy is queued: call `add` then. Errors: as add.
  std::optional<OwnCopy> take_over(const std::shared_ptr<TransferJob>& job,
                                   const std::shared_ptr<StagingRing>& ring);
  /// Blocks until the copies that concern the device (null: all) are made and have released their
  /// buffers. Failures stay with what was written. False if the deadline passed first.
  bool finish(const DeviceState* device, std::uint64_t deadline_ns);
  /// Waits to get memory back that copies hold. Gives up if a finished copy can't release its
  /// buffers: the application's callback for lent memory may itself wait for this thread.
  void finish_for_memory(const DeviceState& device);
  /// The ring of the last queued staged copy, for the next one; null if nothing uses it any more.
  std::shared_ptr<StagingRing> last_ring() const;
  /// The copy that this thread is making, else null.
  static const TransferJob* current();

 private:
  void check_open();
  std::uint64_t number_of_last(const DeviceState* device) const;
  static void run_all(const std::shared_ptr<State>& state);

  // Shared with the thread, which may outlive the runtime by its last copy.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_TRANSFER_H_
