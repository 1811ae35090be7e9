// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A list of launches that the device's driver replays as one submission (extension graph/1).
#ifndef PATCHBAY_CORE_RUNTIME_GRAPH_DRIVER_GRAPH_H_
#define PATCHBAY_CORE_RUNTIME_GRAPH_DRIVER_GRAPH_H_

#include <functional>
#include <memory>
#include <vector>

#include "patchbay/plugin/extensions.h"

#include "core/runtime/device/device_state.h"

namespace patchbay::runtime {

/// One user at a time. The device outlives it.
class DriverGraph {
 public:
  /// Null if the plugin does not offer it, or the program has turned it off (`driver_graphs`).
  static std::unique_ptr<DriverGraph> make(DeviceState& device);
  ~DriverGraph();
  DriverGraph(const DriverGraph&) = delete;
  DriverGraph& operator=(const DriverGraph&) = delete;

  DeviceState& device() const { return device_; }
  /// Whether the recording was made with these arguments.
  bool has(const std::vector<patchbay_argument>& arguments);
  /// Records what `launch_all` launches on the given stream. Returns false if the driver can't
  /// record it, which the log says; then there is no recording, and further calls do nothing.
  bool record(const std::vector<patchbay_argument>& arguments,
              const std::function<patchbay_status*(patchbay_stream*)>& launch_all);
  patchbay_status* replay(patchbay_stream* stream, std::string_view name);

  /// Whether a recording may still succeed.
  bool is_usable() const { return is_usable_; }

 private:
  DriverGraph(DeviceState& device, const patchbay_graph_table& table, patchbay_graph* handle)
      : device_(device), table_(table), handle_(handle) {}

  DeviceState& device_;
  const patchbay_graph_table& table_;
  patchbay_graph* const handle_;
  std::vector<patchbay_argument> arguments_;  // of the recording
  bool is_recorded_ = false, was_replayed_ = false, is_usable_ = true;
  int num_in_a_row_ = 0;  // recordings of the last replays
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_GRAPH_DRIVER_GRAPH_H_
