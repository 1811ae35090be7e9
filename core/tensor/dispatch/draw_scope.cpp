// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dispatch/draw_scope.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::tensor {

constinit thread_local DrawScope* draw_scope = nullptr;

// -------------------------------------------------------------------------------- replays ---

namespace {

/// In a recording, the next launch takes the position. It stays the same in all runs unless the
/// recording made it.
void tell_recorder(const DrawLog& log, const GeneratorPtr& generator,
                   const Generator::State& begin) {
  runtime::Recorder* const recorder = runtime::current_recorder();
  if (recorder == nullptr) return;
  recorder->repeat(log.recording == recorder->recording ? generator : nullptr,
                   {begin.seed, begin.offset});
}

}  // namespace

std::size_t DrawReplay::next_of(const std::vector<Draw>& draws, const Cursor& cursor,
                                const DrawKind& kind) {
  const auto from = draws.begin() + static_cast<std::ptrdiff_t>(cursor.next);
  const auto is_it = [&kind](const Draw& draw) { return draw.kind == kind; };
  return static_cast<std::size_t>(std::find_if(from, draws.end(), is_it) - draws.begin());
}

std::optional<Generator::State> DrawReplay::peek(const GeneratorPtr& generator,
                                                 const DrawKind& kind) const {
  const auto known = log_->draws.find(generator);
  if (known == log_->draws.end()) return std::nullopt;
  const auto found = cursors_.find(generator);
  const Cursor cursor = found != cursors_.end() ? found->second : Cursor{};
  const std::size_t next = next_of(known->second, cursor, kind);
  return next < known->second.size() ? known->second[next].begin : cursor.after;
}

std::optional<Generator::State> DrawReplay::take(const GeneratorPtr& generator,
                                                 std::uint64_t num_calls, const DrawKind& kind) {
  const std::optional<Generator::State> begin = peek(generator, kind);
  if (!begin) return std::nullopt;
  const std::vector<Draw>& draws = log_->draws.at(generator);
  Cursor& cursor = cursors_[generator];
  const std::size_t next = next_of(draws, cursor, kind);
  if (next < draws.size()) cursor.next = next + 1;
  cursor.after = Generator::State{begin->seed, begin->offset + num_calls};
  if (num_calls != 0) tell_recorder(*log_, generator, *begin);
  return begin;
}

bool DrawReplay::set_state(const GeneratorPtr& generator, Generator::State state) {
  if (!log_->draws.contains(generator)) return false;
  cursors_[generator].after = state;
  return true;
}

// --------------------------------------------------------------------------------- scopes ---

void DrawScope::note(const GeneratorPtr& generator, const Draw& draw) {
  for (DrawScope* each = this; each != nullptr && each->log; each = each->outer.get()) {
    each->log->draws[generator].push_back(draw);
  }
}

void DrawScope::note(const GeneratorPtr& generator) {
  for (DrawScope* each = this; each != nullptr && each->log; each = each->outer.get()) {
    each->log->draws.try_emplace(generator);
  }
}

DrawReplay* DrawScope::source() {
  DrawScope* each = this;
  while (each != nullptr && each->log) each = each->outer.get();
  return each != nullptr ? &*each->replay : nullptr;
}

namespace {

Generator::State advance_itself(const GeneratorPtr& generator, std::uint64_t num_calls) {
  if (runtime::Recorder* recorder = runtime::current_recorder()) [[unlikely]] {
    const auto [seed, offset] = recorder->advance(generator, num_calls);
    return {seed, offset};
  }
  if (DrawPart* part = current_part; part != nullptr && part->shared != nullptr) [[unlikely]] {
    return part->advance(generator, num_calls);
  }
  const std::scoped_lock lock(runtime::generators_mutex());
  const Generator::State before{generator->seed, generator->offset};
  generator->offset += num_calls;
  return before;
}

void set_state_itself(const GeneratorPtr& generator, Generator::State state) {
  if (runtime::Recorder* recorder = runtime::current_recorder()) [[unlikely]] {
    return recorder->set_position(generator, {state.seed, state.offset});
  }
  if (DrawPart* part = current_part; part != nullptr && part->shared != nullptr) [[unlikely]] {
    return part->set_state(generator, state);
  }
  const std::scoped_lock lock(runtime::generators_mutex());
  generator->seed = state.seed;
  generator->offset = state.offset;
}

}  // namespace

Generator::State advance(const GeneratorPtr& generator, std::uint64_t num_calls) {
  if (draw_scope == nullptr) [[likely]]
    return advance_itself(generator, num_calls);
  DrawKind kind = std::exchange(draw_scope->next_kind, {});
  if (kind.op == nullptr) kind.num_elements = static_cast<std::int64_t>(num_calls);
  std::optional<Generator::State> begin;
  if (DrawReplay* const replay = draw_scope->source()) {
    begin = replay->take(generator, num_calls, kind);
  }
  if (!begin) begin = advance_itself(generator, num_calls);
  draw_scope->note(generator, {kind, *begin});
  return *begin;
}

void set_state(const GeneratorPtr& generator, Generator::State state) {
  if (draw_scope == nullptr) [[likely]]
    return set_state_itself(generator, state);
  DrawReplay* const replay = draw_scope->source();
  if (replay == nullptr || !replay->set_state(generator, state)) {
    set_state_itself(generator, state);
  }
  draw_scope->note(generator);
}

// ---------------------------------------------------------------------- logs and repetitions ---

namespace {

std::shared_ptr<DrawScope> logging_scope() {
  auto scope = std::make_shared<DrawScope>();
  if (draw_scope != nullptr) scope->outer = draw_scope->shared_from_this();
  scope->log = std::make_shared<DrawLog>();
  if (current_part != nullptr) scope->log->rows = current_part->rows;
  if (const auto* recorder = runtime::current_recorder())
    scope->log->recording = recorder->recording;
  return scope;
}

std::shared_ptr<DrawScope> repeating_scope(const char* operation,
                                           const std::shared_ptr<const DrawLog>& log) {
  const runtime::Recorder* const recorder = runtime::current_recorder();
  const bool is_replayed_elsewhere =
      log->recording != 0 && (recorder == nullptr || recorder->recording != log->recording);
  if (is_replayed_elsewhere && !log->draws.empty()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] its forward drew random numbers while a graph was recorded, and each "
                "replay draws others. Record the backward too.",
                operation);
  }
  auto scope = std::make_shared<DrawScope>();
  scope->replay.emplace(log);
  return scope;
}

}  // namespace

LoggedDraws::LoggedDraws()
    : scope_(logging_scope()), previous_(std::exchange(draw_scope, scope_.get())) {}

LoggedDraws::~LoggedDraws() { draw_scope = previous_; }

RepeatedDraws::RepeatedDraws(const char* operation, const std::shared_ptr<const DrawLog>& log)
    : scope_(repeating_scope(operation, log)),
      previous_(std::exchange(draw_scope, scope_.get())),
      previous_part_(current_part) {
  if (log->rows) rows_.emplace(DrawPart{nullptr, *log->rows, {}, nullptr});
  current_part = rows_ ? &*rows_ : nullptr;
}

RepeatedDraws::~RepeatedDraws() {
  current_part = previous_part_;
  draw_scope = previous_;
}

}  // namespace patchbay::tensor
