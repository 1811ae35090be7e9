// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/stream_state.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/callback.h"
#include "core/runtime/stream/stream_trace.h"

namespace patchbay::runtime {
namespace {

const patchbay_stream_table& streams(const DeviceState& device) {
  return device.plugin.tables.stream;
}
const patchbay_event_table& events(const DeviceState& device) { return device.plugin.tables.event; }

bool is_timeout(const patchbay_status* status) {
  return status != nullptr && status->code == PATCHBAY_TIMED_OUT && !is_fault(*status);
}

[[noreturn]] void raise_timeout(const DeviceState& device, const StreamProgress& progress,
                                std::uint64_t target, patchbay_status* status,
                                std::string_view operation) {
  const base::StatusHolder holder(status);
  base::raise(ErrorCode::kTimedOut, "[{}] {} ({}){}. Nothing is lost: wait again.", operation,
              status->message, device.info.name_text, progress.describe_open(target));
}

/// A callback that a plugin may make while it is submitted, with the stream's mutex held. It is
/// then made later: the function may take long, and wait for threads that use the stream.
class Callback {
 public:
  explicit Callback(PendingCall::Body body) : body_(std::move(body)) {}
  ~Callback() { base::release_status(status_); }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  /// The plugin makes the call.
  void come(patchbay_status* status) {
    if (std::this_thread::get_id() != submitter_ || !is_submitting_.load()) return body_(status);
    status_ = status;
    came_early_ = true;
  }
  /// The submitter has released the mutex.
  void end_submission() {
    is_submitting_.store(false);
    if (came_early_) body_(std::exchange(status_, nullptr));
  }

 private:
  const PendingCall::Body body_;
  const std::thread::id submitter_ = std::this_thread::get_id();
  std::atomic<bool> is_submitting_{true};
  bool came_early_ = false;  // this and the next are the submitter's own
  patchbay_status* status_ = nullptr;
};

/// The status of a callback that the plugin has not called.
patchbay_status* missing_call(const DeviceState& device) noexcept try {
  return base::make_status(
      PATCHBAY_INTERNAL,
      fmt::format("the plugin '{}' broke the plugin interface: destroy of the stream "
                  "table returned before this call. Tell the author of the plugin",
                  device.plugin.name));
} catch (const std::bad_alloc&) {
  return base::out_of_memory_status();
}

bool is_inline(const DeviceState& device, std::uint32_t flags) {
  return device.info.properties.completes_inline && (flags & PATCHBAY_STREAM_DEFAULT) != 0;
}

}  // namespace

StreamState::StreamState(DeviceState& owner, std::shared_ptr<DeviceState> keep_alive,
                         StreamHandle adopted, std::uint32_t created_with)
    : Queue(owner.info.name_text),
      device(owner),
      keep(std::move(keep_alive)),
      flags(created_with),
      completes_inline(is_inline(owner, created_with)),
      number((flags & PATCHBAY_STREAM_DEFAULT) != 0 ? 0 : ++owner.num_streams) {
  if ((flags & PATCHBAY_STREAM_TIMES) != 0) {
    times = std::make_unique<StreamTimes>(*this);
    own_trace_ = std::make_unique<StreamTrace>(*this);
    trace_.store(own_trace_.get(), std::memory_order_release);
  }
  handle = adopted.release();  // last, when nothing can fail
}

StreamHandle own_stream(const DeviceState& device, patchbay_stream* made,
                        std::string_view operation, std::string_view entry) {
  if (made == nullptr) {
    raise_no_object(device, operation, fmt::format("{} of the stream table", entry));
  }
  return {made, streams(device).destroy};
}

StreamState::~StreamState() {
  if (device.is_callable()) {
    close();
  } else {
    static_cast<void>(callbacks_.release());  // its thread may be in a call that never returns
  }
}

/// Takes the handle while the stream is open. The end of the stream waits for it.
class StreamState::DriverWait {
 public:
  explicit DriverWait(StreamState& stream) : stream_(stream) {
    // A position is counted just before its submission, with the mutex held.
    const std::scoped_lock lock(stream.mutex);
    handle_ = stream.is_lent ? stream.handle : stream.open_handle();
    target_ = stream.submitted.load(std::memory_order_acquire);
    stream.num_driver_waits_.fetch_add(1, std::memory_order_relaxed);
  }
  ~DriverWait() {
    stream_.num_driver_waits_.fetch_sub(1, std::memory_order_release);
    stream_.num_driver_waits_.notify_all();
  }
  DriverWait(const DriverWait&) = delete;
  DriverWait& operator=(const DriverWait&) = delete;

