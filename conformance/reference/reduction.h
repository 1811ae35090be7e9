// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What reductions make of elements, by the names of their records.
#ifndef PATCHBAY_CONFORMANCE_REFERENCE_REDUCTION_H_
#define PATCHBAY_CONFORMANCE_REFERENCE_REDUCTION_H_

#include <string_view>
#include <type_traits>

#include "conformance/reference/elementwise.h"

namespace patchbay::conformance {

/// What is added up or compared.
template <class E>
E term_of(std::string_view name, E element) {
  if (name == "sum_squares") return product_of(element, element);
  if constexpr (!std::is_unsigned_v<E>) {
    if (name.ends_with("_abs")) return element < 0 ? static_cast<E>(-element) : element;
  }
  return element;
}

/// Whether `a` replaces the best value so far; the first NaN is kept.
template <class E>
bool is_better(std::string_view name, E a, E best) {
  if (best != best) return false;
  if (a != a) return true;
  return name.ends_with("min") ? a < best : a > best;
}

}  // namespace patchbay::conformance

#endif  // PATCHBAY_CONFORMANCE_REFERENCE_REDUCTION_H_
