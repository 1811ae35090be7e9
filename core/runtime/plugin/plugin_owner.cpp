// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/plugin/plugin_owner.h"

#include <utility>

#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

const ThreadPool& checked(const ThreadPool& pool) {
  if (pool.num_threads >= 0 && (pool.num_threads > 0) == static_cast<bool>(pool.parallel_for)) {
    return pool;
  }
  if (pool.num_threads < 0) {
    base::raise(
        ErrorCode::kInvalidArgument,
        "[Runtime] thread_pool: expected num_threads of 0 or more, got {}. Give the number of "
        "threads that parallel_for uses, or 0 and no function.",
        pool.num_threads);
  }
  base::raise(
      ErrorCode::kInvalidArgument,
      "[Runtime] thread_pool: expected both num_threads and parallel_for or neither, got {} "
      "threads and {} function. Set both to lend threads.",
      pool.num_threads, pool.parallel_for ? "a" : "no");
}

}  // namespace

PluginOwner::PluginOwner(const RuntimeOptions& options, base::Environment read)
    : environment(std::move(read)),
      thread_pool(checked(options.thread_pool)),
      shows_ranges(environment.is_on("ranges")),
      logger(options.log, environment) {}

}  // namespace patchbay::runtime
