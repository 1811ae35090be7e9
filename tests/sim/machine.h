// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The state behind the simulated driver: devices, their contexts, and all that lives in these.
#ifndef PATCHBAY_TESTS_SIM_MACHINE_H_
#define PATCHBAY_TESTS_SIM_MACHINE_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "config.h"
#include "counters.h"
#include "cuda-cublas/api/driver_api.hpp"
#include "entries.h"
#include "kit/executor/executor.hpp"
#include "kit/forbidden_range.hpp"
#include "queue.h"

namespace patchbay::sim {

/// Device memory: addresses that the host can't touch, and where the bytes really are.
struct Block {
  Block(std::uint64_t size, cuda::ContextObject& owner);
  std::uint64_t size_bytes;
  cuda::ContextObject& context;
  ForbiddenRange range;
  std::unique_ptr<std::byte[]> bytes;
  bool is_of_pool = false;     // of no context, as the driver has it
  bool is_of_library = false;  // what a BLAS handle keeps, which goes with it
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
namespace patchbay::cuda {

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
};
struct EventObject {
  ContextObject& context;
  std::shared_ptr<sim::Mark> mark;  // null until recorded
  bool has_time = true;
};
struct FunctionObject {
  ContextObject& context;
  executor::Kernel kernel;
  std::vector<int> arguments;  // as the executor describes them
};
struct ModuleObject {
  ContextObject& context;
  std::shared_ptr<const executor::Module> code;
  std::map<std::string, FunctionObject> functions;
};

}  // namespace patchbay::cuda

namespace patchbay::sim {

// Codes that the driver gives.
inline constexpr int kInvalidValue = cuda::kErrorInvalidValue,
                     kNotInitialized = cuda::kErrorNotInitialized,
                     kDeinitialized = cuda::kErrorDeinitialized, kInvalidDevice = 101,
                     kInvalidContext = cuda::kErrorInvalidContext, kPeerUnsupported = 217,
                     kInvalidHandle = 400, kNotFound = 500, kNotSupported = 801;

struct Machine {
  /// What every call gives when the driver can't be used: after fork in the child, and when the
  /// process ends. kSuccess otherwise. Asked before the lock, which a child may find taken.
  PATCHBAY_SIM_EXPORT int gone() const;

  std::atomic<int> gone_code{0};  // of patchbay_sim_set_gone, or of the process's end
  std::atomic<int> process{0};    // which started the driver

  std::mutex mutex;  // over all below
  Config config;
  bool initialised = false;
  std::vector<std::unique_ptr<cuda::ContextObject>> contexts;       // one a device
  std::vector<std::unique_ptr<cuda::ContextObject>> made_contexts;  // by the application
  std::map<std::uint64_t, std::unique_ptr<Block>> blocks;           // by address
  std::map<std::uint64_t, HostBlock> host_blocks;                   // likewise
  std::map<cuda::NativeStream, std::unique_ptr<cuda::StreamObject>> streams;
  std::map<cuda::NativeEvent, std::unique_ptr<cuda::EventObject>> events;
  std::map<cuda::NativeModule, std::unique_ptr<cuda::ModuleObject>> modules;
  std::uint64_t num_allocations = 0, num_launches = 0, num_submissions = 0, num_peer_accesses = 0,
                num_loads = 0;
  std::atomic<std::uint64_t> num_blas_handles{0};

  /// Reads the settings anew, unless a context lives.
  void initialise();
  /// When nobody retains it any more. What lives in a broken context could not be freed and goes
  /// with it; in a sound one it is a leak, which stays to be seen.
  void reset(cuda::ContextObject& context);
  /// Frees all that lives in a context, under the lock. The streams are the caller's to end.
  std::vector<std::unique_ptr<cuda::StreamObject>> clear(const cuda::ContextObject& context);
  std::uint64_t used_bytes(const cuda::ContextObject& context) const;
  /// A new block, under the lock; null if the device has not so many bytes left.
  PATCHBAY_SIM_EXPORT Block* allocate(cuda::ContextObject& context, std::uint64_t size_bytes);
  /// The device's block that holds that address; null if none does.
  Block* block_at(std::uint64_t address);
  /// Where the bytes behind an address are; null if they are not all in one block that the context
  /// may use, or in the host's memory.
  PATCHBAY_SIM_EXPORT std::byte* resolve(const cuda::ContextObject& context, std::uint64_t address,
                                         std::uint64_t size_bytes);
};

/// Never destroyed: threads of a program that ends may still be here.
PATCHBAY_SIM_EXPORT Machine& machine();

/// The context of this thread, checked: sets `code` and gives null if it can't be used.
PATCHBAY_SIM_EXPORT cuda::ContextObject* current_context(int& code);

/// Queues work on a stream of the current context, unless its context is broken by then. For the
/// simulated libraries too, which hold no lock.
PATCHBAY_SIM_EXPORT int submit(cuda::NativeStream stream, std::function<void()> work);

}  // namespace patchbay::sim

#endif  // PATCHBAY_TESTS_SIM_MACHINE_H_
