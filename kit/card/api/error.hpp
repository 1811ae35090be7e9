// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_API_ERROR_HPP_
#define PATCHBAY_KIT_CARD_API_ERROR_HPP_

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "kit/card/api/entries.hpp"

namespace patchbay::card {

/// "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
std::string describe(const Api& api, std::string_view entry, Result code);

/// Throws unless the call succeeded; for calls that use no open device. The message ends with the
/// driver's own explanation.
void check(const Api& api, std::string_view entry, Result code, std::string_view log = {});

/// Calls an entry that needs no open device; throws unless it succeeds.
template <class... P, class... A>
void call(const Api& api, const Entry<int(P...)>& entry, A&&... arguments) {
  check(api, entry.name, entry(arguments...));
}

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_API_ERROR_HPP_
