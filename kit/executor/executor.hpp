// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs kernel texts of the portable dialect on the CPU: by the system's compiler, as a SIMD loop
// over the work-items of a group or, with barriers, as a fiber each. docs/kernels.md has the rest.
#ifndef PATCHBAY_KIT_EXECUTOR_EXECUTOR_HPP_
#define PATCHBAY_KIT_EXECUTOR_EXECUTOR_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/executor/cache.hpp"
#include "kit/executor/compiler.hpp"
#include "kit/executor/library.hpp"
#include "kit/executor/stacks.hpp"

namespace patchbay::executor {

inline constexpr std::string_view kFormat = PATCHBAY_FORMAT_DIALECT;
inline constexpr std::uint32_t kMaxGroupSize = 1024;  // work-items

struct Grid {
  std::span<const std::uint32_t, 3> groups, group_size;
};

/// How the caller's threads share a launch: calls the function for ranges that cover
/// [0, num_groups), from any threads, and returns when all are done. `work` grows with what there
/// is to do, in bytes of memory traffic. The function does not throw.
using GroupRange = std::function<void(std::int64_t begin, std::int64_t end)>;
using Split = std::function<void(std::int64_t num_groups, std::int64_t work, const GroupRange&)>;
/// All on the calling thread.
void run_serially(std::int64_t num_groups, std::int64_t work, const GroupRange& range);

/// One kernel of a compiled text. May be run from several threads at once.
class Kernel {
 public:
  /// Reads and writes the memory of the arguments: a buffer's address, or where a value is.
  /// Throws launch_failed if a group's work-items do not all come to the same barriers.
  void run(const Grid& grid, std::span<const void* const> arguments, const Split& split) const;
  const std::string& name() const { return name_; }

 private:
  friend class Module;
  Kernel(std::shared_ptr<const class Module> module, Library::Entry entry, std::string name)
      : module_(std::move(module)), entry_(entry), name_(std::move(name)) {}

  std::shared_ptr<const class Module> module_;
  Library::Entry entry_;
  std::string name_;
};

/// A compiled text.
class Module : public std::enable_shared_from_this<Module> {
 public:
  Module(const std::string& library_path, std::shared_ptr<Stacks> stacks, bool has_barriers)
      : library_(library_path), stacks_(std::move(stacks)), has_barriers_(has_barriers) {}

  /// Throws invalid_argument if there is no such kernel, or if it takes other arguments.
  Kernel kernel(std::string_view name, plugin::ArgumentSpecs arguments) const;
  /// The same for a plugin's own text, whose arguments need not be those of users.
  Kernel kernel(std::string_view name) const;
  /// A kernel's arguments, as record.h describes them.
  std::vector<int> describe(std::string_view name) const;

 private:
  friend class Kernel;
  const Library library_;
  const std::shared_ptr<Stacks> stacks_;
  const bool has_barriers_;
};

/// One for a plugin at work. Thread-safe; asks for compiler and directory at the first text.
class Executor {
 public:
  explicit Executor(plugin::Host host) : host_(host), cache_(host) {}

  /// Compiles, or finds what an earlier call or process compiled, unless it is damaged. Throws
  /// PATCHBAY_BUILD_FAILED with the compiler's log, `unsupported` without a compiler or for another
  /// format, io_failed for a full disk.
  std::shared_ptr<const Module> load(std::string_view format, std::string_view text);

 private:
  const Compiler& compiler();

  plugin::Host host_;
  Cache cache_;
  std::mutex mutex_;
  std::optional<Compiler> compiler_;  // under mutex_ until it is there
  const std::shared_ptr<Stacks> stacks_ = std::make_shared<Stacks>();
};

/// Throws invalid_argument if the grid is empty, too large for 32-bit ids, or its groups are.
void check_grid(const Grid& grid);

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_EXECUTOR_HPP_
