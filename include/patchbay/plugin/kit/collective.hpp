// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The C++ kit for plugins of kind "collective": derive from Engine, Group and Work, then write,
// once, at namespace scope:
//
//   PATCHBAY_DEFINE_COLLECTIVE("my-engine", "my", "1.0", my::Engine)
//
// plugin/collective.h states the contract of each call. An exception becomes a status.
#ifndef PATCHBAY_PLUGIN_KIT_COLLECTIVE_HPP_
#define PATCHBAY_PLUGIN_KIT_COLLECTIVE_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/collective.h"
#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/kit/thunks.hpp"

namespace patchbay::plugin {

/// A call that was started. The last handle is destroyed when is_unused() is true, or with the
/// group.
class Work : public detail::Object {
 public:
  /// Whether the memory of the call is not used any more. Never blocks.
  virtual bool is_unused() = 0;
  /// Throws why the call has failed, if it has.
  virtual void check() = 0;
  /// Returns when the call has succeeded; false if the deadline passes first. Throws why it failed.
  virtual bool wait(std::uint64_t deadline_ns) = 0;
};

struct MemberInfo {
  std::uint32_t rank = 0, state = PATCHBAY_MEMBER_WELL;
  std::uint64_t num_calls = 0;
  std::string reason;
};

/// This process's side of a group. Functions that are not pure virtual behave like an absent entry.
class Group : public detail::Object {
 public:
  virtual std::unique_ptr<Work> start(const patchbay_call& call) = 0;
  virtual std::unique_ptr<Group> split(std::span<const std::uint32_t> ranks,
                                       std::uint64_t deadline_ns);
  virtual std::unique_ptr<Group> shrink(std::uint64_t deadline_ns);
  /// Called before the destructor.
  virtual void leave(std::string_view reason) noexcept = 0;
  virtual void abort(std::string_view reason) noexcept = 0;
  virtual void health(const std::function<void(const MemberInfo&)>& found);
};

/// The plugin. Its constructor takes the Host, and throws PATCHBAY_NO_DRIVER if there is no
/// library.
class Engine : public detail::Object {
 public:
  /// The texts are valid as long as the engine.
  virtual patchbay_collective_properties describe() = 0;
  virtual std::string make_id();
  virtual std::unique_ptr<Group> join(const patchbay_join& join) = 0;
};

inline std::unique_ptr<Group> Group::split(std::span<const std::uint32_t>, std::uint64_t) {
  unsupported("this engine makes no groups of some members");
}
inline std::unique_ptr<Group> Group::shrink(std::uint64_t) {
  unsupported("this engine can't go on without lost members");
}
inline void Group::health(const std::function<void(const MemberInfo&)>&) {
  unsupported("this engine does not know how its members are");
}
inline std::string Engine::make_id() { unsupported("this engine needs no bytes to join"); }

namespace detail {

inline Engine& engine(patchbay_driver* p) { return *reinterpret_cast<Engine*>(p); }
inline Group& object(patchbay_group* p) { return *reinterpret_cast<Group*>(p); }
inline Work& object(patchbay_work* p) { return *reinterpret_cast<Work*>(p); }

struct CollectiveThunks {
  using Status = patchbay_status*;

