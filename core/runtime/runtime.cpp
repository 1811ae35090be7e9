// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "patchbay/runtime.h"

#include <mutex>
#include <optional>
#include <utility>

#include "core/runtime/error.h"
#include "core/runtime/fork.h"
#include "core/runtime/runtime_state.h"
#include "core/runtime/stream_scope.h"

namespace patchbay {
namespace {

std::vector<Device> handles(const std::vector<runtime::DeviceState*>& states) {
  std::vector<Device> result;
  result.reserve(states.size());
  for (runtime::DeviceState* state : states) result.emplace_back(state->shared());
  return result;
}

}  // namespace

Runtime::Runtime(const RuntimeOptions& options)
    : state_(new runtime::RuntimeState(options), runtime::DeleteOutsideCallbacks()) {
  state_->load_plugins(options);
}

namespace {

/// Never destroyed: devices may be used until the process has ended.
struct DefaultRuntime {
  std::once_flag is_made;
  std::optional<Runtime> runtime;
};
constinit runtime::OfProcess<DefaultRuntime> default_runtime;

}  // namespace

Runtime& Runtime::get_default() {
  DefaultRuntime& made = default_runtime.get();
  std::call_once(made.is_made, [&made] { made.runtime.emplace(RuntimeOptions{}); });
  return *made.runtime;
}

PluginInfo Runtime::load(const std::filesystem::path& file,
                         std::map<std::string, std::string> settings) const {
  return state_->load(file, std::move(settings));
}

Device Runtime::device(std::string_view name) const { return Device(state_->find(name).shared()); }

std::vector<Device> Runtime::devices() const { return handles(state_->devices()); }

std::vector<Device> Runtime::gpus() const { return handles(state_->gpus()); }

Device Runtime::try_gpu(int i) const {
  if (i < 0) {
    runtime::raise(ErrorCode::kInvalidArgument,
                   "[try_gpu] bad index: expected 0 or more, got {}. try_gpu(0) is the first.", i);
  }
  const auto found = state_->gpus();
  if (static_cast<std::size_t>(i) >= found.size()) return device("cpu:0");
  return Device(found[static_cast<std::size_t>(i)]->shared());
}

std::vector<Device> Runtime::try_all_gpus() const {
  std::vector<Device> found = gpus();
  if (found.empty()) found.push_back(device("cpu:0"));
  return found;
}

std::vector<PluginInfo> Runtime::plugins() const {
  state_->home.check("plugins", "every plugin");
  const std::scoped_lock lock(state_->mutex);
  std::vector<PluginInfo> result;
  for (const auto& plugin : state_->plugins) result.push_back(plugin->info());
  return result;
}

std::vector<std::filesystem::path> Runtime::plugin_directories() const {
  return state_->directories;
}

std::string Runtime::explain() const { return state_->explain(); }

void Runtime::unload(std::string_view plugin_name) { state_->unload(plugin_name); }

void Runtime::set_out_of_memory_callback(OutOfMemoryCallback callback) const {
  state_->home.check("set_out_of_memory_callback", "every device");
  auto shared =
      callback ? std::make_shared<const OutOfMemoryCallback>(std::move(callback)) : nullptr;
  const std::scoped_lock lock(state_->mutex);
  state_->on_out_of_memory = std::move(shared);
}

Ledger& Runtime::ledger() const { return state_->ledger; }

int num_gpus() { return Runtime::get_default().num_gpus(); }
Device try_gpu(int i) { return Runtime::get_default().try_gpu(i); }
std::vector<Device> try_all_gpus() { return Runtime::get_default().try_all_gpus(); }

}  // namespace patchbay
