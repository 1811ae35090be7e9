// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Whether the driver is through with something.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_POLLING_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_POLLING_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/host.hpp"

#include "cuda-cublas/device/context.hpp"
#include "kit/polling.hpp"

namespace patchbay::cuda {

/// What the code of a query says. Throws what is no answer.
template <class T>
bool is_over(Context& context, const Entry<int(T)>& query, T object) {
  const Result code = context.attempt(query, object);
  if (code != kSuccess && code != kErrorNotReady) context.fail(query.name, code);
  return code == kSuccess;
}

/// False when the deadline passed first.
template <class T>
bool poll(Context& context, const Entry<int(T)>& query, T object, plugin::Host host,
          std::uint64_t deadline_ns) {
  return poll_until(host, deadline_ns, [&] { return is_over(context, query, object); });
}

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_POLLING_HPP_
