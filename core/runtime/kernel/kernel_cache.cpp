// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/kernel_cache.h"

#include <algorithm>
#include <type_traits>

#include "patchbay/error.h"
#include "patchbay/kernel.h"

#include "core/runtime/kernel/kernel_state.h"

namespace patchbay::runtime {
namespace {

template <class T>
void append(std::string& key, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}
void append(std::string& key, const Shape& shape) {
  append(key, shape.rank());
  for (const std::int64_t dim : shape) append(key, dim);
}

/// Equal for equal specs, and only for these.
std::string key_of(const KernelSpec& spec) {
  std::string key;
  append(key, spec.op);
  append(key, spec.workspace_limit_bytes);
  append(key, spec.arguments.size());
  for (const ArgumentSpec& argument : spec.arguments) {
    append(key, argument.kind);
    append(key, argument.dtype);
    append(key, argument.access);
    append(key, argument.any_shape);
    if (argument.any_shape) continue;
    append(key, argument.shape);
    append(key, argument.strides);
  }
  for (const Attribute& attribute : spec.attributes) {
    append(key, attribute.name);
    append(key, attribute.value.index());
    std::visit([&key](const auto& value) { append(key, value); }, attribute.value);
  }
  return key;
}

}  // namespace

std::shared_ptr<KernelState> KernelCache::find_or_prepare(const KernelSpec& spec) {
  const std::string key = key_of(spec);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
  }
  // Preparing may compile for seconds; two threads that ask at once may both do it, and the
  // first to end wins. The other's kernel is destroyed after the lock, like those of `clear`.
  auto prepared = std::make_shared<KernelState>(device_, spec);
  const std::scoped_lock lock(mutex_);
  return kernels_.try_emplace(key, std::move(prepared)).first->second;
}

KernelState* KernelCache::find_or_prepare_if_any(const KernelSpec& spec) {
  try {
    return find_or_prepare(spec).get();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnsupported) throw;
    return nullptr;
  }
}

KernelState* KernelCache::keep(const KernelKey& key, KernelState* kernel) {
  const std::scoped_lock lock(mutex_);
  table_.insert(key, kernel);  // without a free entry, each launch finds the kernel by its spec
  return kernel;
}

std::size_t KernelCache::num_held() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(kernels_.begin(), kernels_.end(),
                    [](const auto& entry) { return entry.second.use_count() > 1; }));
}

void KernelCache::clear() {
  decltype(kernels_) ended;
  const std::scoped_lock lock(mutex_);
  table_.clear();
  kernels_.swap(ended);
}

}  // namespace patchbay::runtime
