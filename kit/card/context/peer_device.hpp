// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A device as the streams of other devices see it.
#ifndef PATCHBAY_KIT_CARD_CONTEXT_PEER_DEVICE_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_PEER_DEVICE_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/card/context/context.hpp"

namespace patchbay::card {

/// Every device of a card's plugin is one.
class PeerDevice : public plugin::Device {
 public:
  PeerDevice(const Api& api, CallGate& gate, DeviceNumber number, std::uint32_t index,
             NativeContext adopted)
      : context_(api, gate, number, index, adopted) {}

  Context& context() { return context_; }

 protected:
  Context context_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_PEER_DEVICE_HPP_
