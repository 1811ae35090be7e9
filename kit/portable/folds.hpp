// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The operations of reductions, as definitions for reduction.pbk.
#ifndef PATCHBAY_KIT_PORTABLE_FOLDS_HPP_
#define PATCHBAY_KIT_PORTABLE_FOLDS_HPP_

#include <cstdint>
#include <string>
#include <string_view>

#include "kit/portable/base/backend.hpp"

namespace patchbay::portable {

struct Fold {
  std::string_view name;
  enum class Family : std::uint8_t { kSum, kProduct, kMaxAbs, kExtreme, kPosition } family;
  bool greatest;               // for extremes and positions: greatest or least
  std::string_view of_floats;  // for sums and products: the term of x in the accumulator's type ACC
  std::string_view of_signed, of_unsigned;
  bool divides = false, has_root = false;  // the last steps of moment.1

  /// Whether element positions matter, so that elements must be visited in row-major order.
  bool is_position() const { return family == Family::kPosition; }
  /// Whether no elements are allowed: extremes need one.
  bool takes_nothing() const { return family != Family::kExtreme && !is_position(); }
};

/// Null if no reduction has this name.
const Fold* find_fold(std::string_view name);

/// That of moment.1 with these attributes.
const Fold& moment_fold(bool of_squares, bool has_root);

/// The dtype of the result for elements of `in`.
std::uint8_t fold_result(const Fold& fold, std::uint8_t in);
/// All definitions that reduction.pbk needs.
std::string fold_text(const Fold& fold, std::uint8_t in, const Traits& traits);

/// The largest size of an accumulator.
inline constexpr std::uint64_t kMostAccumulatorBytes = 16;

}  // namespace patchbay::portable

#endif  // PATCHBAY_KIT_PORTABLE_FOLDS_HPP_
