// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/graph/graph_recorder.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/context.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/graph/arena_plan.h"
#include "core/runtime/memory/view.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

GraphRecorder::GraphRecorder()
    : not_replayed_(std::make_shared<const Fault>(
          Fault{ErrorCode::kInvalidArgument, 0,
                "the graph that computes these elements was not replayed yet",
                "Replay it before its results are read"})),
      not_recorded_(std::make_shared<const Fault>(Fault{
          ErrorCode::kInvalidArgument, 0, "the recording that was to compute these elements failed",
          "Make the tensor again; remove a gradient with set_grad({})"})) {
  check_no_callback("record_graph");
  check_not_recording("record_graph");
  scope_ = std::make_shared<ScopedStream>(ScopedStream{nullptr, context().streams, this});
  previous_ = exchange_streams(scope_);
}

GraphRecorder::~GraphRecorder() {
  if (!is_finished_) note_unwritten(not_recorded_);
  scope_->recorder = nullptr;  // a scope that ends out of order may restore it
  exchange_streams(std::move(previous_));
}

std::uint32_t GraphRecorder::add_slot() {
  static constinit std::atomic<std::uint32_t> last{kNoSlot};
  slots_.push_back(last.fetch_add(1, std::memory_order_relaxed) + 1);
  return slots_.back();
}

bool GraphRecorder::has_slot(std::uint32_t slot) const {
  return std::find(slots_.begin(), slots_.end(), slot) != slots_.end();
}

std::uint32_t GraphRecorder::index_of(BufferState& buffer) {
  const auto [found, is_new] =
      indices_.try_emplace(&buffer, static_cast<std::uint32_t>(graph_->buffers_.size()));
  if (is_new) {
    buffer.retain();
    const std::size_t step = graph_->steps_.size();
    graph_->buffers_.push_back({Buffer(&buffer), {}, 0, false, false, false, step, step});
  }
  return found->second;
}

std::uint32_t GraphRecorder::use(BufferState& buffer, bool writes, bool reads) {
  const std::uint32_t index = index_of(buffer);
  GraphBuffer& known = graph_->buffers_[index];
  if (!known.is_read && !known.is_written) known.first_step = graph_->steps_.size();
  known.last_step = graph_->steps_.size();
  known.is_written = known.is_written || writes;
  known.is_read = known.is_read || reads;
  return index;
}

void GraphRecorder::note_made(BufferState& buffer) {
  graph_->buffers_[index_of(buffer)].is_made_here = true;
}

bool GraphRecorder::makes(const BufferState& buffer) const {
  const auto found = indices_.find(&buffer);
  return found != indices_.end() && graph_->buffers_[found->second].is_written;
}

bool GraphRecorder::owns(const BufferState& buffer) const {
  const auto found = indices_.find(&buffer);
  return found != indices_.end() && graph_->buffers_[found->second].is_made_here;
}

void GraphRecorder::add_arguments(std::span<const patchbay_argument> arguments,
                                  std::span<const BufferAccess> uses,
                                  std::span<const std::uint32_t> slots) {
  auto next = uses.begin();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(graph_->arguments_.size());
    graph_->arguments_.push_back(arguments[i]);
    if (arguments[i].kind == PATCHBAY_TENSOR) {
      BufferState& buffer = *next->buffer;
      const std::uint32_t index = use(buffer, next->writes, next->reads);
      graph_->places_.push_back(
          {index, arguments[i].value.memory.offset_bytes - buffer.memory.offset_bytes,
           static_cast<std::uint64_t>(View::of(arguments[i], 0).end())});
      graph_->recorded_uses_.push_back({index, next->writes, next->reads});
      ++next;
      continue;
    }
    const std::uint32_t slot = i < slots.size() ? slots[i] : kNoSlot;
    if (slot == kSeedSlot || slot == kOffsetSlot) {
      if (!last_draw_) continue;
      graph_->draws_.push_back(*last_draw_);
      graph_->draws_.back().argument = number;
      graph_->draws_.back().is_seed = slot == kSeedSlot;
    } else if (slot != kNoSlot) {
      graph_->slots_.push_back({slot, number});
    }
  }
}

