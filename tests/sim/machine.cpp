// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace patchbay::sim {

std::uint64_t Queue::post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
  return ++posted_;
}

std::uint64_t Queue::last() const {
  const std::lock_guard lock(mutex_);
  return posted_;
}

bool Queue::is_done(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return done_ >= number;
}

void Queue::release() {
  const std::lock_guard lock(mutex_);
  released_ = posted_;
  changed_.notify_all();
}

void Queue::wait(std::uint64_t number) {
  release();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

void Queue::finish() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    released_ = posted_;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Queue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(
        lock, [this] { return stopping_ || (!tasks_.empty() && (!lazy_ || released_ > done_)); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

namespace {

// New memory is filled with it, so that what reads it uninitialised is seen. Large blocks would
// take too long.
constexpr int kUninitialised = 0xA5;
constexpr std::uint64_t kFilledBytes = std::uint64_t{1} << 20;

}  // namespace

Block::Block(std::uint64_t size, ContextObject& owner)
    : size_bytes(size), context(owner), range(size, 256), bytes(size) {
  std::memset(bytes.data(), kUninitialised, std::min(size, kFilledBytes));
}

int Machine::gone() const {
  if (const int owner = process; owner != 0 && owner != getpid()) return kErrorNotInitialized;
  // A driver whose state is destroyed may crash.
  if (gone_code == kErrorDeinitialized && setting("AFTER_END", 0) != 0) std::abort();
  return gone_code;
}

void Machine::initialise() {
  if (process == 0) {
    process = getpid();
    std::atexit([] { machine().gone_code = kErrorDeinitialized; });
  }
  const auto is_held = [this](const auto& context) { return is_live(*context); };
  if (std::any_of(contexts.begin(), contexts.end(), is_held) ||
      std::any_of(made_contexts.begin(), made_contexts.end(), is_held)) {
    return;
  }
  if (!kHasContexts) {
    for (const auto& context : contexts) reset(*context);
  }
  default_streams.clear();
  thread_streams.clear();
  config = Config();
  num_allocations = num_launches = num_submissions = num_peer_accesses = num_loads = 0;
  num_graphs_made = num_graph_updates = num_graph_runs = num_blas_lt_searches = 0;
  // Contexts stay: a thread may have one of them current.
  while (contexts.size() < static_cast<std::size_t>(config.devices)) {
    contexts.push_back(std::make_unique<ContextObject>());
    contexts.back()->device = static_cast<int>(contexts.size()) - 1;
  }
  for (const auto& context : contexts) {
    if (context->retained == 0 && !config.stays_broken) context->broken = kSuccess;
  }
  initialised = config.init_code == kSuccess;
}

bool Machine::is_live(const ContextObject& context) const {
  if (kHasContexts) return context.retained != 0;
  if (context.broken != kSuccess) return false;  // nothing in it can be freed
  const auto has = [&](const auto& objects) {
    return std::any_of(objects.begin(), objects.end(),
                       [&](const auto& entry) { return &entry.second->context == &context; });
  };
  return has(blocks) || has(streams) || has(events) || has(modules) || has(graphs) || has(replays);
}

void Machine::reset(ContextObject& context) {
  const auto is_of = [&](const auto& entry) { return &entry.second->context == &context; };
  if (context.broken != kSuccess) {
    std::erase_if(blocks, is_of);
    std::erase_if(events, is_of);
    std::erase_if(modules, is_of);
    std::erase_if(graphs, is_of);
    std::erase_if(replays, is_of);
  }
  if (!config.stays_broken) context.broken = kSuccess;
  context.peers.clear();
}

std::vector<std::unique_ptr<StreamObject>> Machine::clear(const ContextObject& context) {
  const auto is_of = [&](const auto& entry) { return &entry.second->context == &context; };
  std::vector<std::unique_ptr<StreamObject>> ended;
  const auto end = [&](auto& all) {
    for (auto& entry : all) {
      if (is_of(entry)) ended.push_back(std::move(entry.second));
    }
    std::erase_if(all, [](const auto& entry) { return entry.second == nullptr; });
  };
  end(streams);
  end(default_streams);
  end(thread_streams);
  std::erase_if(blocks, is_of);
  std::erase_if(events, is_of);
  std::erase_if(modules, is_of);
  std::erase_if(graphs, is_of);
  std::erase_if(replays, is_of);
  return ended;
}

StreamObject& Machine::stream_of(ContextObject& context, NativeStream handle) {
  using Kind = StreamObject::Kind;
  const auto found_or_made = [&](auto& all, const auto& key, Kind kind) -> StreamObject& {
    auto& stream = all[key];
    if (stream == nullptr) {
      stream = std::make_unique<StreamObject>(
          StreamObject{context, std::make_shared<Queue>(config.lazy), 0, kind, {}, {}});
    }
    return *stream;
  };
  if (reinterpret_cast<std::uintptr_t>(handle) == kPerThread) {
    return found_or_made(thread_streams, std::pair(&context, std::this_thread::get_id()),
                         Kind::kBlocking);
  }
  if (is_default_stream(handle)) return found_or_made(default_streams, &context, Kind::kDefault);
  const auto found = streams.find(handle);
  if (found == streams.end()) end_for_unknown_handle(handle);
  return *found->second;
}

std::uint64_t Machine::post(const StreamObject& stream, std::function<void()> work) {
  using Kind = StreamObject::Kind;
  for_streams(stream.context, [&](const StreamObject& other) {
    const bool is_awaited = (stream.kind == Kind::kDefault && other.kind == Kind::kBlocking) ||
                            (stream.kind == Kind::kBlocking && other.kind == Kind::kDefault);
    if (!is_awaited) return;
    stream.queue->post(
        [queue = other.queue, number = other.queue->last()] { queue->wait(number); });
  });
  return stream.queue->post(std::move(work));
}

std::uint64_t Machine::used_bytes(const ContextObject& context) const {
  std::uint64_t used = 0;
  for (const auto& [address, block] : blocks) {
    if (&block->context == &context) used += block->size_bytes;
  }
  return used;
}

Block* Machine::allocate(ContextObject& context, std::uint64_t size_bytes) {
  if (size_bytes > config.memory_bytes - used_bytes(context)) return nullptr;
  auto block = std::make_unique<Block>(size_bytes, context);
  const auto address = reinterpret_cast<std::uintptr_t>(block->range.base());
  return blocks.emplace(address, std::move(block)).first->second.get();
}

/// The block of the map that holds all those bytes; past the end if none does.
template <class Map, class Size>
typename Map::iterator find_block(Map& blocks, std::uint64_t address, std::uint64_t size_bytes,
                                  Size&& size_of) {
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) return blocks.end();
  --block;
  const std::uint64_t offset = address - block->first, room = size_of(block->second);
  return offset < room && size_bytes <= room - offset ? block : blocks.end();
}

Block* Machine::block_at(std::uint64_t address) {
  const auto block =
      find_block(blocks, address, 0, [](const auto& found) { return found->size_bytes; });
  return block != blocks.end() ? block->second.get() : nullptr;
}

bool Machine::is_pinned(const void* bytes, std::uint64_t size_bytes) {
  return find_block(host_blocks, reinterpret_cast<std::uintptr_t>(bytes), size_bytes,
                    [](const HostBlock& found) { return found.size_bytes; }) != host_blocks.end();
}

std::byte* Machine::resolve(const ContextObject& context, std::uint64_t address,
                            std::uint64_t size_bytes) {
  const auto block =
      find_block(blocks, address, size_bytes, [](const auto& found) { return found->size_bytes; });
  if (block != blocks.end()) {
    if (&block->second->context != &context) return nullptr;
    return block->second->bytes.data() + (address - block->first);
  }
  const auto pinned = find_block(host_blocks, address, size_bytes,
                                 [](const HostBlock& found) { return found.size_bytes; });
  if (pinned == host_blocks.end()) return nullptr;
  return pinned->second.bytes() + (address - pinned->first);
}

void end_for_unknown_handle(const void* handle) {
  std::fprintf(stderr, "simulated driver: there is no object %p\n", handle);
  std::abort();
}

Machine& machine() {
  static Machine& only = *new Machine;
  return only;
}

int submit(NativeStream stream, std::function<void()> work) {
  Machine& all = machine();
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return code;
  const std::lock_guard lock(all.mutex);
  StreamObject& target = all.stream_of(*context, stream);
  if (&target.context != context) return kErrorInvalidContext;
  const auto run = [context, work = std::move(work)] {
    if (context->broken == kSuccess) work();
  };
  if (target.capture == StreamObject::Capture::kActive) {
    target.captured.push_back(run);
    return kSuccess;
  }
  if (++all.num_submissions == all.config.lose_device) {
    context->broken = all.config.loss;
    return context->broken;
  }
  all.post(target, run);
  return kSuccess;
}

}  // namespace patchbay::sim