  template <class Handle, class T>
  static void give(const patchbay_host* host, std::unique_ptr<T> made, Handle** out) {
    Thunks::give(host, std::move(made), out);
  }
  template <class EngineT>
  static Status open(const patchbay_host* host, patchbay_driver** out) noexcept {
    return guarded(host, [&] {
      give<patchbay_driver, Engine>(host, std::make_unique<EngineT>(Host(host)), out);
    });
  }
  static void close(patchbay_driver* driver) noexcept {
    const CancellationOff not_cancelled;
    delete &engine(driver);
  }
  static Status describe(patchbay_driver* driver, patchbay_collective_properties* out) noexcept {
    return guarded(engine(driver).host().table(), [&] {
      const std::uint64_t size = out->size;
      const patchbay_collective_properties found = engine(driver).describe();
      std::memcpy(out, &found, std::min<std::uint64_t>(size, sizeof(found)));
      out->size = size;
    });
  }
  static Status make_id(patchbay_driver* driver, patchbay_bytes_callback call,
                        void* user) noexcept {
    return guarded(engine(driver).host().table(), [&] {
      const std::string id = engine(driver).make_id();
      call(user, id.data(), id.size());
    });
  }
  static Status join(patchbay_driver* driver, const patchbay_join* join,
                     patchbay_group** out) noexcept {
    const auto* host = engine(driver).host().table();
    return guarded(host, [&] { give(host, engine(driver).join(*join), out); });
  }
  static Status split(patchbay_group* group, const std::uint32_t* ranks, std::uint32_t num_ranks,
                      std::uint64_t deadline_ns, patchbay_group** out) noexcept {
    const auto* host = object(group).host().table();
    return guarded(host, [&] {
      give(host, object(group).split({ranks, num_ranks}, deadline_ns), out);
    });
  }
  static void leave(patchbay_group* group, patchbay_string reason) noexcept {
    const CancellationOff not_cancelled;
    object(group).leave(from_abi(reason));
    delete &object(group);
  }
  static Status start(patchbay_group* group, const patchbay_call* call,
                      patchbay_work** out) noexcept {
    const auto* host = object(group).host().table();
    return guarded(host, [&] { give(host, object(group).start(*call), out); });
  }
  static Status test(patchbay_work* work, std::uint32_t* done) noexcept {
    return guarded(object(work).host().table(), [&] {
      *done = object(work).is_unused() ? 1 : 0;
      object(work).check();
    });
  }
  static Status wait(patchbay_work* work, std::uint64_t deadline_ns) noexcept {
    const auto* host = object(work).host().table();
    bool in_time = false;
    const Status failure = guarded(host, [&] { in_time = object(work).wait(deadline_ns); });
    if (failure != nullptr || in_time) return failure;
    return make_status(host, PATCHBAY_TIMED_OUT, "the deadline passed", 0,
                       PATCHBAY_STATUS_RETRYABLE);
  }
  static void release(patchbay_work* work) noexcept {
    const CancellationOff not_cancelled;
    delete &object(work);
  }
  static void abort(patchbay_group* group, patchbay_string reason) noexcept {
    const CancellationOff not_cancelled;
    object(group).abort(from_abi(reason));
  }
  static Status health(patchbay_group* group,
                       void (*found)(void* user, const patchbay_member_info*),
                       void* user) noexcept {
    return guarded(object(group).host().table(), [&] {
      object(group).health([&](const MemberInfo& member) {
        const patchbay_member_info info{sizeof(info), member.rank, member.state, member.num_calls,
                                        to_abi(member.reason)};
        found(user, &info);
      });
    });
  }
  static Status shrink(patchbay_group* group, std::uint64_t deadline_ns,
                       patchbay_group** out) noexcept {
    const auto* host = object(group).host().table();
    return guarded(host, [&] { give(host, object(group).shrink(deadline_ns), out); });
  }
  static const void* get_extension(patchbay_driver*, patchbay_string name,
                                   std::uint32_t version) noexcept {
    static constexpr patchbay_collective_table kTable = {sizeof(patchbay_collective_table),
                                                         describe,
                                                         make_id,
                                                         join,
                                                         split,
                                                         leave,
                                                         start,
                                                         test,
                                                         wait,
                                                         release,
                                                         abort,
                                                         health,
                                                         shrink};
    const bool is_known = from_abi(name) == PATCHBAY_EXTENSION_COLLECTIVE && version == 1;
    return is_known ? &kTable : nullptr;
  }
};

template <class EngineT, std::size_t N, std::size_t B, std::size_t V>
constexpr patchbay_plugin make_collective_plugin(const char (&name)[N], const char (&backend)[B],
                                                 const char (&version)[V]) {
  patchbay_plugin plugin{};
  plugin.size = sizeof(patchbay_plugin);
  plugin.abi_major = PATCHBAY_ABI_MAJOR;
  plugin.abi_minor = PATCHBAY_ABI_MINOR;
  plugin.name = {name, N - 1};
  plugin.backend = {backend, B - 1};
  plugin.version = {version, V - 1};
  plugin.open = CollectiveThunks::open<EngineT>;
  plugin.close = CollectiveThunks::close;
  plugin.get_extension = CollectiveThunks::get_extension;
  return plugin;
}

}  // namespace detail
}  // namespace patchbay::plugin

#define PATCHBAY_DEFINE_COLLECTIVE(name, backend, version, EngineT)                        \
  PATCHBAY_PLUGIN_NOTE_OF_KIND(PATCHBAY_KIND_COLLECTIVE, name, backend);                   \
  PATCHBAY_PLUGIN_EXPORT const patchbay_plugin* patchbay_plugin_v1(void) {                 \
    static constexpr patchbay_plugin kPlugin =                                             \
        patchbay::plugin::detail::make_collective_plugin<EngineT>(name, backend, version); \
    return &kPlugin;                                                                       \
  }                                                                                        \
  static_assert(true, "takes the semicolon")

#endif  // PATCHBAY_PLUGIN_KIT_COLLECTIVE_HPP_
