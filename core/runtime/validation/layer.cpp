// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/validation/layer.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/validation/guard.h"

namespace patchbay::runtime::validation {

void Findings::keep(const std::string& text, bool is_late) {
  {
    const std::scoped_lock lock(mutex_);
    ++count_;
    if (texts_.size() < kMostKept) texts_.push_back(text);
    if (is_late && late_.size() < kMostKept) late_.push_back(text);
  }
  logger_.log(LogLevel::kError, "{}", text);
}

patchbay_status* Findings::raise(const std::string& text) {
  keep(text, /*is_late=*/false);
  return base::make_status(base::kValidationCode, text);
}

void Findings::add_late(const std::string& text) { keep(text, /*is_late=*/true); }

patchbay_status* Findings::take_late() {
  std::string text;
  {
    const std::scoped_lock lock(mutex_);
    if (late_.empty()) return nullptr;
    text = std::move(late_.front());
    late_.pop_front();
  }
  return base::make_status(base::kValidationCode, text);
}

void Findings::forget_late() {
  const std::scoped_lock lock(mutex_);
  late_.clear();
}

std::uint64_t Findings::count() const {
  const std::scoped_lock lock(mutex_);
  return count_;
}

std::vector<std::string> Findings::texts() const {
  const std::scoped_lock lock(mutex_);
  return texts_;
}

namespace {

std::string made_by(const CallSite& site, const char* fallback) {
  const std::string caller = site.caller();
  return fmt::format("[{}]{}{}", site.operation(fallback), caller.empty() ? "" : " at ", caller);
}

const char* name_of(const Block& block) {
  switch (block.kind) {
    case PATCHBAY_MEMORY_PINNED: return "pinned buffer";
    case PATCHBAY_MEMORY_UNIFIED: return "unified buffer";
    default: return "buffer";
  }
}

}  // namespace

std::string describe(const Block& block) {
  const std::string tag = block.tag.empty() ? "" : fmt::format(", tag {}", base::quote(block.tag));
  return fmt::format("{}; {} of {} bytes{} made by {}", block.device->info.name_text,
                     name_of(block), block.size_bytes, tag, made_by(block.made_at, "allocate"));
}

std::string to_text(const LiveObject& object) {
  std::string text = fmt::format("[validation] {} on {}", object.kind, object.device);
  if (object.size_bytes != 0) text += fmt::format(" of {} bytes", object.size_bytes);
  if (!object.tag.empty()) text += fmt::format(", tag {}", base::quote(object.tag));
  text += fmt::format(" still lives: made by [{}]", object.operation);
  if (!object.origin.empty()) text += " at " + object.origin;
  return text;
}

Layer::Layer(PluginState& plugin)
    : plugin_(plugin), real_(plugin.tables), findings_(plugin.owner.logger) {
  link_->layer = this;
  install(plugin.tables);
}

Layer::~Layer() {
  const std::scoped_lock lock(link_->mutex);
  link_->layer = nullptr;
}

patchbay_status* Layer::open_device(std::uint32_t index, patchbay_device** device) {
  patchbay_status* const status = ask_for(*device, [&](patchbay_device** own) {
    return real_.plugin.open_device(plugin_.driver, index, own);
  });
  if (*device != nullptr) adopt_device(index, *device);
  return status;
}

void Layer::adopt_device(std::uint32_t index, patchbay_device*& device) {
  const auto is_it = [index](const auto& info) { return info->plugin_index == index; };
  const auto info = std::find_if(plugin_.devices.begin(), plugin_.devices.end(), is_it);
  const auto record = std::make_shared<DeviceRecord>(*this, **info, device);
  const std::scoped_lock lock(mutex_);
  devices_.emplace(record.get(), record);
  device = reinterpret_cast<patchbay_device*>(record.get());
}

patchbay_device* Layer::own_device(patchbay_device* device) const { return record_of(device).own; }

void Layer::finish_device(DeviceRecord& device) {
  std::vector<std::shared_ptr<Block>> left;
  {
    const std::scoped_lock lock(mutex_);
    left = blocks_.of(device);
    device.closes = true;
  }
  std::erase_if(left, [](const auto& block) { return block->is_released || block->is_wrapped; });
  check_guards(left, /*also_unsuspected=*/true);
  give_back(device, 0);
  for (const auto& block : left) {
    forget_guards(*block);  // there will be no stream to read them by
    if (block->is_scratch) continue;
    report_left(*block);
    real_.memory.release(device.own, block->kind, block->whole);
  }
  const std::scoped_lock lock(device.stream_mutex);
  device.has_stream_ended = true;
  if (device.stream != nullptr) real_.stream.destroy(std::exchange(device.stream, nullptr));
}

void Layer::forget_device(DeviceRecord& device) {
  std::vector<std::shared_ptr<Block>> left;
  {
    const std::scoped_lock lock(mutex_);
    left = blocks_.of(device);
  }
  for (const auto& block : left) report_left(*block);
  const std::scoped_lock lock(mutex_);
  devices_.erase(&device);
}

/// Logs memory that its owner has not released, and forgets it.
void Layer::report_left(const Block& block) {
  {
    const std::scoped_lock lock(mutex_);
    blocks_.remove(block);
  }
  if (block.is_wrapped) return;
  plugin_.owner.logger.log(LogLevel::kError, "[validation] never released: {}", describe(block));
}

void Layer::look() {
  std::vector<std::shared_ptr<Block>> live, released;
  {
    const std::scoped_lock lock(mutex_);
    for (auto& block : blocks_.all()) (block->is_released ? released : live).push_back(block);
  }
  for (const auto& block : released) check_released(*block);
  check_guards(live, /*also_unsuspected=*/true);
}

std::vector<LiveObject> Layer::live() {
  std::vector<LiveObject> result;
  const auto add = [&](const DeviceRecord& device, const char* kind, const CallSite& site,
                       std::uint64_t size_bytes, const std::string& tag) {
    result.push_back(
        {device.info.name_text, kind, size_bytes, tag, site.operation("allocate"), site.caller()});
  };
  const std::scoped_lock lock(mutex_);
  for (const auto& block : blocks_.all()) {
    if (block->is_released || block->is_wrapped) continue;
    add(*block->device, name_of(*block), block->made_at, block->size_bytes, block->tag);
  }
  // The core makes streams and events for itself too; the program's come from these calls.
  for (const auto& [handle, stream] : streams_) {
    if (stream->is_default) continue;
    const std::string operation = stream->made_at.operation("");
    if (operation == "Stream") add(*stream->device, "stream", stream->made_at, 0, "");
  }
  for (const auto& [handle, event] : events_) {
    if (event->made_at.operation("") == "record")
      add(*event->device, "event", event->made_at, 0, "");
  }
  return result;
}

void Layer::log_live() {
  constexpr std::size_t kMostLines = 50;
  std::vector<LiveObject> all = live();
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.size_bytes > b.size_bytes; });
  output::Logger& logger = plugin_.owner.logger;
  for (std::size_t i = 0; i < std::min(all.size(), kMostLines); ++i) {
    logger.log(LogLevel::kWarning, "{}", to_text(all[i]));
  }
  if (all.size() > kMostLines) {
    logger.log(LogLevel::kWarning, "[validation] and {} more", all.size() - kMostLines);
  }
}

}  // namespace patchbay::runtime::validation
