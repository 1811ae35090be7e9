// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_CONTEXT_STREAM_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_STREAM_HPP_

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/handle.hpp"
#include "kit/device/worker.hpp"

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

/// A kernel of loaded code, and the largest group that its registers and shared memory allow.
struct Function {
  NativeFunction native = nullptr;
  std::uint32_t max_group_size = 0;
};

/// The number of groups, and of work-items in a group, by axis.
struct LaunchGrid {
  std::array<std::uint32_t, 3> groups, group_size;
};

class Stream : public plugin::Stream {
 public:
  /// What recorded work needs whenever it runs.
  using Kept = std::set<std::shared_ptr<const void>>;

  /// The first creates a stream; the second uses one that the application owns.
  Stream(Context& context, std::uint32_t flags);
  Stream(Context& context, NativeStream borrowed);
  ~Stream() override;

  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                    std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override;
  void wait_event(plugin::Event& event) override;
  void flush() override;
  bool synchronize(std::uint64_t deadline_ns) override;
  void add_callback(plugin::Callback callback) override;

  Context& context() const { return context_; }
  NativeStream native() const { return native_; }
  /// Called before anything of a submission reaches the driver. Throws invalid_argument while the
  /// application records the stream into a graph: a replay would use the work's memory after other
  /// tensors have got it.
  void check_not_recorded(const char* doing) const;
  /// Queues a kernel; `arguments` points to the value of each. Throws invalid_argument before any
  /// work if the group or the grid is too large for the kernel or the device.
  void launch(std::string_view name, const Function& function, const LaunchGrid& grid,
              std::uint32_t shared_bytes, void** arguments);
  /// Errors from now on name none of the launches that this stream has made so far.
  void forget_launches() { context_.launches().forget(context_.launches().last(number_)); }
  /// Records a launch by a library, so that errors can name it.
  void note(std::string_view name) {
    context_.launches().note(number_, name);
    mark_end();
  }
  /// For the graph that records its stream: `keep` adds to `kept` until this is called with null.
  void keep_in(Kept* kept) { kept_ = kept; }
  /// Keeps what the submitted work needs as long as a graph may run it again.
  void keep(const std::shared_ptr<const void>& needed) {
    if (kept_ != nullptr) kept_->insert(needed);
  }

 private:
  /// Whether the application records the stream, which it owns, into a graph. Waiting would make
  /// the recording invalid.
  bool is_recorded() const;
  /// Calls an entry that submits work to the stream. The caller has checked that it is not
  /// recorded.
  template <class Entry, class... Arguments>
  void submit(const Entry& entry, const Arguments&... arguments);
  /// Called after each submission: records `end_`, if there is one.
  void mark_end();

  Context& context_;
  const StreamHandle owned_;
  const NativeStream native_;
  const std::uint64_t number_;
  /// The end of the work that was submitted here, if the application owns the stream; else null.
  /// While the application records its stream, no event can be recorded there.
  std::shared_ptr<const EventHandle> end_;
  Kept* kept_ = nullptr;
  std::unique_ptr<device::Worker> callbacks_;  // created for the first callback
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_STREAM_HPP_
