// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graph/graph_state.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/kernel/launch_grid.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

const GraphBuffer* GraphState::find(const BufferState& recorded) const {
  for (const GraphBuffer& buffer : buffers_) {
    if (buffer.recorded.state() == &recorded) return &buffer;
  }
  return nullptr;
}

std::uint32_t GraphState::index_of(const GraphBuffer& buffer) const {
  return static_cast<std::uint32_t>(&buffer - buffers_.data());
}

namespace {

/// Whether they are one buffer, or wrap overlapping blocks of the application's.
bool overlap(const BufferState& a, const BufferState& b) {
  if (&a == &b) return true;
  if (!may_share_bytes(a, b)) return false;
  return address_of(a) < address_of(b) + b.size_bytes &&
         address_of(b) < address_of(a) + a.size_bytes;
}

}  // namespace

bool GraphState::shares_written(const GraphBuffer& place, const BufferState& other) const {
  return std::any_of(buffers_.begin(), buffers_.end(), [&](const GraphBuffer& buffer) {
    return &buffer != &place && buffer.current && (buffer.is_written || place.is_written) &&
           overlap(*buffer.current.state(), other);
  });
}

bool GraphState::is_within(const GraphRange& bytes) const {
  const auto is_in = [&](const GraphRange& range) {
    return range.buffer != bytes.buffer ||
           (range.offset_bytes >= bytes.offset_bytes &&
            range.offset_bytes + range.size_bytes <= bytes.offset_bytes + bytes.size_bytes);
  };
  return std::all_of(places_.begin(), places_.end(), is_in) &&
         std::all_of(copies_.begin(), copies_.end(),
                     [&](const Copy& copy) { return is_in(copy.to) && is_in(copy.from); });
}

bool GraphState::bind(const GraphRange& bytes, const Buffer& replacement,
                      std::uint64_t offset_bytes) {
  check_home("bind");
  Buffer former;  // released after the lock
  const std::scoped_lock lock(mutex_);
  GraphBuffer& buffer = buffers_[bytes.buffer];
  if (shares_written(buffer, *replacement.state())) return false;
  former = std::exchange(buffer.current, replacement);
  buffer.shift = static_cast<std::int64_t>(offset_bytes - bytes.offset_bytes);
  resolve();
  return true;
}

bool GraphState::set(std::uint32_t slot, const Scalar& value) {
  check_home("set");
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<patchbay_argument*, base::ElementBits>> changes;
  for (const GraphSlot& known : slots_) {
    if (known.slot != slot) continue;
    patchbay_argument& argument = arguments_[known.argument];
    // A bool crosses as u8, with the value 0 or 1.
    changes.emplace_back(&argument, value.bits(static_cast<DType>(argument.dtype), "set"));
  }
  for (const auto& [argument, bits] : changes) set_value(*argument, bits);
  return !changes.empty();
}

void GraphState::resolve() {
  auto place = places_.begin();
  for (patchbay_argument& argument : arguments_) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    const GraphBuffer& buffer = buffers_[place->buffer];
    const patchbay_memory& memory = buffer.current.state()->memory;
    argument.value.memory = {memory.base, memory.offset_bytes + place->offset_bytes +
                                              static_cast<std::uint64_t>(buffer.shift)};
    ++place;
  }
  uses_.clear();
  for (const RecordedUse& use : recorded_uses_) {
    uses_.push_back({buffers_[use.buffer].current.state(), use.writes, use.reads});
  }
  std::unordered_map<BufferState*, BufferAccess> boundary;
  for (const GraphBuffer& buffer : buffers_) {
    if (!buffer.is_read && !buffer.is_written) continue;
    BufferState* state = buffer.current.state();
    BufferAccess& use =
        boundary.try_emplace(state, BufferAccess{state, false, false}).first->second;
    use.writes = use.writes || buffer.is_written;
    use.reads = use.reads || (buffer.is_read && buffer.recorded);  // arenas are written first
  }
  boundary_.clear();
  for (const auto& [state, use] : boundary) boundary_.push_back(use);
  constants_.clear();
  place = places_.begin();
  for (patchbay_argument& argument : arguments_) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    argument.contents = 0;
    const GraphBuffer& buffer = buffers_[(place++)->buffer];
    BufferState* const state = buffer.current.state();
    // A driver's graph keeps its arguments, and would be made again for other numbers.
    if (driver_graph_ == nullptr && !boundary.at(state).writes) {
      constants_.push_back({&argument, state});
    }
  }
  results_.clear();
  for (const GraphBuffer& buffer : buffers_) {
    const bool is_whole = buffer.is_result() && buffer.shift == 0 &&
                          buffer.current.state()->size_bytes == buffer.recorded.state()->size_bytes;
    if (is_whole) results_.push_back(buffer.current.state());
  }
}

void GraphState::take_draws() {
  std::vector<GeneratorPosition> starts;
  for (const GraphGenerator& generator : generators_) {
    const std::scoped_lock lock(generators_mutex());
    starts.push_back({generator.state->seed, generator.state->offset});
    generator.state->offset += generator.offset - generator.met.offset;
  }
  for (const GraphDraw& draw : draws_) {
    const GeneratorPosition& start = starts[draw.generator];
    arguments_[draw.argument].value.bits = draw.is_seed ? start.seed : start.offset + draw.distance;
  }
}

