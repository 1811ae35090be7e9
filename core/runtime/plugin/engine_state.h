// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin that moves data between processes.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_ENGINE_STATE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_ENGINE_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "patchbay/plugin/collective.h"
#include "patchbay/runtime.h"

#include "core/runtime/plugin/plugin_file.h"
#include "core/runtime/plugin/plugin_tables.h"

namespace patchbay::runtime {

/// A plugin of kind "collective". Groups keep it open.
struct EngineState final : PluginFile {
  using PluginFile::PluginFile;
  ~EngineState() override;

  /// Opens the library and the engine and asks what it is. Calls finish().
  void load(const Inspection& inspection);
  /// Closes the engine and the library. No group is left.
  void close() noexcept;
  PluginInfo info() const;
  /// A line for the status of the file.
  std::string explain() const;

  patchbay_plugin plugin{};
  patchbay_collective_table table{};
  patchbay_driver* driver = nullptr;
  std::uint32_t launched_rank = 0, launched_size = 0;
  std::string library_name;
  std::atomic<std::size_t> num_groups{0};

 private:
  std::string describe();
};

/// Keeps an engine open while it lives. Counted under the registry's lock.
class EngineUse {
 public:
  explicit EngineUse(EngineState& engine) : engine_(&engine) { engine.num_groups.fetch_add(1); }
  EngineUse(EngineUse&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)) {}
  EngineUse& operator=(EngineUse&&) = delete;
  ~EngineUse() {
    if (engine_ != nullptr) engine_->num_groups.fetch_sub(1);
  }
  EngineState& operator*() const { return *engine_; }
  EngineState* operator->() const { return engine_; }

 private:
  EngineState* engine_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_ENGINE_STATE_H_
