// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The launches of a device that are not known to be done. The driver does not report which launch
// failed, so an error names all launches that may have.
#ifndef PATCHBAY_KIT_CARD_CONTEXT_LAUNCHES_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_LAUNCHES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace patchbay::card {

/// A position on a stream: all launches up to a number.
struct Position {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};

/// The launches of one device. Thread-safe; does not allocate.
class Launches {
 public:
  /// A number for a new stream.
  std::uint64_t new_stream();
  void note(std::uint64_t stream, std::string_view name);
  /// The last position on a stream.
  Position last(std::uint64_t stream);
  /// Removes the launches up to a position, which are done.
  void forget(const Position& done);
  /// "'add.1'", or "one of 'add.1', 'saxpy'", oldest first; empty if no launch is pending.
  std::string names();

 private:
  struct Launch {
    Position position;
    std::array<char, 47> name;
    std::uint8_t size;
  };
  static constexpr std::size_t kKept = 64;  // older ones are overwritten

  std::mutex mutex_;
  std::uint64_t num_streams_ = 0;
  std::uint64_t num_launches_ = 0;
  std::array<Launch, kKept> launches_{};  // stream 0: none
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_LAUNCHES_HPP_
