// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Decides which work of a queue is late, and by how much. Drawn from a seed, so reproducible.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_LATENESS_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_LATENESS_HPP_

#include <chrono>
#include <cstdint>

namespace fake {

/// What a draw at a position of a stream decides.
enum class Draw : std::uint8_t { kStart, kPieces, kPieceOrder, kPiece, kNotice, kCallback };

/// Immutable; one per stream.
class DelayPlan {
 public:
  /// `queue` distinguishes the streams of a runtime.
  DelayPlan(std::uint64_t seed, std::uint64_t queue, std::uint32_t late_us)
      : key_(mixed(seed) ^ mixed(~queue)), late_us_(late_us) {}

  bool is_on() const { return late_us_ != 0; }

  std::uint64_t draw(Draw what, std::uint64_t position, std::uint64_t count,
                     std::uint64_t index = 0) const {
    const std::uint64_t place = position * 64 + static_cast<std::uint64_t>(what) * 8 + index;
    return mixed(key_ + mixed(place)) % count;
  }

  /// Zero in half of the cases, otherwise up to the user's limit.
  std::chrono::microseconds hold(Draw what, std::uint64_t position, std::uint64_t index = 0) const {
    const std::uint64_t drawn = draw(what, position, 2 * std::uint64_t{late_us_} + 1, index);
    return std::chrono::microseconds(drawn > late_us_ ? drawn - late_us_ : 0);
  }

 private:
  /// SplitMix64, by G. Steele, D. Lea and C. Flood (2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
  std::uint32_t late_us_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_LATENESS_HPP_
