// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/profiler.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "patchbay/dtype.h"

namespace patchbay::runtime {
namespace {

std::uint64_t bytes_of(const patchbay_argument& tensor) {
  std::uint64_t bytes = size_bytes(static_cast<DType>(tensor.dtype));
  for (int d = 0; d < tensor.rank; ++d) {
    if (tensor.strides[d] != 0 || tensor.shape[d] == 0) {
      bytes *= static_cast<std::uint64_t>(tensor.shape[d]);
    }
  }
  return bytes;
}

}  // namespace

std::string Submission::row_name() const {
  return is_copy ? fmt::format("copy {} -> {}", from, to) : std::string(name);
}

std::uint64_t Submission::moved_bytes() const {
  std::uint64_t bytes = size_bytes;
  for (const patchbay_argument& argument : arguments) {
    if (argument.kind != PATCHBAY_TENSOR) continue;
    const std::uint64_t once = bytes_of(argument);
    if ((argument.access & PATCHBAY_READ) != 0) bytes += once;
    if ((argument.access & PATCHBAY_WRITE) != 0) bytes += once;
  }
  return bytes;
}

void Profiler::add_call(const std::string& device, const std::string& name,
                        std::uint64_t bytes) noexcept try {
  const std::scoped_lock lock(mutex_);
  Counts& counts = counts_[{device, name}];
  ++counts.calls;
  counts.bytes += bytes;
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the call is dropped
}

void Profiler::add_time(const std::string& device, const std::string& name,
                        std::uint64_t ns) noexcept try {
  const std::scoped_lock lock(mutex_);
  const auto found = counts_.find({device, name});
  if (found == counts_.end()) return;
  ++found->second.timed_calls;
  found->second.ns += ns;
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the time is dropped
}

void add_call(const Profilers& profilers, const std::string& device,
              const Submission& what) noexcept try {
  if (profilers == nullptr) return;
  for (const auto& profiler : *profilers) {
    profiler->add_call(device, what.row_name(), what.moved_bytes());
  }
} catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for the name
}

void add_time(const Profilers& profilers, const std::string& device, const std::string& name,
              std::uint64_t ns) noexcept {
  if (profilers == nullptr) return;
  for (const auto& profiler : *profilers) profiler->add_time(device, name, ns);
}

void add_measured(const Profilers& profilers, const std::string& device, const Submission& what,
                  std::uint64_t ns) noexcept try {
  add_call(profilers, device, what);
  add_time(profilers, device, what.row_name(), ns);
} catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory for the name
}

std::vector<ProfileRow> Profiler::rows() const {
  std::vector<ProfileRow> rows;
  std::uint64_t total_ns = 0;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, counts] : counts_) {
      rows.push_back({key.second, key.first, counts.calls, counts.timed_calls,
                      static_cast<double>(counts.ns) / 1e9, counts.bytes, 0});
      total_ns += counts.ns;
    }
  }
  for (ProfileRow& row : rows) {
    if (total_ns != 0) row.share = row.seconds / (static_cast<double>(total_ns) / 1e9);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return std::tie(a.seconds, a.calls) > std::tie(b.seconds, b.calls);
  });
  return rows;
}

}  // namespace patchbay::runtime
