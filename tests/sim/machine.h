// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The state behind the simulated driver: devices, their contexts, and all that lives in these.
#ifndef PATCHBAY_TESTS_SIM_MACHINE_H_
#define PATCHBAY_TESTS_SIM_MACHINE_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config.h"
#include "counters.h"
#include "guarded_memory.h"
#include "kit/executor/executor.hpp"
#include "kit/forbidden_range.hpp"
#include "kit/machine/subnormals.hpp"
#include "vendor.h"

namespace patchbay::sim {

/// A simulated stream: tasks in order, on a thread of its own.
class Queue {
 public:
  /// `lazy`: tasks start only when somebody waits, or releases them.
  explicit Queue(bool lazy) : lazy_(lazy), thread_([this] { run(); }) {}
  ~Queue() { finish(); }

  /// The task's number.
  std::uint64_t post(std::function<void()> task);
  std::uint64_t last() const;
  bool is_done(std::uint64_t number) const;
  void wait(std::uint64_t number);
  /// Lets the tasks so far begin.
  void release();
  /// Runs what is queued and takes no more.
  void finish();

 private:
  void run();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  const bool lazy_;
  std::uint64_t posted_ = 0, released_ = 0, done_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

/// Device memory: addresses that the host can't touch, and where the bytes really are.
struct Block {
  Block(std::uint64_t size, ContextObject& owner);
  std::uint64_t size_bytes;
  ContextObject& context;
  ForbiddenRange range;
  GuardedMemory bytes;
  bool is_of_pool = false;     // of no context, as the driver has it
  bool is_of_library = false;  // what a library's handle keeps, which goes with it
};

/// Pinned memory, in whole pages as drivers give it: one address for host and devices.
struct HostBlock {
  struct alignas(4096) Page {
    std::byte bytes[4096];
  };
  explicit HostBlock(std::uint64_t size)
      : size_bytes(size), pages(new (std::nothrow) Page[size / sizeof(Page) + 1]) {}
  std::byte* bytes() const { return pages[0].bytes; }

  std::uint64_t size_bytes;
  std::unique_ptr<Page[]> pages;
};

/// A point that a stream will reach, and when it did.
struct Mark {
  std::shared_ptr<Queue> queue;
  std::uint64_t number = 0;
  std::atomic<std::int64_t> reached_ns{0};
};

}  // namespace patchbay::sim

// The objects behind the driver's opaque handles.

namespace patchbay::card {

struct ContextObject {
  int device = 0;
  int retained = 0;
  std::atomic<int> broken{0};          // the code that every call gets
  std::atomic<bool> is_awaited{true};  // somebody asks how far it is, so that a launch may fail

  void await() {
    is_awaited = true;
    is_awaited.notify_all();
  }
  std::set<const ContextObject*> peers;
};
struct StreamObject {
  ContextObject& context;
  std::shared_ptr<sim::Queue> queue;
  int priority = 0;
  /// The default stream of a context waits for its blocking ones, and they for it.
  enum class Kind { kNonBlocking, kBlocking, kDefault } kind{};
  /// Whether it is recorded: submitted work does not run, and waiting spoils the recording.
  enum class Capture { kNone, kActive, kSpoilt } capture{};
  std::vector<std::function<void()>> captured;
};
struct EventObject {
  ContextObject& context;
  std::shared_ptr<sim::Mark> mark;  // null until recorded
  bool has_time = true;
  bool is_captured = false;  // last recorded on a stream that was recorded itself
};
struct FunctionObject {
  ContextObject& context;
  executor::Kernel kernel;
  std::vector<int> arguments;  // as the executor describes them
  Subnormals subnormals;
};
struct ModuleObject {
  ContextObject& context;
  std::shared_ptr<const executor::Module> code;
  std::map<std::string, FunctionObject> functions;
  Subnormals subnormals;
};

struct GraphObject {
  ContextObject& context;
  std::vector<std::function<void()>> work;
};
struct ReplayObject {
  ContextObject& context;
  std::vector<std::function<void()>> work;
};

}  // namespace patchbay::card

namespace patchbay::sim {

struct Machine {
  /// What every call gives when the driver can't be used: after fork in the child, and when the
  /// process ends. kSuccess otherwise. Asked before the lock, which a child may find taken.
  PATCHBAY_SIM_EXPORT int gone() const;

  std::atomic<int> gone_code{0};  // of patchbay_sim_set_gone, or of the process's end
  std::atomic<int> process{0};    // which started the driver

