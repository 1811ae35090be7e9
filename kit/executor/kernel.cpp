// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finds kernels in a module and runs their work-items.
#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <optional>

#include "kit/dialect_module.hpp"
#include "kit/executor/executor.hpp"

namespace patchbay::executor {
namespace {

constexpr int kMostArguments = 64;
constexpr int kOutOfMemory = 2;  // in addition to the failures that kernels report

/// The mangled name of a static member function of patchbay_text.
std::string symbol_of(const std::string& function, const char* parameters) {
  return "_ZN13patchbay_text" + std::to_string(function.size()) + function + "E" + parameters;
}

/// The code that the compiled kernel reports for such an argument.
int expected_code(const patchbay_argument_spec& spec) {
  const int dtype = spec.dtype == PATCHBAY_BOOL ? int{PATCHBAY_U8} : spec.dtype;
  if (spec.kind == PATCHBAY_SCALAR) return dtype;
  if (spec.kind != PATCHBAY_TENSOR) return -1;
  const bool reads_only = (spec.access & PATCHBAY_WRITE) == 0;
  return dtype | int{PATCHBAY_IS_BUFFER} | (reads_only ? int{PATCHBAY_IS_CONSTANT} : 0);
}

/// Checks a kernel with `count` arguments. `codes` has the codes of at most kMostArguments of them.
void check_arguments(const std::string& name, const int* codes, int count,
                     plugin::ArgumentSpecs specs) {
  if (static_cast<std::size_t>(count) != specs.size() || count > kMostArguments) {
    plugin::invalid_argument("kernel '" + name + "' takes " + std::to_string(count) +
                             " arguments (64 at most), not " + std::to_string(specs.size()));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (codes[i] == expected_code(specs[i])) continue;
    plugin::invalid_argument("kernel '" + name + "': argument " + std::to_string(i) +
                             " is of another kind, dtype or access in the compiled text");
  }
}

[[noreturn]] void raise_failure(const std::string& name, int failure) {
  if (failure == kOutOfMemory) throw std::bad_alloc();
  if (failure == PATCHBAY_TOO_MUCH_SHARED) {
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, "kernel '" + name + "' has more than " +
                                                          std::to_string(Stacks::kSharedBytes) +
                                                          " bytes of shared memory");
  }
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            "kernel '" + name +
                                "': some work-items of a group reached a barrier and others did "
                                "not. All of them must reach the same barriers.");
}

}  // namespace

void run_serially(std::int64_t num_groups, std::int64_t, const GroupRange& range) {
  range(0, num_groups);
}

void check_grid(const Grid& grid) {
  std::uint64_t group_size = 1, num_groups = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t groups = grid.groups[axis], size = grid.group_size[axis];
    if (groups == 0 || size == 0 || groups > INT32_MAX) {
      plugin::invalid_argument("axis " + std::to_string(axis) + " has " + std::to_string(groups) +
                               " groups of " + std::to_string(size) +
                               " work-items: expected at least 1 and at most 2147483647 groups");
    }
    group_size = std::min<std::uint64_t>(group_size * size, kMaxGroupSize + 1);
    if (__builtin_mul_overflow(num_groups, groups, &num_groups) || num_groups > INT64_MAX) {
      plugin::invalid_argument("the grid has more than 2^63 groups");
    }
  }
  if (group_size > kMaxGroupSize) {
    plugin::invalid_argument("a group has more than " + std::to_string(kMaxGroupSize) +
                             " work-items");
  }
}

Module::Module(const std::string& library_path, std::shared_ptr<Stacks> stacks, bool has_barriers)
    : library_(library_path, Library::Lifetime::kObject),
      stacks_(std::move(stacks)),
      has_barriers_(has_barriers) {
  if (library_) return;
  throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                            "a compiled kernel can't be opened: " + library_.why());
}

Kernel Module::kernel(std::string_view name) const {
  const std::string compiled = compiled_name(name);
  Kernel::Entry entry;
  library_.optional(symbol_of("patchbay_run_" + compiled, "R15patchbay_launch").c_str(), entry.run);
  library_.optional(symbol_of("patchbay_describe_" + compiled, "Pii").c_str(), entry.describe);
  if (entry.run == nullptr || entry.describe == nullptr) {
    plugin::invalid_argument("the text has no kernel '" + std::string(name) + "'");
  }
  return Kernel(shared_from_this(), entry, std::string(name));
}

Kernel Module::kernel(std::string_view name, plugin::ArgumentSpecs arguments) const {
  Kernel found = kernel(name);
  int codes[kMostArguments] = {};
  check_arguments(found.name_, codes, found.entry_.describe(codes, kMostArguments), arguments);
  return found;
}

std::vector<int> Module::describe(std::string_view name) const {
  std::vector<int> codes(kMostArguments);
  const int count = kernel(name).entry_.describe(codes.data(), kMostArguments);
  codes.resize(static_cast<std::size_t>(std::min(count, kMostArguments)));
  return codes;
}

void Kernel::run(const Grid& grid, std::span<const void* const> arguments,
                 const Split& split) const {
  check_grid(grid);
  patchbay_launch launch{};
  launch.arguments = arguments.data();
  std::int64_t num_groups = 1, group_size = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    launch.num_groups[axis] = static_cast<int>(grid.groups[axis]);
    launch.group_size[axis] = static_cast<int>(grid.group_size[axis]);
    num_groups *= grid.groups[axis];
    group_size *= grid.group_size[axis];
  }
  std::atomic<int> failure{0};
  const auto run_range = [&](std::int64_t begin, std::int64_t end) {
    patchbay_launch part = launch;
    part.begin = begin;
    part.end = end;
    try {
      std::optional<Stacks::Lease> stacks;
      if (module_->has_barriers_) {
        stacks.emplace(*module_->stacks_, static_cast<int>(group_size));
        part.stacks = stacks->memory();
        part.stack_bytes = Stacks::kStackBytes;
        part.shared = stacks->shared();
        part.shared_bytes = Stacks::kSharedBytes;
      }
      entry_.run(part);
    } catch (const std::bad_alloc&) {
      part.failure = kOutOfMemory;
    }
    if (part.failure != 0) failure.store(part.failure);
  };
  // A work-item with barriers costs far more than one in a SIMD loop.
  constexpr std::int64_t kBytesPerItem = 16, kBytesPerFiber = 512;
  const std::int64_t per_item = module_->has_barriers_ ? kBytesPerFiber : kBytesPerItem;
  // By reference: a copy could fail for lack of memory, and a queued launch can't report that.
  split(num_groups, std::min<std::int64_t>(num_groups, INT32_MAX) * group_size * per_item,
        std::cref(run_range));
  if (const int failed = failure.load(); failed != 0) raise_failure(name_, failed);
}

}  // namespace patchbay::executor
