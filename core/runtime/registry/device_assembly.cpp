// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/registry/device_assembly.h"

#include <cxxabi.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "patchbay/plugin/extensions.h"

#include "core/base/cancellation.h"
#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/copy/transfer.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/context.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/plugin/guarded_call.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/registry/driver_lock.h"

namespace patchbay::runtime {

DeviceAssembly::DeviceAssembly(RuntimeState& owner, PluginState& maker, const DeviceInfo& described,
                               bool is_visible)
    : DeviceState(owner, maker, described),
      visible(is_visible),
      own_allocator_(*this),
      own_kernels_(*this) {
  allocator = &own_allocator_;
  kernels = &own_kernels_;
}

DeviceAssembly::~DeviceAssembly() {
  const std::weak_ptr<const void> users = std::exchange(life, nullptr);
  while (!users.expired()) std::this_thread::yield();
  {
    const std::scoped_lock lock(link->mutex);
    link->device = nullptr;
  }
  // No plugin is called once the process is ending: what is open stays open.
  if (!process_is_ending()) return;
  static_cast<void>(own_stream_.release());
  static_cast<void>(transfer_stream.release());
}

void DeviceAssembly::close_stream() {
  if (own_stream_ != nullptr) own_stream_->close();
}

/// Lives while a device is opened, or asked while it is not open, through the plugin's entries.
class DeviceAssembly::OpenScope {
 public:
  /// Errors: kUnknownDevice once the use of the device has ended, without a wait for its closing.
  explicit OpenScope(DeviceAssembly& device) : lock_(checked(device).open_mutex_) {
    opening_ = &checked(device);
  }
  ~OpenScope() { opening_ = nullptr; }
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;

 private:
  static DeviceAssembly& checked(DeviceAssembly& device) {
    if (device.has_ended_) device.raise_gone();
    return device;
  }

