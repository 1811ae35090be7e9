// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Asks the driver whether work is done.
#ifndef PATCHBAY_KIT_CARD_CONTEXT_POLLING_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_POLLING_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/host.hpp"

#include "kit/card/context/context.hpp"
#include "kit/polling.hpp"

namespace patchbay::card {

/// Whether the query reports success. Throws its errors.
template <class T>
bool is_over(Context& context, const Entry<int(T)>& query, T object) {
  const Result code = context.attempt(query, object);
  if (code != kSuccess && code != kErrorNotReady) context.fail(query.name, code);
  return code == kSuccess;
}

/// Returns false if the deadline passes first.
template <class T>
bool poll(Context& context, const Entry<int(T)>& query, T object, plugin::Host host,
          std::uint64_t deadline_ns) {
  return poll_until(host, deadline_ns, [&] { return is_over(context, query, object); });
}

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_POLLING_HPP_
