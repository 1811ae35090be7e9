// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which bytes of a block an argument uses.
#ifndef PATCHBAY_CORE_RUNTIME_MEMORY_VIEW_H_
#define PATCHBAY_CORE_RUNTIME_MEMORY_VIEW_H_

#include <array>
#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

/// Strided elements, all in bytes. Dimensions of extent 1 are left out.
struct View {
  std::int64_t begin = 0;  // from the start of the block
  std::int64_t element_bytes = 1;
  std::int64_t num_elements = 0;
  int rank = 0;
  std::array<std::int64_t, PATCHBAY_MAX_RANK> shape{}, strides{};

  static View range(std::int64_t begin, std::int64_t size_bytes);
  /// The view of a tensor argument that begins at `begin`.
  static View of(const patchbay_argument& argument, std::int64_t begin);

  /// The end of the last element.
  std::int64_t end() const;
  /// Whether two indices refer to one element.
  bool repeats_elements() const;
  friend bool operator==(const View& a, const View& b);
};

/// Whether the two share a byte. False if that is too costly to find out.
bool share_bytes(const View& a, const View& b);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_MEMORY_VIEW_H_