  const DriverLock driver_lock_;
  const std::scoped_lock<output::NoDeliveryMutex> lock_;
};

constinit const DeviceAssembly* DeviceAssembly::opening_ = nullptr;

patchbay_device* DeviceAssembly::open_slowly() {
  const OpenScope opening(*this);
  if (patchbay_device* opened = handle.load(std::memory_order_acquire)) return opened;
  plugin.heed_process_end();
  patchbay_device* opened = nullptr;
  const KeptFloatEnvironment kept;
  base::check(plugin.tables.plugin.open_device(plugin.driver, info.plugin_index, &opened), "Device",
              info.name_text);
  finish_opening(given(opened, *this, "Device", "open_device"));
  return opened;
}

bool DeviceAssembly::ask_memory(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  check_home("memory");
  if (handle.load(std::memory_order_acquire) != nullptr) return false;  // without a lock
  const OpenScope opening(*this);  // the plugin is not unloaded meanwhile
  if (handle.load(std::memory_order_acquire) != nullptr) return false;
  const auto* table = static_cast<const patchbay_memory_info_table*>(plugin.extension(
      PATCHBAY_EXTENSION_MEMORY_INFO, sizeof(patchbay_memory_info_table), info.plugin_index));
  if (table == nullptr) return false;
  // The library that tells it may register a handler of its own, once.
  if (!std::exchange(has_asked_memory_, true)) plugin.heed_process_end();
  const base::StatusHolder failure(
      table->info(plugin.driver, info.plugin_index, &free_bytes, &total_bytes));
  return !failure;
}

void DeviceAssembly::open_in(std::uint64_t native_context) {
  check_home("adopt_context");
  const OpenScope opening(*this);
  if (handle.load(std::memory_order_acquire) != nullptr) {
    base::raise(
        ErrorCode::kInUse,
        "[adopt_context] device {} is open already: expected one that nothing has used. Adopt the "
        "context before the first tensor, buffer, stream or memory query of the device.",
        info.name_text);
  }
  const auto* table = static_cast<const patchbay_adopt_context_table*>(plugin.extension(
      PATCHBAY_EXTENSION_ADOPT_CONTEXT, sizeof(patchbay_adopt_context_table), info.plugin_index));
  if (table == nullptr) {
    base::raise(
        ErrorCode::kUnsupported,
        "[adopt_context] the plugin '{}' takes no context of the application's ({}). Leave it "
        "out, and the device opens in a context of its own.",
        plugin.name, info.name_text);
  }
  plugin.heed_process_end();
  patchbay_device* opened = nullptr;
  const KeptFloatEnvironment kept;
  base::check(table->open_device(plugin.driver, info.plugin_index, native_context, &opened),
              "adopt_context", info.name_text);
  given(opened, *this, "adopt_context", "open_device of 'adopt-context'");
  if (plugin.layer) plugin.layer->adopt_device(info.plugin_index, opened);
  finish_opening(opened);
}

/// The caller holds open_mutex_.
void DeviceAssembly::finish_opening(patchbay_device* opened) {
  patchbay_stream* stream = nullptr;
  const std::uint32_t flags = stream_flags(PATCHBAY_STREAM_DEFAULT);
  std::unique_ptr<patchbay_device, void (*)(patchbay_device*)> owned(
      opened, plugin.tables.plugin.close_device);
  base::check(plugin.tables.stream.create(opened, flags, &stream), "Device", info.name_text);
  StreamHandle adopted = own_stream(*this, stream, "Device");
  auto made = std::make_unique<StreamState>(*this, nullptr, std::move(adopted), flags);
  made->drop_times();  // a default stream has no take_times
  add_stream(*made);
  if (!caches_memory()) own_allocator_.set_source(nullptr, /*caches=*/false);
  own_stream_ = std::move(made);
  default_stream = own_stream_.get();
  static_cast<void>(owned.release());
  closing_handle.store(opened);
  handle.store(opened, std::memory_order_release);
}

std::string DeviceAssembly::holders() const {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  // A plugin's scratch memory goes with the plugin.
  const LiveMemory live = own_allocator_.live_without_scratch();
  add(live.num_blocks, "buffer", "buffers");
  if (live.num_blocks > 0) text += fmt::format(" ({} bytes)", live.size_bytes);
  add(static_cast<std::uint64_t>(live_wraps.load()), "wrapped buffer", "wrapped buffers");
  {
    const std::scoped_lock lock(streams_mutex_);
    const auto is_held = [](const StreamState* stream) { return stream->keep != nullptr; };
    add(static_cast<std::uint64_t>(std::count_if(streams_.begin(), streams_.end(), is_held)),
        "stream", "streams");
  }
  add(static_cast<std::uint64_t>(live_events.load()), "event", "events");
  add(own_kernels_.num_held() + static_cast<std::uint64_t>(live_preparations.load()), "kernel",
      "kernels");
  add(static_cast<std::uint64_t>(live_modules.load()), "kernel module", "kernel modules");
  return text;
}

void DeviceAssembly::add_stream(StreamState& stream) {
  const std::scoped_lock lock(streams_mutex_);
  streams_.push_back(&stream);
  if (lost_) stream.progress->fail(lost_);
}

void DeviceAssembly::remove_stream(StreamState& stream) {
  const std::scoped_lock lock(streams_mutex_);
  std::erase(streams_, &stream);
}

void DeviceAssembly::lose(const FaultPtr& fault) {
  const std::scoped_lock lock(streams_mutex_);
  if (lost_ == nullptr) lost_ = fault;
  is_lost_.store(true, std::memory_order_relaxed);
  for (StreamState* const stream : streams_) stream->progress->fail(lost_);
}

void DeviceAssembly::raise_lost(std::string_view operation) const {
  const std::scoped_lock lock(streams_mutex_);
  throw stream_error(*lost_, operation);
}

/// All streams but the default one, kept alive by handles.
std::vector<std::shared_ptr<StreamState>> DeviceAssembly::hold_streams() const {
  std::vector<std::shared_ptr<StreamState>> held;
  const std::scoped_lock lock(streams_mutex_);
  held.reserve(streams_.size());  // so that push_back can't fail: a stream may not end here
  for (StreamState* const stream : streams_) {
    if (auto one = stream->weak_from_this().lock()) held.push_back(std::move(one));
  }
  return held;
}

void DeviceAssembly::synchronize(std::uint64_t deadline_ns) {
  if (!runtime.transfer.finish(this, deadline_ns)) {
    base::raise(
        ErrorCode::kTimedOut,
        "[synchronize] the deadline passed during a copy ({}). Nothing is lost: wait again.",
        info.name_text);
  }
  std::exception_ptr failure;  // the first; the other streams are waited for all the same
  // The reference to a forced unwinding is null: see the kit's guarded_cancellable.
  const auto wait = [&](StreamState & stream) __attribute__((noinline, no_sanitize("null"))) {
    try {
      stream.synchronize(deadline_ns);
    } catch (const abi::__forced_unwind&) {  // pthread_cancel: no other stream is waited for
      throw;
    } catch (...) {
      if (failure == nullptr) failure = std::current_exception();
    }
  };
  const auto others = hold_streams();
  wait(*default_stream);
  for (const auto& stream : others) wait(*stream);
  if (failure != nullptr) std::rethrow_exception(failure);
}

void DeviceAssembly::write_trace() noexcept try {
  if (!home.is_here()) return;
  const base::CancellationOff not_cancelled;
  const CallGate::Call call(plugin.calls);
  const auto others = hold_streams();
  if (handle.load(std::memory_order_acquire) != nullptr) default_stream->write_trace();
  for (const auto& stream : others) stream->write_trace();
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): no memory for the list
}

void DeviceAssembly::finish_trace() noexcept {
  if (!home.is_here()) return;
  const base::CancellationOff not_cancelled;
  const CallGate::Call call(plugin.calls);
  if (handle.load(std::memory_order_acquire) == nullptr) return;
  runtime.transfer.finish(this, PATCHBAY_NO_DEADLINE);
  finish_quietly();
}

void DeviceAssembly::finish_quietly() noexcept {
  default_stream->finish_quietly();
  try {
    for (const auto& stream : hold_streams()) stream->finish_quietly();
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for the list
  }
}

void DeviceAssembly::free_scratch(patchbay_memory memory) noexcept {
  const PluginScratchScope mark;
  own_allocator_.free_scratch(memory);
  if (closes_.load()) own_allocator_.trim();  // nothing else gives it back
}

void DeviceAssembly::end_use() {
  const std::scoped_lock lock(open_mutex_);
  has_ended_ = true;
  handle.store(nullptr);
}

void DeviceAssembly::close() {
  const base::CancellationOff not_cancelled;
  const std::scoped_lock lock(open_mutex_);
  patchbay_device* const opened = closing_handle.load();
  if (opened == nullptr) return;
  own_kernels_.clear();
  default_stream->finish_quietly();
  default_stream->close();
  transfer_stream.reset();
  own_allocator_.trim();
  closes_.store(true);
  try {
    plugin.tables.plugin.close_device(opened);
  } catch (...) {
    runtime.logger.write(LogLevel::kError, "a plugin's close_device threw an exception");
  }
  closes_.store(false);
  closing_handle.store(nullptr);
}

}  // namespace patchbay::runtime