void GraphRecorder::launch(KernelState& kernel, std::span<const patchbay_argument> arguments,
                           std::span<const BufferAccess> uses, std::string_view name,
                           std::span<const std::uint32_t> slots) {
  GraphState::Launch launch{&kernel,
                            static_cast<std::uint32_t>(graph_->arguments_.size()),
                            static_cast<std::uint32_t>(arguments.size()),
                            static_cast<std::uint32_t>(graph_->recorded_uses_.size()),
                            static_cast<std::uint32_t>(uses.size()),
                            {},
                            std::string(name)};
  add_arguments(arguments, uses, slots);
  graph_->steps_.push_back(
      {GraphState::Step::kLaunch, static_cast<std::uint32_t>(graph_->launches_.size())});
  graph_->launches_.push_back(std::move(launch));
}

void GraphRecorder::launch_grid(std::shared_ptr<const ModuleKernelState> kernel,
                                const GridAxes& groups, const GridAxes& group_size,
                                std::span<const patchbay_argument> arguments,
                                std::span<const BufferAccess> uses) {
  GraphState::GridLaunch launch{std::move(kernel),
                                groups,
                                group_size,
                                static_cast<std::uint32_t>(graph_->arguments_.size()),
                                static_cast<std::uint32_t>(arguments.size()),
                                static_cast<std::uint32_t>(graph_->recorded_uses_.size()),
                                static_cast<std::uint32_t>(uses.size())};
  add_arguments(arguments, uses, {});
  graph_->steps_.push_back(
      {GraphState::Step::kGridLaunch, static_cast<std::uint32_t>(graph_->grid_launches_.size())});
  graph_->grid_launches_.push_back(std::move(launch));
}

void GraphRecorder::copy(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes,
                         const char* name) {
  if (to.buffer == nullptr || from.buffer == nullptr) check_not_recording(name);
  GraphState::Copy copy{{use(*to.buffer, true, false), to.offset_bytes, size_bytes},
                        {use(*from.buffer, false, true), from.offset_bytes, size_bytes},
                        name};
  graph_->steps_.push_back(
      {GraphState::Step::kCopy, static_cast<std::uint32_t>(graph_->copies_.size())});
  graph_->copies_.push_back(copy);
}

void GraphRecorder::look(BufferState& buffer, std::size_t offset_bytes, std::size_t size_bytes,
                         const char* name, Look look) {
  GraphState::LookStep step{
      {use(buffer, false, true), offset_bytes, size_bytes}, std::move(look), name};
  graph_->steps_.push_back(
      {GraphState::Step::kLook, static_cast<std::uint32_t>(graph_->looks_.size())});
  graph_->looks_.push_back(std::move(step));
}

void GraphRecorder::kernel_copy(DeviceState& device, std::size_t size_bytes) {
  graph_->kernel_copies_.push_back({&device, size_bytes});
}

std::uint32_t GraphRecorder::generator_of(const std::shared_ptr<GeneratorState>& generator) {
  auto& known = graph_->generators_;
  const auto found = std::find_if(known.begin(), known.end(), [&](const GraphGenerator& other) {
    return other.state == generator;
  });
  if (found != known.end()) return static_cast<std::uint32_t>(found - known.begin());
  const std::scoped_lock lock(generators_mutex());
  known.push_back({generator, {generator->seed, generator->offset}, generator->offset});
  return static_cast<std::uint32_t>(known.size() - 1);
}

GeneratorPosition GraphRecorder::advance(const std::shared_ptr<GeneratorState>& generator,
                                         std::uint64_t calls) {
  const std::uint32_t index = generator_of(generator);
  GraphGenerator& known = graph_->generators_[index];
  const GeneratorPosition before{known.met.seed, known.offset};
  last_draw_ = GraphDraw{0, index, false, known.offset - known.met.offset};
  known.offset += calls;
  return before;
}

void GraphRecorder::set_position(const std::shared_ptr<GeneratorState>& generator,
                                 GeneratorPosition position) {
  GraphGenerator& known = graph_->generators_[generator_of(generator)];
  if (position.seed != known.met.seed || position.offset < known.met.offset) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[set_state] a graph is being recorded, and each run begins where its generator then is: "
        "seed {}, offset {} was not taken in the recording. Seed the generator before the "
        "recording, or before a replay.",
        position.seed, position.offset);
  }
  known.offset = position.offset;
}

void GraphRecorder::repeat(const std::shared_ptr<GeneratorState>& generator,
                           GeneratorPosition position) {
  last_draw_.reset();
  if (generator == nullptr) return;
  const std::uint32_t index = generator_of(generator);
  last_draw_ = GraphDraw{0, index, false, position.offset - graph_->generators_[index].met.offset};
}

namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

