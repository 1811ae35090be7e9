// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Compiles kernels of the portable dialect with the system's compiler and runs each on the CPU: as
// a SIMD loop over the work-items of a group or, with barriers, as fibers. See docs/kernels.md.
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
#include "kit/executor/record.h"
#include "kit/executor/stacks.hpp"
#include "kit/library/library.hpp"

namespace patchbay::executor {

inline constexpr std::string_view kFormat = PATCHBAY_FORMAT_DIALECT;
inline constexpr std::uint32_t kMaxGroupSize = 1024;  // work-items

struct Grid {
  std::span<const std::uint32_t, 3> groups, group_size;
};

/// Distributes a launch over the caller's threads: calls the function for ranges that cover [0,
/// num_groups), from any threads, and returns when all are done. `work` estimates the cost in bytes
/// of memory traffic. The function does not throw.
using GroupRange = std::function<void(std::int64_t begin, std::int64_t end)>;
using Split = std::function<void(std::int64_t num_groups, std::int64_t work, const GroupRange&)>;
/// Runs all groups on the calling thread.
void run_serially(std::int64_t num_groups, std::int64_t work, const GroupRange& range);

/// A kernel of a compiled text. May be run from several threads at once.
class Kernel {
 public:
  /// Runs the kernel. Each argument points to a buffer or to a value. Throws launch_failed if the
  /// work-items of a group do not all reach the same barriers.
  void run(const Grid& grid, std::span<const void* const> arguments, const Split& split) const;
  const std::string& name() const { return name_; }

 private:
  friend class Module;
  struct Entry {
    void (*run)(patchbay_launch&) = nullptr;
    int (*describe)(int* codes, int size) = nullptr;
  };
  Kernel(std::shared_ptr<const class Module> module, Entry entry, std::string name)
      : module_(std::move(module)), entry_(entry), name_(std::move(name)) {}

  std::shared_ptr<const class Module> module_;
  Entry entry_;
  std::string name_;
};

/// A compiled text.
class Module : public std::enable_shared_from_this<Module> {
 public:
  Module(const std::string& library_path, std::shared_ptr<Stacks> stacks, bool has_barriers);

  /// Throws invalid_argument if there is no such kernel, or if it takes other arguments.
  Kernel kernel(std::string_view name, plugin::ArgumentSpecs arguments) const;
  /// A kernel of a plugin's own text, whose argument types are not checked.
  Kernel kernel(std::string_view name) const;
  /// The arguments of a kernel, encoded as record.h describes.
  std::vector<int> describe(std::string_view name) const;

 private:
  friend class Kernel;
  const Library library_;
  const std::shared_ptr<Stacks> stacks_;
  const bool has_barriers_;
};

/// Compiles kernel texts; one per driver. Thread-safe. The first text locates compiler and cache.
class Executor {
 public:
  /// Reads the variables: make it while the driver is opened, when no other driver sets one.
  explicit Executor(plugin::Host host);

  /// Compiles the text, or opens the library of an earlier call or process unless it is damaged.
  /// Throws PATCHBAY_BUILD_FAILED with the compiler's log, `unsupported` without a compiler, with
  /// raised privileges or for another format, io_failed for a full disk.
  std::shared_ptr<const Module> load(std::string_view format, std::string_view text);

 private:
  const Compiler& compiler(const std::string& directory);

  plugin::Host host_;
  const std::string path_;  // the variable PATH
  Cache cache_;
  std::mutex mutex_;
  std::optional<Compiler> compiler_;  // under mutex_ until it is there
  const std::shared_ptr<Stacks> stacks_ = std::make_shared<Stacks>();
};

/// Throws invalid_argument if the grid is empty, or the grid or its groups are too large.
void check_grid(const Grid& grid);

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_EXECUTOR_HPP_
