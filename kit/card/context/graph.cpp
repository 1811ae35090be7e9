// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/graph.hpp"

#include <utility>

namespace patchbay::card {

Graph::~Graph() { drop(); }

void Graph::drop() {
  if (replay_ == nullptr) return;
  // Not every driver keeps what a pending replay needs.
  if (done_.get() != nullptr) context_.call_quietly(context_.api().event_synchronize, done_.get());
  context_.call_quietly(context_.api().replay_destroy, std::exchange(replay_, nullptr));
  used_.clear();
}

plugin::Stream& Graph::begin() {
  recorded_.clear();
  context_.call(context_.api().capture_begin, stream_.native(), kCaptureRelaxed);
  stream_.keep_in(&recorded_);
  return stream_;
}

void Graph::end() {
  const Api& api = context_.api();
  stream_.keep_in(nullptr);
  NativeGraph captured = nullptr;
  context_.call(api.capture_end, stream_.native(), &captured);
  const auto destroy = [this](GraphObject* graph) {
    context_.call_quietly(context_.api().graph_destroy, graph);
  };
  const std::unique_ptr<GraphObject, decltype(destroy)> owner(captured, destroy);
  stream_.forget_launches();  // they were recorded and have not run
  const bool is_updated = replay_ != nullptr && api.replay_update.function != nullptr &&
                          context_.attempt(api.replay_update, api, replay_, captured) == kSuccess;
  if (is_updated) {
    used_.merge(recorded_);  // a pending replay may still use what the earlier recording needed
    return;
  }
  drop();
  context_.call(api.replay_create, api, &replay_, captured);
  used_ = std::move(recorded_);
}

void Graph::replay(plugin::Stream& stream, std::string_view name) {
  if (replay_ == nullptr) plugin::invalid_argument("the graph has no recording");
  auto& target = static_cast<Stream&>(stream);
  target.check_not_recorded("replaying a graph");
  const auto& entry = context_.api().replay_launch;
  const Result code = context_.attempt(entry, replay_, target.native());
  if (code != kSuccess) context_.fail(entry.name, code, name);
  if (done_.get() == nullptr) done_ = create_event(context_, kEventDisableTiming);
  context_.call(context_.api().event_record, done_.get(), target.native());
  target.note(name);
}

}  // namespace patchbay::card