/// Puts temporaries (made here, held by nothing else) into one block for each device, in which
/// those not in use at once share memory. Drops buffers that no operation uses.
void GraphRecorder::plan_arenas() {
  std::map<DeviceState*, std::vector<Interval>> by_device;
  auto& buffers = graph_->buffers_;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].is_read && !buffers[i].is_written) {
      buffers[i].recorded = {};
      continue;
    }
    const BufferState& buffer = *buffers[i].recorded.state();
    const bool is_temporary = buffers[i].is_made_here && buffer.references.load() == 1;
    if (!is_temporary || buffer.size_bytes == 0 || buffer.kind != MemoryKind::kDevice) continue;
    by_device[buffer.device.get()].push_back({static_cast<std::uint32_t>(i),
                                              aligned(buffer.size_bytes), buffers[i].first_step,
                                              buffers[i].last_step, 0});
  }
  for (auto& [device, intervals] : by_device) {
    const std::size_t size = place(intervals);
    const Device owner(device->shared());
    for (const Interval& interval : intervals) buffers[interval.buffer].recorded = {};  // first
    const Buffer arena = Buffer::allocate(owner, size);
    graph_->arenas_.push_back(arena);
    graph_->arena_bytes_ += size;
    for (const Interval& interval : intervals) {
      buffers[interval.buffer].current = arena;
      buffers[interval.buffer].shift = static_cast<std::int64_t>(interval.offset);
    }
  }
}

/// Allocates one workspace for all launches of an inline device, or of a graph of the driver, which
/// run one after the other. On
/// other devices each launch allocates its own.
void GraphRecorder::add_workspaces() {
  std::uint64_t size = 0;
  for (const auto& launch : graph_->launches_)
    size = std::max(size, launch.kernel->workspace_bytes);
  DriverGraph* const driver_graph = graph_->driver_graph_.get();
  DeviceState* device = driver_graph != nullptr ? &driver_graph->device() : graph_->device_;
  const bool may_be_one =
      device != nullptr && (device->default_stream->completes_inline || driver_graph != nullptr);
  if (size == 0 || !may_be_one) return;
  const Buffer workspace = Buffer::allocate(Device(device->shared()), size);
  workspace.state()->finish_inherited();
  graph_->arenas_.push_back(workspace);
  graph_->arena_bytes_ += size;
  for (auto& launch : graph_->launches_) {
    if (launch.kernel->workspace_bytes != 0) launch.workspace = workspace.state()->memory;
  }
}

/// Marks the results made here that others hold too.
void GraphRecorder::note_unwritten(const FaultPtr& why) noexcept {
  for (const GraphBuffer& buffer : graph_->buffers_) {
    if (buffer.is_result() && buffer.recorded.state()->references.load() > 1) {
      buffer.recorded.state()->note_unwritten(why);
    }
  }
}

void GraphRecorder::keep(DeviceState& device) {
  auto& devices = graph_->devices_;
  const bool is_kept = std::any_of(devices.begin(), devices.end(),
                                   [&](const auto& other) { return other.get() == &device; });
  if (!is_kept) devices.push_back(device.shared());
}

/// For a list that only launches.
void GraphRecorder::plan_one_device() {
  DeviceState* one = nullptr;
  for (const auto& launch : graph_->launches_) {
    if (one != nullptr && one != &launch.kernel->device) return;
    one = &launch.kernel->device;
  }
  for (const auto& launch : graph_->grid_launches_) {
    DeviceState* const device = launch.kernel->module->device.get();
    if (one != nullptr && one != device) return;
    one = device;
  }
  if (one == nullptr) return;
  if (graph_->grid_launches_.empty()) graph_->device_ = one;
  // One launch gains nothing.
  if (graph_->steps_.size() > 1) graph_->driver_graph_ = DriverGraph::make(*one);
}

std::shared_ptr<GraphState> GraphRecorder::finish() {
  scope_->recorder = nullptr;
  exchange_streams(previous_);
  for (const auto& launch : graph_->launches_) keep(launch.kernel->device);
  for (const GraphBuffer& buffer : graph_->buffers_) keep(*buffer.recorded.state()->device);
  if (graph_->copies_.empty() && graph_->looks_.empty()) plan_one_device();
  plan_arenas();
  add_workspaces();
  for (GraphBuffer& buffer : graph_->buffers_) {
    if (!buffer.current) buffer.current = buffer.recorded;
  }
  graph_->resolve();
  note_unwritten(not_replayed_);
  is_finished_ = true;
  return graph_;
}

}  // namespace patchbay::runtime