  /// All that was submitted.
  std::uint64_t target() const { return target_; }
  /// Whether a lent stream has ended, and its work with it.
  bool has_ended() const { return handle_ == nullptr; }
  patchbay_status* call(std::uint64_t deadline_ns) const {
    return streams(stream_.device).synchronize(handle_, deadline_ns);
  }

 private:
  const output::NoDelivery no_delivery_;
  StreamState& stream_;
  patchbay_stream* handle_ = nullptr;
  std::uint64_t target_ = 0;
};

void StreamState::end_lent() noexcept {
  if (!device.is_callable()) return;
  const std::uint64_t target = submitted.load(std::memory_order_acquire);
  // A driver may refuse to wait, as while the application records the stream. The memory that was
  // used on it then keeps it open.
  if (!is_done(target) && !try_to_finish(target)) return;
  close();  // from here on all positions are done
}

void StreamState::close() {
  if (handle == nullptr) return;
  const output::NoDelivery no_delivery;
  const base::CancellationOff not_cancelled;
  // Also writes the rest of the trace.
  if (own_trace_ != nullptr && own_trace_->has_pending()) finish_quietly();
  trace_.store(nullptr, std::memory_order_release);
  own_trace_.reset();
  callbacks_.reset();
  times.reset();
  patchbay_stream* ended = nullptr;
  {
    std::vector<std::shared_ptr<EventState>> waits;
    std::shared_ptr<EventState> probe;
    {
      const std::scoped_lock lock(mutex);
      waits.swap(foreign_waits_);
      ended = std::exchange(handle, nullptr);
    }
    const std::scoped_lock probing(probe_mutex_);  // without the handle there is no new one
    probe.swap(probe_);
  }
  while (const int waits = num_driver_waits_.load(std::memory_order_acquire)) {
    num_driver_waits_.wait(waits, std::memory_order_acquire);
  }
  streams(device).destroy(ended);
  for (patchbay_stream* const old : retired_) streams(device).destroy(old);
  device.remove_stream(*this);  // until then the plugin can't be unloaded
  progress->pass(UINT64_MAX);
  progress->forget_waits();
  end_callbacks();
}

void StreamState::end_callbacks() noexcept {
  while (const PendingCall::Body body = PendingCall::take_back(this)) {
    // Of a failed stream, the callback repeats the failure.
    body(progress->has_failed() ? base::make_status(PATCHBAY_LAUNCH_FAILED, "the stream has failed")
                                : missing_call(device));
  }
}

bool StreamState::is_closed() {
  const std::scoped_lock lock(mutex);
  return handle == nullptr;
}

patchbay_stream* StreamState::open_handle() const {
  if (handle == nullptr) device.raise_gone();
  return handle;
}

std::shared_ptr<StreamState> StreamState::shared() {
  if (keep) return shared_from_this();
  return {device.shared(), this};
}

std::weak_ptr<Queue> StreamState::weak() {
  if (keep) return shared_from_this();
  return std::shared_ptr<Queue>(device.life, this);
}

void StreamState::check_home(std::string_view operation) const { device.check_home(operation); }

void StreamState::check_not_failed(std::string_view operation) const {
  if (!progress->has_failed()) return;
  if (const FaultPtr fault = progress->fault()) throw stream_error(*fault, operation);
}

std::uint64_t StreamState::begin(const Submission& what) {
  check_not_failed(what.name);
  open_handle();
  if (times) times->begin(what);
  if (is_traced()) [[unlikely]]
    begin_trace(what);
  const std::uint64_t sequence = submitted.fetch_add(1, std::memory_order_acq_rel) + 1;
  progress->note_submission(sequence, what.name);
  return sequence;
}

void StreamState::end(const Submission& what, patchbay_status* status) {
  StreamTrace* const trace = trace_.load(std::memory_order_acquire);
  if (status != nullptr) [[unlikely]] {
    if (trace != nullptr) trace->drop_next();
    check_call(device, status, what.name);
  }
  if (times) times->end();
  if (trace != nullptr) {
    trace->end(what);
  } else if (is_traced()) {
    add_call(device.runtime.tracing.profilers(), device.info.name_text, what);
  }
}

void StreamState::begin_trace(const Submission& what) {
  if (own_trace_ == nullptr) replace_by_timed(what.name);
  if (own_trace_ != nullptr) own_trace_->begin(what);
}

/// Gives the stream a queue that measures times, once the work of the old one is done. The caller
/// holds the mutex. A queue that the application has stays, and has no times.
void StreamState::replace_by_timed(std::string_view operation) {
  if (is_lent || is_exposed.load(std::memory_order_relaxed) || !may_be_replaced_) return;
  const std::uint64_t target = submitted.load(std::memory_order_acquire);
  patchbay_status* status = streams(device).synchronize(handle, PATCHBAY_NO_DEADLINE);
  if (status != nullptr) raise_wait_failure(device, *progress, target, status, operation);
  progress->pass(target);
  auto trace = std::make_unique<StreamTrace>(*this);
  retired_.reserve(retired_.size() + 1);
  patchbay_stream* fresh = nullptr;
  status = streams(device).create(device.open(), flags | PATCHBAY_STREAM_TIMES, &fresh);
  may_be_replaced_ = status == nullptr;
  if (status != nullptr) return base::release_status(status);
  // Others may still wait for the old queue.
  retired_.push_back(std::exchange(handle, own_stream(device, fresh, operation).release()));
  flags |= PATCHBAY_STREAM_TIMES;
  own_trace_ = std::move(trace);
  trace_.store(own_trace_.get(), std::memory_order_release);
}

void StreamState::drop_times() noexcept { times.reset(); }

const SpanTargets* StreamState::spans() const noexcept { return device.runtime.tracing.spans(); }

Tracer* StreamState::tracer() const noexcept { return device.runtime.tracing.tracer(); }

bool StreamState::is_traced() const noexcept { return device.runtime.tracing.is_on(); }

void StreamState::write_trace() noexcept {
  StreamTrace* const trace = trace_.load(std::memory_order_acquire);
  if (trace != nullptr && device.home.is_here()) trace->write();
}

void StreamState::finish_if_synchronous(std::string_view operation) {
  if (device.runtime.sync) synchronize(PATCHBAY_NO_DEADLINE, operation);
}

void StreamState::poll() noexcept {
  if (!device.home.is_here()) return;
  const base::CancellationOff not_cancelled;
  std::shared_ptr<EventState> ended;  // destroyed after the locks
  const std::scoped_lock probing(probe_mutex_);
  try {
    if (probe_ == nullptr) {
      const std::scoped_lock lock(mutex);
      probe_sequence_ = submitted.load(std::memory_order_acquire);
      if (is_done(probe_sequence_)) return;
      probe_ = record_locked("wait");
    }
    if (!probe_->is_done()) return;
  } catch (...) {
    // Failed work has ended. If only the event failed, try again later.
    if (!progress->has_failed() && !is_done(probe_sequence_)) return;
  }
  ended.swap(probe_);
  progress->pass(probe_sequence_);
}

bool StreamState::try_to_finish(std::uint64_t target) noexcept {
  try {
    const DriverWait wait(*this);
    if (!wait.has_ended()) check_wait(wait.call(PATCHBAY_NO_DEADLINE), target, "synchronize");
  } catch (...) {
    if (!is_closed() && !is_done(target) && !progress->has_failed()) return false;
    progress->pass(target);
    write_trace();  // the work before the failure
  }
  return true;
}

void StreamState::finish_quietly() noexcept {
  if (!device.home.is_here()) return;
  const base::CancellationOff not_cancelled;
  const std::uint64_t target = submitted.load(std::memory_order_acquire);
  constexpr int kMostAttempts = 10;
  for (int i = 0; i < kMostAttempts; ++i) {
    if (try_to_finish(target)) return;
  }
  device.runtime.logger.write(LogLevel::kError,
                              "a plugin can't wait for a stream, whose work counts as ended");
  StreamProgress::count_failure();
  progress->pass(target);
  write_trace();
}

void StreamState::synchronize(std::uint64_t deadline_ns, std::string_view operation) {
  check_home(operation);
  settle_foreign_waits(deadline_ns, operation);
  TraceSpan span(spans(), "wait");
  span.add("for", operation);
  span.add("device", device.info.name_text);
  const DriverWait wait(*this);
  if (wait.has_ended()) return;
  const std::uint64_t target = wait.target();
  if (is_done(target)) check_not_failed(operation);
  patchbay_status* status = wait.call(deadline_ns);
  // A driver may need longer than the deadline to see that nothing is pending.
  const bool is_ours = !is_lent && !is_exposed.load(std::memory_order_relaxed);
  if (is_timeout(status) && is_ours && is_done(target)) {
    base::release_status(std::exchange(status, nullptr));
  }
  check_wait(check_timeout(device, status, deadline_ns, operation, "synchronize"), target,
             operation);
}

void StreamState::check_wait(patchbay_status* status, std::uint64_t target,
                             std::string_view operation) {
  if (status != nullptr) [[unlikely]]
    raise_wait_failure(device, *progress, target, status, operation);
  progress->pass(target);
  write_trace();
  check_not_failed(operation);  // an event may have reported a failure meanwhile
}

void StreamState::flush() {
  check_home("flush");
  const std::scoped_lock lock(mutex);
  check_call(device, streams(device).flush(open_handle()), "flush");
}

std::shared_ptr<EventState> StreamState::record(std::shared_ptr<DeviceState> keep_alive) {
  check_home("record");
  settle_foreign_waits(PATCHBAY_NO_DEADLINE, "record");
  const std::scoped_lock lock(mutex);
  check_not_failed("record");
  return record_for(std::move(keep_alive), "record");
}

std::shared_ptr<EventState> StreamState::record_unless_done(
    std::uint64_t sequence, std::string_view operation, std::shared_ptr<DeviceState> keep_alive) {
  check_home(operation);
  settle_foreign_waits(PATCHBAY_NO_DEADLINE, operation);
  const std::scoped_lock lock(mutex);
  if (is_done(sequence)) return nullptr;
  check_not_failed(operation);
  return record_for(std::move(keep_alive), operation);
}

std::shared_ptr<EventState> StreamState::record_for(std::shared_ptr<DeviceState> keep_alive,
                                                    std::string_view operation,
                                                    std::uint32_t event_flags) {
  patchbay_stream* const open = open_handle();
  auto event = std::make_shared<EventState>(*this, keep_alive != nullptr, event_flags);
  check_call(device, events(device).record(event->handle, open), operation);
  if (keep_alive == nullptr) return event;
  struct Kept {
    std::shared_ptr<DeviceState> device;
    std::shared_ptr<EventState> event;  // released before the device
  };
  const auto kept = std::make_shared<const Kept>(Kept{std::move(keep_alive), std::move(event)});
  return {kept, kept->event.get()};
}

void StreamState::wait(const std::shared_ptr<EventState>& event, std::string_view operation) {
  check_home(operation);
  if (completes_inline) {
    event->wait(PATCHBAY_NO_DEADLINE, operation);
  } else if (&event->device.plugin == &device.plugin) {
    const std::scoped_lock lock(mutex);
    check_not_failed(operation);
    check_call(device, streams(device).wait_event(open_handle(), event->handle), operation);
    if (event->progress != progress) {
      // The wait gets its own position: until that is passed, the stream has pending work.
      const std::uint64_t sequence = submitted.fetch_add(1, std::memory_order_acq_rel) + 1;
      progress->note_wait(sequence, event->progress, event->sequence);
    }
  } else {
    // Events do not cross plugins: the next submission waits on the host first. The runtime owns
    // this stream, or the stream keeps it: a handle that keeps the runtime too could never end.
    const bool is_own = &event->device.runtime == &device.runtime;
    const std::scoped_lock lock(mutex);
    foreign_waits_.push_back(is_own ? event->shared_from_this() : event);
    has_foreign_waits_.store(true, std::memory_order_release);
  }
}

/// Keeps an event that failed or timed out.
void StreamState::settle_foreign_waits(std::uint64_t deadline_ns, std::string_view operation) {
  while (has_foreign_waits_.load(std::memory_order_acquire)) {
    std::shared_ptr<EventState> next;
    {
      const std::scoped_lock lock(mutex);
      if (!foreign_waits_.empty()) next = foreign_waits_.front();
    }
    if (next) next->wait(deadline_ns, operation);
    const std::scoped_lock lock(mutex);
    std::erase(foreign_waits_, next);
    has_foreign_waits_.store(!foreign_waits_.empty(), std::memory_order_release);
  }
}

void StreamState::finish_foreign_waits() noexcept {
  const base::CancellationOff not_cancelled;
  try {
    settle_foreign_waits(PATCHBAY_NO_DEADLINE, "wait");
  } catch (...) {  // NOLINT(bugprone-empty-catch): the next submission reports it
  }
}

bool StreamState::can_wait_for(Queue& other) noexcept {
  const StreamState* stream = other.as_stream();
  return stream != nullptr && &stream->device.plugin == &device.plugin;
}

void StreamState::wait_for(Queue& other, std::uint64_t sequence, std::string_view operation) {
  if (&other == this || other.is_done(sequence)) return;
  if (!can_wait_for(other)) {
    other.wait_on_host(sequence, operation, PATCHBAY_NO_DEADLINE);
    return;
  }
  if (const auto event = other.as_stream()->record_unless_done(sequence, operation)) {
    wait(event, operation);
  }
}

void StreamState::wait_on_host(std::uint64_t sequence, std::string_view operation,
                               std::uint64_t deadline_ns) {
  if (!is_done(sequence)) synchronize(deadline_ns, operation);
}

void StreamState::add_callback(PendingCall::Body body) {
  settle_foreign_waits(PATCHBAY_NO_DEADLINE, "add_callback");
  const auto callback = std::make_shared<Callback>(std::move(body));
  PendingCall call([callback](patchbay_status* status) { callback->come(status); }, this);
  try {
    const std::scoped_lock lock(mutex);
    patchbay_status* const status =
        streams(device).add_callback(open_handle(), PendingCall::make, call.user());
    if (status != nullptr) {
      if (status->code != PATCHBAY_UNSUPPORTED) check_call(device, status, "add_callback");
      base::release_status(status);
      const auto event = record_locked("add_callback");
      if (callbacks_ == nullptr) callbacks_ = std::make_unique<CallbackThread>();
      callbacks_->add(event, call.user());
    }
    call.hand_over();
  } catch (...) {
    callback->end_submission();  // a plugin may make the call and fail all the same
    throw;
  }
  callback->end_submission();
}

void StreamState::reset() {
  // Learns whether the stream has failed. A driver may refuse to wait for a lent one.
  if (is_lent) {
    try {
      synchronize(PATCHBAY_NO_DEADLINE, "reset");
    } catch (const Error&) {
      if (!progress->has_failed()) throw;
    }
  } else {
    finish_quietly();
  }
  std::vector<std::shared_ptr<EventState>> dropped;  // destroyed after the lock
  const std::scoped_lock lock(mutex);
  const FaultPtr fault = progress->fault();
  // Without a failure of its own the stream still waits for what has not failed elsewhere.
  dropped = foreign_waits_;
  std::erase_if(foreign_waits_, [&](const auto& event) {
    return fault != nullptr || event->progress->fault_at(event->sequence) != nullptr;
  });
  has_foreign_waits_.store(!foreign_waits_.empty(), std::memory_order_release);
  if (fault == nullptr) return;
  if (fault->loses_device()) throw stream_error(*fault, "reset");
  if (is_lent) {
    base::raise(
        ErrorCode::kUnsupported,
        "[reset] the stream is the application's, which alone can make another ({}). Lend that one "
        "with wrap_stream.",
        device.info.name_text);
  }
  patchbay_stream* fresh = nullptr;
  retired_.reserve(retired_.size() + 1);
  check_call(device, streams(device).create(device.open(), flags, &fresh), "reset");
  retired_.push_back(std::exchange(handle, own_stream(device, fresh, "reset").release()));
  progress->forget_waits();
  progress->restart(submitted.load());
  if (times) times->restart();
  if (own_trace_ != nullptr) own_trace_->restart();
}

patchbay_status* check_timeout(const DeviceState& device, patchbay_status* status,
                               std::uint64_t deadline_ns, std::string_view operation,
                               const char* entry) {
  if (deadline_ns != PATCHBAY_NO_DEADLINE || !is_timeout(status)) return status;
  const base::StatusHolder holder(status);
  raise_bad_answer(device, operation, fmt::format("{} timed out without a deadline", entry));
}

void check_call(DeviceState& device, patchbay_status* status, std::string_view operation) {
  if (status == nullptr) [[likely]]
    return;
  if ((status->flags & PATCHBAY_STATUS_DEVICE_LOST) != 0) {
    StreamProgress none(device.info.name_text);
    raise_wait_failure(device, none, 0, status, operation);
  }
  base::raise_status(status, operation, device.info.name_text);
}

void check_build(DeviceState& device, patchbay_status* status, std::string_view operation) {
  const bool is_log = status != nullptr && status->code == PATCHBAY_BUILD_FAILED;
  if (is_log && (status->flags & PATCHBAY_STATUS_DEVICE_LOST) == 0) {
    base::raise_build_status(status, operation, device.info.name_text);
  }
  check_call(device, status, operation);
}

void raise_wait_failure(DeviceState& device, StreamProgress& progress, std::uint64_t target,
                        patchbay_status* status, std::string_view operation) {
  if (is_timeout(status)) raise_timeout(device, progress, target, status, operation);
  if (!is_fault(*status)) base::raise_status(status, operation, device.info.name_text);
  const base::StatusHolder holder(status);
  const FaultPtr fault = progress.fail(*status, target);
  if (fault->loses_device()) device.lose(fault);
  progress.pass(target);
  throw stream_error(*fault, operation);
}

}  // namespace patchbay::runtime
