// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_CONTEXT_EVENT_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_EVENT_HPP_

#include <memory>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/handle.hpp"

namespace patchbay::card {

/// An event of the driver, which is also done until it is recorded.
class Event : public plugin::Event {
 public:
  /// Events without times cost the driver less.
  Event(Context& context, bool with_times)
      : context_(context),
        event_(std::make_shared<const EventHandle>(
            card::create_event(context, with_times ? kEventDefault : kEventDisableTiming))) {}

  bool is_done() override;
  bool wait(std::uint64_t deadline_ns) override;
  std::uint64_t nanoseconds_since(plugin::Event& earlier) override;

  Context& context() const { return context_; }
  NativeEvent native() const { return event_->get(); }
  /// From now on this event is done when `other` is. It has no times then.
  void follow(std::shared_ptr<const EventHandle> other) { event_ = std::move(other); }
  /// Sets the position up to which launches are done when the event is.
  void set(const Position& position) { position_ = position; }

 private:
  Context& context_;
  std::shared_ptr<const EventHandle> event_;
  Position position_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_EVENT_HPP_
