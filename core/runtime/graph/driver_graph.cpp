// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graph/driver_graph.h"

#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/status.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/plugin/process_end.h"
#include "core/runtime/stream/fault.h"

namespace patchbay::runtime {

std::unique_ptr<DriverGraph> DriverGraph::make(DeviceState& device) {
  const RuntimeState& runtime = device.runtime;
  if (runtime.validates || runtime.sync || runtime.environment.get("driver_graphs") == "off") {
    return nullptr;
  }
  const auto* table = static_cast<const patchbay_graph_table*>(device.plugin.extension(
      PATCHBAY_EXTENSION_GRAPH, sizeof(patchbay_graph_table), device.info.plugin_index));
  if (table == nullptr) return nullptr;
  const auto call = device.enter("record_graph");
  patchbay_graph* handle = nullptr;
  if (patchbay_status* const status = table->create(device.open("record_graph"), &handle)) {
    base::release_status(status);
    return nullptr;
  }
  given(handle, device, "record_graph", "create of 'graph'");
  return std::unique_ptr<DriverGraph>(new DriverGraph(device, *table, handle));
}

DriverGraph::~DriverGraph() {
  if (!device_.is_callable()) return;
  if (was_replayed_) device_.finish_quietly();
  table_.destroy(handle_);
}

bool DriverGraph::has(const std::vector<patchbay_argument>& arguments) {
  const bool is_same =
      is_recorded_ && std::memcmp(arguments.data(), arguments_.data(),
                                  arguments.size() * sizeof(patchbay_argument)) == 0;
  if (is_same) num_in_a_row_ = 0;
  return is_same;
}

bool DriverGraph::record(const std::vector<patchbay_argument>& arguments,
                         const std::function<patchbay_status*(patchbay_stream*)>& launch_all) {
  // Where each replay needs a new recording, single launches cost less.
  constexpr int kMostInARow = 8;
  is_usable_ = is_usable_ && ++num_in_a_row_ <= kMostInARow;
  if (!is_usable_) return false;
  is_usable_ = is_recorded_ = false;
  arguments_ = arguments;
  try {
    patchbay_stream* stream = nullptr;
    check_call(device_, table_.begin(handle_, &stream), "replay");
    base::StatusHolder launched(stream != nullptr ? launch_all(stream) : nullptr);
    base::StatusHolder ended(table_.end(handle_));
    check_call(device_, launched ? launched.release() : ended.release(), "replay");
    given(stream, device_, "replay", "begin of 'graph'");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kDeviceLost) throw;
    if (error.code() == ErrorCode::kOutOfMemory) is_usable_ = true;  // perhaps the next time
    device_.plugin.owner.logger.log(LogLevel::kWarning,
                                    "the driver records no graph, which runs launch by launch: {}",
                                    error.what());
    return false;
  }
  return is_usable_ = is_recorded_ = true;
}

patchbay_status* DriverGraph::replay(patchbay_stream* stream, std::string_view name) {
  was_replayed_ = true;
  return table_.replay(handle_, stream, {name.data(), name.size()});
}

}  // namespace patchbay::runtime
