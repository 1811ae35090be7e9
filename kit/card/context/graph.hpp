// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_CONTEXT_GRAPH_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_GRAPH_HPP_

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/stream.hpp"

namespace patchbay::card {

/// What the driver captures on a stream of the graph's own. A later recording updates the driver's
/// graph in place where the driver can.
class Graph : public plugin::Graph {
 public:
  explicit Graph(Context& context) : context_(context), stream_(context, std::uint32_t{0}) {}
  ~Graph() override;

  plugin::Stream& begin() override;
  void end() override;
  void replay(plugin::Stream& stream, std::string_view name) override;

 private:
  void drop();

  Context& context_;
  Stream stream_;
  NativeReplay replay_ = nullptr;
  EventHandle done_;              // of the last replay; empty before the first
  Stream::Kept recorded_, used_;  // what the new recording needs, and what replays need
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_GRAPH_HPP_