CopyAddress GraphState::address_of(const GraphRange& range) const {
  const GraphBuffer& buffer = buffers_[range.buffer];
  return {buffer.current.state(), range.offset_bytes + static_cast<std::uint64_t>(buffer.shift),
          nullptr};
}

void GraphState::run_step(const Step& step) {
  switch (step.kind) {
    case Step::kLaunch: {
      const Launch& launch = launches_[step.index];
      return runtime::launch(*launch.kernel, arguments_of(launch), uses_of(launch), launch.name);
    }
    case Step::kGridLaunch: {
      const GridLaunch& launch = grid_launches_[step.index];
      return launch_grid(*launch.kernel, launch.groups, launch.group_size, arguments_of(launch),
                         uses_of(launch));
    }
    case Step::kCopy: {
      const Copy& copy = copies_[step.index];
      return copy_bytes(address_of(copy.to), address_of(copy.from), copy.to.size_bytes,
                        /*non_blocking=*/true, copy.name);
    }
    case Step::kLook: {
      const LookStep& look = looks_[step.index];
      return look_at(address_of(look.range), look.range.size_bytes, look.name, look.look);
    }
  }
}

/// For operations that are done when their calls return, on memory that no other stream uses.
void GraphState::run_inline(StreamState& stream) {
  stream.check_not_failed("replay");
  const auto enter = device_->plugin.tables.kernel.launch;
  for (const Launch& launch : launches_) {
    check_call(
        *device_,
        enter(stream.handle, launch.kernel->handle, &arguments_[launch.first_argument],
              launch.num_arguments, launch.workspace, {launch.name.data(), launch.name.size()}),
        launch.name);
  }
}

patchbay_status* GraphState::submit_step(const Step& step, patchbay_stream* stream) const {
  if (step.kind == Step::kGridLaunch) {
    const GridLaunch& launch = grid_launches_[step.index];
    return submit_grid(stream, *launch.kernel, launch.groups, launch.group_size,
                       arguments_of(launch));
  }
  const Launch& launch = launches_[step.index];
  return launch.kernel->device.plugin.tables.kernel.launch(
      stream, launch.kernel->handle, &arguments_[launch.first_argument], launch.num_arguments,
      launch.workspace, {launch.name.data(), launch.name.size()});
}

/// Whether every buffer has elements. One without may still be written by a step before it is read.
bool GraphState::is_readable() const {
  try {
    check_readable(boundary_, "replay");
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool GraphState::run_by_driver(StreamState& stream, std::uint64_t known_faults) {
  constexpr const char* kName = "replay";
  if (driver_graph_ == nullptr || !driver_graph_->is_usable() || !is_readable()) return false;
  insert_waits(stream, boundary_, kName);
  // The workspace: the last replay may have been on another stream.
  for (const Buffer& arena : arenas_) arena.state()->insert_waits(stream, /*writes=*/true, kName);
  if (!driver_graph_->has(arguments_)) {
    const auto launch_all = [this](patchbay_stream* recorded) -> patchbay_status* {
      for (const Step& step : steps_) {
        patchbay_status* const status = submit_step(step, recorded);
        if (status != nullptr) return status;
      }
      return nullptr;
    };
    if (!driver_graph_->record(arguments_, launch_all)) return false;
  }
  for (const GridLaunch& launch : grid_launches_) launch.kernel->module->launched.store(true);
  stream.submit(
      {.name = kName, .arguments = {}},
      [&](std::uint64_t sequence) {
        for (const BufferAccess& use : boundary_) {
          use.buffer->note_use(stream, sequence, use.writes);
        }
        for (const Buffer& arena : arenas_) {
          arena.state()->note_use(stream, sequence, /*writes=*/true);
        }
      },
      [&](patchbay_stream* handle) { return driver_graph_->replay(handle, kName); });
  for (const Launch& launch : launches_) {
    note_rewritten(arguments_of(launch), uses_of(launch), known_faults);
  }
  return true;
}

void GraphState::check_home(std::string_view operation) const {
  for (const auto& device : devices_) device->check_home(operation);
}

/// If it fails, its results have no elements.
void GraphState::replay() {
  check_home("replay");
  const std::scoped_lock lock(mutex_);
  try {
    run();
  } catch (...) {
    for (BufferState* result : results_) result->note_unwritten(failed_);
    throw;
  }
}

void GraphState::run() {
  const std::uint64_t known = BufferState::faults_so_far();
  take_draws();
  for (const BufferAccess& use : boundary_) {
    if (use.writes) use.buffer->count_version();
  }
  const WriteScope scope(boundary_);
  for (const Constant& constant : constants_) {
    constant.argument->contents = constant.buffer->contents();
  }
  for (BufferState* result : results_) result->note_rewritten(known);
  DeviceState* const device = driver_graph_ != nullptr ? &driver_graph_->device() : device_;
  StreamState* stream = device != nullptr ? &current_stream(*device, "replay") : nullptr;
  if (device_ != nullptr && stream->completes_inline && !device_->runtime.tracing.is_watched() &&
      !are_tracked(boundary_)) {
    run_inline(*stream);
  } else {
    for (const Buffer& arena : arenas_) arena.state()->note_rewritten(known);
    const bool may_be_one = stream != nullptr && !stream->completes_inline && !stream->is_traced();
    if (!may_be_one || !run_by_driver(*stream, known)) {
      for (const Step& step : steps_) run_step(step);
    }
  }
  for (const KernelCopy& copy : kernel_copies_) record_kernel_copy(*copy.device, copy.size_bytes);
}

}  // namespace patchbay::runtime