  std::mutex mutex;  // over all below
  Config config;
  bool initialised = false;
  std::vector<std::unique_ptr<ContextObject>> contexts;       // one a device
  std::vector<std::unique_ptr<ContextObject>> made_contexts;  // by the application
  std::map<std::uint64_t, std::unique_ptr<Block>> blocks;     // by address
  std::map<std::uint64_t, HostBlock> host_blocks;             // likewise
  std::map<NativeStream, std::unique_ptr<StreamObject>> streams;
  std::map<const ContextObject*, std::unique_ptr<StreamObject>> default_streams;
  std::map<std::pair<const ContextObject*, std::thread::id>, std::unique_ptr<StreamObject>>
      thread_streams;  // each thread's own default one
  std::map<NativeEvent, std::unique_ptr<EventObject>> events;
  std::map<NativeModule, std::unique_ptr<ModuleObject>> modules;
  std::map<NativeGraph, std::unique_ptr<GraphObject>> graphs;
  std::map<NativeReplay, std::unique_ptr<ReplayObject>> replays;
  std::uint64_t num_allocations = 0, num_launches = 0, num_submissions = 0, num_peer_accesses = 0,
                num_loads = 0, num_graphs_made = 0, num_graph_updates = 0, num_graph_runs = 0;
  std::atomic<std::uint64_t> num_blas_handles{0}, num_blas_lt_objects{0}, num_blas_lt_searches{0},
      num_dnn_objects{0};

  /// Reads the settings anew, unless a context lives.
  void initialise();
  /// Whether the program holds the context, or, of a vendor without contexts, anything in it.
  bool is_live(const ContextObject& context) const;
  /// When nobody retains it any more. What lives in a broken context could not be freed and goes
  /// with it; in a sound one it is a leak, which stays to be seen.
  void reset(ContextObject& context);
  /// Frees all that lives in a context, under the lock. The streams are the caller's to end.
  std::vector<std::unique_ptr<StreamObject>> clear(const ContextObject& context);
  PATCHBAY_SIM_EXPORT std::uint64_t used_bytes(const ContextObject& context) const;
  /// The stream of that handle, under the lock. 0 and 1 are the context's default one, 2 is the
  /// thread's; they are made when they are first used. Ends the process for an unknown handle.
  PATCHBAY_SIM_EXPORT StreamObject& stream_of(ContextObject& context, NativeStream handle);
  /// Calls body(stream) for the streams of a context, under the lock.
  template <class Body>
  void for_streams(const ContextObject& context, const Body& body) {
    const auto visit = [&](const auto& all) {
      for (const auto& entry : all) {
        if (&entry.second->context == &context) body(*entry.second);
      }
    };
    visit(streams);
    visit(default_streams);
    visit(thread_streams);
  }
  /// Queues work on a stream, behind what the default stream's order puts before it, under the
  /// lock. Gives its number.
  std::uint64_t post(const StreamObject& stream, std::function<void()> work);
  /// A new block, under the lock; null if the device has not so many bytes left.
  PATCHBAY_SIM_EXPORT Block* allocate(ContextObject& context, std::uint64_t size_bytes);
  /// The device's block that holds that address; null if none does.
  Block* block_at(std::uint64_t address);
  /// Whether all those bytes of the host are in one pinned block.
  bool is_pinned(const void* bytes, std::uint64_t size_bytes);
  /// Where the bytes behind an address are; null if they are not all in one block that the context
  /// may use, or in the host's memory.
  PATCHBAY_SIM_EXPORT std::byte* resolve(const ContextObject& context, std::uint64_t address,
                                         std::uint64_t size_bytes);
};

/// Never destroyed: threads of a program that ends may still be here.
PATCHBAY_SIM_EXPORT Machine& machine();

/// The context of this thread, which may be null or one that can't be used any more.
NativeContext& current_of_thread();

/// The same, checked: sets `code` and gives null if it can't be used.
PATCHBAY_SIM_EXPORT ContextObject* current_context(int& code);

/// Queues work on a stream of the current context, unless its context is broken by then. For the
/// simulated libraries too, which hold no lock.
PATCHBAY_SIM_EXPORT int submit(NativeStream stream, std::function<void()> work);

inline constexpr int kErrorCaptureUnsupported = 900, kErrorCaptureIsolation = 905,
                     kErrorCapturedEvent = 907;

/// Whether a handle is that of a default stream, which is no object of the program's.
inline bool is_default_stream(NativeStream stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= kPerThread;
}

/// Ends the process, as the real drivers may: the handle is that of no object.
[[noreturn]] PATCHBAY_SIM_EXPORT void end_for_unknown_handle(const void* handle);

/// Runs `body(context)` under the machine's lock, with a context that can be used.
template <class Body>
int on_context(Body&& body) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return code;
  const std::lock_guard lock(machine().mutex);
  return body(*context);
}

/// Queues a copy from one context's memory to another's.
int copy_between(Address to, NativeContext to_context, Address from, NativeContext from_context,
                 std::size_t bytes, NativeStream stream);

/// Makes a graph that can run, and replaces the work of one that has as much.
int create_replay(NativeReplay* replay, NativeGraph graph);
int update_replay(NativeReplay replay, NativeGraph graph);

/// Lets one context use another's memory, under the lock.
int enable_peer(ContextObject& context, const ContextObject& to);

inline bool is_device(int number) { return number >= 0 && number < machine().config.devices; }

// What the vendors do differently.

/// The value of a device's attribute that only this vendor has; false if it has none.
bool own_attribute(int attribute, int& value);
/// Whether devices of this architecture run that compiler's output.
Result image_refusal(bool is_code, const std::string& made_for, const std::string& architecture);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_MACHINE_H_
