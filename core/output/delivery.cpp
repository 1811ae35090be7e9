// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/output/delivery.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "core/base/cancellation.h"
#include "core/base/fork.h"
#include "core/base/quiet_thread.h"

namespace patchbay::output {

constinit thread_local std::uint32_t NoDelivery::state = 0;

/// The lines of all threads that no sink has had yet.
class LineQueue {
 public:
  void add(const SharedSink& sink, LogLevel level, std::string_view line);
  void deliver_own() noexcept { deliver_all_of(std::this_thread::get_id()); }
  void finish(const SharedSink& sink) noexcept;
  void end() noexcept;
  /// The process's; null before its first line.
  static LineQueue* find() noexcept;
  static LineQueue& get();

 private:
  struct Line {
    SharedSink sink;
    LogLevel level;
    std::string text;
  };
  /// Of one thread. One thread at a time delivers them, so that they stay in order.
  struct Lines {
    std::deque<Line> waiting;
    const LogSink* called = nullptr;  // by `deliverer`
    std::thread::id deliverer;
  };

  void deliver_all_of(std::thread::id thread) noexcept;
  void hand_over(std::thread::id thread);
  void help() noexcept;
  static void call(const Line& line) noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;  // a sink has returned, or the helper ends
  std::map<std::thread::id, Lines> lines_;
  std::deque<std::thread::id> handed_over_;  // whose lines the helper delivers
  std::thread helper_;                       // started with the first of them
  bool is_helping_ = false, has_ended_ = false;
};

namespace {
constinit base::OfProcess<LineQueue> queue;
}  // namespace

LineQueue* LineQueue::find() noexcept { return queue.find(); }
LineQueue& LineQueue::get() { return queue.get(); }

void LineQueue::add(const SharedSink& sink, LogLevel level, std::string_view line) {
  const std::thread::id own = std::this_thread::get_id();
  std::uint32_t& state = NoDelivery::state;
  {
    const std::scoped_lock lock(mutex_);
    lines_[own].waiting.push_back({sink, level, std::string(line)});
    if ((state & NoDelivery::kIsService) != 0) return hand_over(own);
  }
  if (state == 0) return deliver_own();
  state |= NoDelivery::kHasLines;
}

/// The caller holds the mutex. Without a thread the lines wait for the next ones or the end.
void LineQueue::hand_over(std::thread::id thread) {
  handed_over_.push_back(thread);
  if (is_helping_) return;
  if (helper_.joinable()) helper_.join();  // it has ended
  helper_ = base::start_quiet_thread("log", [this] { help(); });
  is_helping_ = true;
}

void LineQueue::help() noexcept {
  std::unique_lock lock(mutex_);
  while (!handed_over_.empty()) {
    const std::thread::id thread = handed_over_.front();
    handed_over_.pop_front();
    lock.unlock();
    deliver_all_of(thread);
    lock.lock();
  }
  is_helping_ = false;
  changed_.notify_all();
}

void LineQueue::deliver_all_of(std::thread::id thread) noexcept {
  const NoDelivery inside;  // what the sink logs here comes after it has returned
  const base::CancellationOff not_cancelled;
  std::unique_lock lock(mutex_);
  const auto found = lines_.find(thread);
  if (found == lines_.end() || found->second.deliverer != std::thread::id()) return;
  Lines& lines = found->second;
  lines.deliverer = std::this_thread::get_id();
  while (!lines.waiting.empty()) {
    {
      const Line line = std::move(lines.waiting.front());
      lines.waiting.pop_front();
      lines.called = line.sink.get();
      lock.unlock();
      call(line);
    }
    if (find() != this) return;  // the sink has forked: in the child nothing is left of this
    lock.lock();
    lines.called = nullptr;
    changed_.notify_all();
  }
  lines_.erase(found);
}

void LineQueue::call(const Line& line) noexcept {
  try {
    (*line.sink)(line.level, line.text);
  } catch (...) {  // NOLINT(bugprone-empty-catch): logging must not fail
  }
}

void LineQueue::finish(const SharedSink& sink) noexcept {
  if (NoDelivery::state != 0) return;
  const base::CancellationOff not_cancelled;
  std::unique_lock lock(mutex_);
  const auto is_of_sink = [&sink](const auto& each) {
    const auto& [thread, lines] = each;
    return lines.called == sink.get() ||
           std::any_of(lines.waiting.begin(), lines.waiting.end(),
                       [&sink](const Line& line) { return line.sink == sink; });
  };
  changed_.wait(
      lock, [&] { return has_ended_ || std::none_of(lines_.begin(), lines_.end(), is_of_sink); });
  // The program may now unload the library, and with it the code of the thread.
  if (!is_helping_ && helper_.joinable()) helper_.join();
}

void LineQueue::end() noexcept try {
  const base::CancellationOff not_cancelled;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const std::thread::id own = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  if (helper_.get_id() == own) {  // a sink has called exit
    helper_.detach();
    is_helping_ = false;
  }
  for (auto& [thread, lines] : lines_) {
    if (lines.deliverer == own) lines.deliverer = {};  // the same
    hand_over(thread);
  }
  changed_.wait_until(lock, deadline, [this] { return !is_helping_ && lines_.empty(); });
  has_ended_ = true;
} catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no thread or memory is left
}

void NoDelivery::deliver_lines() noexcept {
  state = 0;
  if (LineQueue* const found = LineQueue::find()) found->deliver_own();
}

ServiceThread::ServiceThread() noexcept : state_before_(NoDelivery::state) {
  if (state_before_ == 0) NoDelivery::state = NoDelivery::kIsService;
}

ServiceThread::~ServiceThread() {
  if (state_before_ == 0) NoDelivery::state = 0;
}

void deliver(const SharedSink& sink, LogLevel level, std::string_view line) noexcept try {
  LineQueue::get().add(sink, level, line);
} catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): logging must not fail
}

void finish_delivery(const SharedSink& sink) noexcept {
  if (LineQueue* const found = LineQueue::find()) found->finish(sink);
}

void deliver_at_process_end() {
  static const int registered = std::atexit([] {
    if (LineQueue* const found = LineQueue::find()) found->end();
  });
  static_cast<void>(registered);
}

}  // namespace patchbay::output
