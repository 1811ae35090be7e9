// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The small messages that processes send each other beside the data.
#ifndef PATCHBAY_PLUGINS_MPI_ENGINE_MESSAGE_HPP_
#define PATCHBAY_PLUGINS_MPI_ENGINE_MESSAGE_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace patchbay::mpi {

enum class MessageKind : std::uint32_t {
  kCall = 1,  // the sender has started a call
  kPing,      // asks for kPong
  kPong,      // the sender's thread runs; number: of calls that it has started
  kFail,      // the group has failed
  kLeave,     // the sender starts no call of this group from `number` on
  kFarewell   // the sender needs MPI no more
};

/// What a message begins with; `text` and `payload` follow. All processes of a job have the same
/// byte order, as MPI's bytes do.
struct MessageHead {
  static constexpr std::uint32_t kMagic = 0x50426d31;  // "PBm1"

  std::uint32_t magic = kMagic;
  MessageKind kind = MessageKind::kPing;
  std::uint64_t group = 0, number = 0;
  std::uint64_t data_bytes = 0;  // of a call: what the sender has for the receiver
  std::int32_t tag = 0;          // of the data; 0: the payload is the data
  std::int32_t code = 0;         // of a failure
  std::uint32_t text_bytes = 0, payload_bytes = 0;
};

constexpr std::size_t kMostText = 512, kMostPayload = 1024;
constexpr std::size_t kMostMessage = sizeof(MessageHead) + kMostText + kMostPayload;

/// A message as it was received, or as it is to be sent.
struct Message {
  MessageHead head;
  std::string text;
  std::vector<char> payload;

  std::vector<char> bytes() const {
    MessageHead own = head;
    own.text_bytes = static_cast<std::uint32_t>(std::min(text.size(), kMostText));
    own.payload_bytes = static_cast<std::uint32_t>(payload.size());
    std::vector<char> all(sizeof(own) + own.text_bytes + payload.size());
    std::memcpy(all.data(), &own, sizeof(own));
    std::memcpy(all.data() + sizeof(own), text.data(), own.text_bytes);
    if (!payload.empty()) {
      std::memcpy(all.data() + sizeof(own) + own.text_bytes, payload.data(), payload.size());
    }
    return all;
  }
  /// Empty if the bytes are no message of this plugin.
  static std::optional<Message> read(std::span<const char> bytes) {
    Message message;
    std::memcpy(&message.head, bytes.data(), sizeof(message.head));
    const MessageHead& head = message.head;
    if (head.magic != MessageHead::kMagic || head.text_bytes > kMostText ||
        head.payload_bytes > kMostPayload) {
      return {};
    }
    const char* const text = bytes.data() + sizeof(head);
    message.text.assign(text, head.text_bytes);
    message.payload.assign(text + head.text_bytes, text + head.text_bytes + head.payload_bytes);
    return message;
  }
};

}  // namespace patchbay::mpi

#endif  // PATCHBAY_PLUGINS_MPI_ENGINE_MESSAGE_HPP_
