// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies that no stream can order. They are made one after the other: by the thread that asks for
// one and waits for it, if none is on its way, else by a thread of the runtime.
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

/// One copy on its way. It keeps its buffers until it ends; they keep it as a use, and others wait
/// for that on the host alone, so that no stream ever waits for this thread.
class TransferJob final : public Queue {
 public:
  /// Its one position.
  static constexpr std::uint64_t kPosition = 1;

  /// Errors name it by route and size: "the copy of 64 bytes from a to b (staged)".
  TransferJob(Buffer to, Buffer from, Route route, std::size_t size_bytes,
              std::function<void()> work);

  /// What it failed with stays with the memory that it was to write.
  void wait_on_host(std::uint64_t sequence, std::string_view operation) override;
  void poll() noexcept override {}
  /// On the thread that makes a copy: those before it are done, and those after it wait for it.
  bool is_ordered_here() const noexcept override;
  void finish_quietly() noexcept override;

  /// Makes the copy, then lets go of the buffers, perhaps the runtime's last. Called by the thread
  /// whose turn it is.
  void run() noexcept;
  /// Ends it unmade.
  void cancel() noexcept;
  /// Whether it is made, or given up.
  bool has_ended();
  bool concerns(const DeviceState* device) const {
    return device == nullptr || device == to_device_ || device == from_device_;
  }

  const HomeProcess home;
  std::vector<std::shared_ptr<TransferJob>> after;  // what writes the source, and comes before

 private:
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
  FaultPtr fault_;  // null if it went well
};

/// The queue of one runtime and its thread, which starts with the first copy that it is given and
/// parks when there is none.
class Transfer {
  struct State;

 public:
  /// The right to make one copy in the calling thread, while all others wait. The copy is made when
  /// the object ends.
  class Turn {
   public:
    explicit Turn(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Turn(Turn&& other) noexcept = default;
    ~Turn();

   private:
    std::shared_ptr<State> state_;  // null once moved from
  };

  Transfer();
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// `ring` is what the copy goes through, if it is staged. Errors: kInternal if the thread can't
  /// be started, or the process ends.
  void add(std::shared_ptr<TransferJob> job, const std::shared_ptr<StagingRing>& ring);
  /// Queues the copy for this thread to make. Nothing if another one is on its way: then `add` it.
  /// A change of threads costs as much as a small copy. Errors: as add.
  std::optional<Turn> take_turn(const std::shared_ptr<TransferJob>& job,
                                const std::shared_ptr<StagingRing>& ring);
  /// Blocks until the copies that concern the device (null: all) are made and their buffers let
  /// go; failures stay with what was written. False: the deadline passed first.
  bool finish(const DeviceState* device, std::uint64_t deadline_ns);
  /// The same for memory that the copies hold; gives up where one that is made can't let go of what
  /// it copied, for the application's callback for lent memory may itself wait for this thread.
  void finish_for_memory(const DeviceState& device);
  /// That of the staged copy queued last, for the next one; null once nothing uses it.
  std::shared_ptr<StagingRing> last_ring() const;
  /// The copy that this thread is making; null on all others.
  static const TransferJob* current();

 private:
  void check_open();
  std::uint64_t number_of_last(const DeviceState* device) const;
  static void run_all(const std::shared_ptr<State>& state);
  static void stop_at_process_end(const std::shared_ptr<State>& state);

  // The thread's too: the runtime may go while the thread ends its last copy.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_COPY_TRANSFER_H_
