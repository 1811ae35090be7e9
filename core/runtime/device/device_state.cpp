// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/device/device_state.h"

#include <algorithm>
#include <cstddef>

#include "patchbay/plugin/extensions.h"

#include "core/runtime/plugin/arrival.h"
#include "core/base/error.h"
#include "core/runtime/kernel/kernel_state.h"
#include "core/runtime/plugin/loader.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/validation/layer.h"

namespace patchbay::runtime {
namespace {

patchbay_string to_abi(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

DeviceState::DeviceState(RuntimeState& owner, PluginState& maker, std::uint32_t index)
    : home(owner.home),
      runtime(owner),
      plugin(maker),
      plugin_index(index),
      allocator(*this),
      kernels(*this) {}

DeviceState::~DeviceState() {
  {
    const std::scoped_lock lock(link->mutex);
    link->device = nullptr;
  }
  // After the process has begun to end no plugin is called: what is open stays open.
  if (!process_is_ending()) return;
  static_cast<void>(default_stream.release());
  static_cast<void>(transfer_stream.release());
}

std::shared_ptr<DeviceState> DeviceState::shared() { return {runtime.shared_from_this(), this}; }

patchbay_device* DeviceState::open_slowly() {
  const std::scoped_lock lock(open_mutex_);
  if (patchbay_device* opened = handle.load(std::memory_order_acquire)) return opened;
  if (closed_) raise_gone();
  plugin.heed_process_end();
  patchbay_device* opened = nullptr;
  check(plugin.tables.plugin.open_device(plugin.driver, plugin_index, &opened), "Device",
        name_text);
  finish_opening(given(opened, *this, "Device", "open_device"));
  return opened;
}

void DeviceState::open_in(std::uint64_t native_context) {
  check_home("adopt_context");
  const std::scoped_lock lock(open_mutex_);
  if (closed_) raise_gone();
  if (handle.load(std::memory_order_acquire) != nullptr) {
    raise(
        ErrorCode::kInUse,
        "[adopt_context] device {} is open already: expected one that nothing has used. Adopt the "
        "context before the first tensor, buffer, stream or memory query of the device.",
        name_text);
  }
  const auto* table =
      static_cast<const patchbay_adopt_context_table*>(plugin.tables.plugin.get_extension(
          plugin.driver, to_abi(PATCHBAY_EXTENSION_ADOPT_CONTEXT), 1));
  constexpr std::size_t kWholeBytes =
      offsetof(patchbay_adopt_context_table, open_device) + sizeof(table->open_device);
  if (table == nullptr || table->size < kWholeBytes || table->open_device == nullptr) {
    raise(ErrorCode::kUnsupported,
          "[adopt_context] the plugin '{}' takes no context of the application's ({}). Leave it "
          "out, and the device opens in a context of its own.",
          plugin.name, name_text);
  }
  plugin.heed_process_end();
  patchbay_device* opened = nullptr;
  check(table->open_device(plugin.driver, plugin_index, native_context, &opened), "adopt_context",
        name_text);
  given(opened, *this, "adopt_context", "open_device of 'adopt-context'");
  if (plugin.validation) plugin.validation->adopt_device(plugin_index, opened);
  finish_opening(opened);
}

/// Under open_mutex_.
void DeviceState::finish_opening(patchbay_device* opened) {
  patchbay_stream* stream = nullptr;
  const std::uint32_t flags = stream_flags(PATCHBAY_STREAM_DEFAULT);
  std::unique_ptr<patchbay_device, void (*)(patchbay_device*)> owned(
      opened, plugin.tables.plugin.close_device);
  check(plugin.tables.stream.create(opened, flags, &stream), "Device", name_text);
  StreamHandle adopted = own_stream(*this, stream, "Device");
  auto made = std::make_unique<StreamState>(*this, nullptr, std::move(adopted), flags);
  made->drop_times();  // nobody asks for them
  add_stream(*made);
  if (!caches_memory()) {
    for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kPinned}) {
      allocator.of(kind).set_source(nullptr, /*caches=*/false);
    }
  }
  default_stream = std::move(made);
  static_cast<void>(owned.release());
  handle.store(opened, std::memory_order_release);
}

bool DeviceState::caches_memory() const {
  return !runtime.validates && runtime.environment.get("memory_cache") != "off";
}

void DeviceState::raise_gone() const {
  raise(ErrorCode::kUnknownDevice, "[Device] device '{}' is gone: its plugin '{}' was unloaded.",
        name_text, plugin.name);
}

std::string DeviceState::holders() const {
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(allocator.live_blocks(), "buffer", "buffers");
  if (allocator.live_blocks() > 0) text += fmt::format(" ({} bytes)", allocator.live_bytes());
  add(static_cast<std::uint64_t>(live_wraps.load()), "wrapped buffer", "wrapped buffers");
  {
    const std::scoped_lock lock(streams_mutex_);
    const auto is_held = [](const StreamState* stream) { return stream->keep != nullptr; };
    add(static_cast<std::uint64_t>(std::count_if(streams_.begin(), streams_.end(), is_held)),
        "stream", "streams");
  }
  add(static_cast<std::uint64_t>(live_events.load()), "event", "events");
  add(kernels.num_held() + static_cast<std::uint64_t>(live_preparations.load()), "kernel",
      "kernels");
  add(static_cast<std::uint64_t>(live_modules.load()), "kernel module", "kernel modules");
  return text;
}

void DeviceState::add_stream(StreamState& stream) {
  const std::scoped_lock lock(streams_mutex_);
  streams_.push_back(&stream);
  if (lost_) stream.progress->fail(lost_);
}

void DeviceState::remove_stream(StreamState& stream) {
  const std::scoped_lock lock(streams_mutex_);
  std::erase(streams_, &stream);
}

void DeviceState::lose(const FaultPtr& fault) {
  const std::scoped_lock lock(streams_mutex_);
  if (lost_ == nullptr) lost_ = fault;
  is_lost_.store(true, std::memory_order_relaxed);
  for (StreamState* const stream : streams_) stream->progress->fail(lost_);
}

void DeviceState::raise_lost(std::string_view operation) const {
  const std::scoped_lock lock(streams_mutex_);
  throw stream_error(*lost_, operation);
}

/// All but the default one, held so that they do not go meanwhile.
std::vector<std::shared_ptr<StreamState>> DeviceState::hold_streams() const {
  const std::scoped_lock lock(streams_mutex_);
  std::vector<std::shared_ptr<StreamState>> held;
  for (StreamState* const stream : streams_) {
    if (auto one = stream->weak_from_this().lock()) held.push_back(std::move(one));
  }
  return held;
}

void DeviceState::synchronize(std::uint64_t deadline_ns) {
  if (!runtime.transfer.finish(this, deadline_ns)) {
    raise(ErrorCode::kTimedOut,
          "[synchronize] the deadline passed during a copy ({}). Nothing is lost: wait again.",
          name_text);
  }
  const auto others = hold_streams();
  default_stream->synchronize(deadline_ns);
  for (const auto& stream : others) stream->synchronize(deadline_ns);
}

void DeviceState::write_trace() noexcept try {
  if (!home.is_here()) return;
  const auto others = hold_streams();
  if (handle.load(std::memory_order_acquire) != nullptr) default_stream->write_trace();
  for (const auto& stream : others) stream->write_trace();
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): no memory for the list
}

/// A trace says when work ran.
std::uint32_t DeviceState::stream_flags(std::uint32_t wanted) const {
  return runtime.tracing.tracer() != nullptr ? wanted | PATCHBAY_STREAM_TIMES : wanted;
}

void DeviceState::finish_quietly() noexcept {
  default_stream->finish_quietly();
  try {
    for (const auto& stream : hold_streams()) stream->finish_quietly();
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory for the list
  }
}

void DeviceState::close() {
  const std::scoped_lock lock(open_mutex_);
  closed_ = true;
  patchbay_device* opened = handle.load();
  if (opened == nullptr) return;
  kernels.clear();
  default_stream->finish_quietly();
  allocator.trim();
  default_stream->close();
  transfer_stream.reset();
  plugin.tables.plugin.close_device(opened);
  handle.store(nullptr);
}

}  // namespace patchbay::runtime
