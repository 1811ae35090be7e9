// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// gather, scatter_add. As on devices that can't fail when they find an index out of range: nothing
// is read or written there.
#include <array>
#include <limits>

#include "patchbay/plugin/kit/error.hpp"

#include "fake/kernels/dtypes.hpp"

namespace fake {
namespace {

std::size_t dim_of(const View& scalar) {
  return static_cast<std::size_t>(*scalar.elements<std::int64_t>());
}

/// The tensor as it is walked beside the indices, which say where along `dim`.
View beside(View table, std::size_t dim) {
  table.strides[dim] = 0;
  return table;
}

template <class T>
T missing() {
  if constexpr (std::is_same_v<T, Boolean>)
    return {0};
  else
    return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T(0);
}

template <class T, class I>
void gather(Views views) {
  const std::size_t dim = dim_of(views[3]);
  const View table = beside(views[1], dim);
  const std::int64_t extent = views[1].shape[dim], step = views[1].strides[dim];
  T* const out = views[0].elements<T>();
  const T* const a = table.elements<T>();
  const I* const indices = views[2].elements<I>();
  for_each<3>({&views[0], &table, &views[2]}, [=](const auto& at) {
    const std::int64_t index = indices[at[2]];
    out[at[0]] = index >= 0 && index < extent ? a[at[1] + index * step] : missing<T>();
  });
}

/// Row-major, and so along dim from the first index to the last.
template <class T, class I>
void scatter_add(Views views) {
  const std::size_t dim = dim_of(views[3]);
  const View table = beside(views[0], dim);
  const std::int64_t extent = views[0].shape[dim], step = views[0].strides[dim];
  T* const out = table.elements<T>();
  const I* const indices = views[1].elements<I>();
  const T* const source = views[2].elements<T>();
  for_each<3>({&views[1], &table, &views[2]}, [=](const auto& at) {
    const std::int64_t index = indices[at[0]];
    if (index < 0 || index >= extent) return;
    T& to = out[at[1] + index * step];
    if constexpr (std::is_floating_point_v<T>)
      to += source[at[2]];
    else
      to = static_cast<T>(static_cast<Unsigned<T>>(to) + static_cast<Unsigned<T>>(source[at[2]]));
  });
}

Function choose_gather(Specs specs) {
  const bool fits = specs[1].dtype == specs[0].dtype && specs[3].dtype == PATCHBAY_I64;
  if (!fits) return nullptr;
  return for_all(specs[0].dtype, [&](auto x) -> Function {
    switch (specs[2].dtype) {
      case PATCHBAY_I32: return gather<decltype(x), std::int32_t>;
      case PATCHBAY_I64: return gather<decltype(x), std::int64_t>;
      default: return nullptr;
    }
  });
}

Function choose_scatter_add(Specs specs) {
  const bool fits = specs[2].dtype == specs[0].dtype && specs[3].dtype == PATCHBAY_I64;
  if (!fits) return nullptr;
  return for_numbers(specs[0].dtype, [&](auto x) -> Function {
    switch (specs[1].dtype) {
      case PATCHBAY_I32: return scatter_add<decltype(x), std::int32_t>;
      case PATCHBAY_I64: return scatter_add<decltype(x), std::int64_t>;
      default: return nullptr;
    }
  });
}

void check(const View& elements, const View& table, const View& index, const View& dim) {
  const auto along = *dim.elements<std::int64_t>();
  bool fits =
      elements.rank == index.rank && table.rank == index.rank && along >= 0 && along < index.rank;
  for (std::size_t d = 0; fits && d < static_cast<std::size_t>(index.rank); ++d) {
    fits = elements.shape[d] == index.shape[d] &&
           (d == dim_of(dim) || table.shape[d] == index.shape[d]);
  }
  if (!fits) patchbay::plugin::invalid_argument("the shapes do not fit along dim");
}
void check_gather(Views views) { check(views[0], views[1], views[2], views[3]); }
void check_scatter_add(Views views) { check(views[2], views[0], views[1], views[3]); }

constexpr std::array<Operator, 2> kOperators = {
    {{"gather.1", "otts", choose_gather, check_gather},
     {"scatter_add.1", "otts", choose_scatter_add, check_scatter_add}}};

}  // namespace

std::span<const Operator> indexing_operators() { return kOperators; }

}  // namespace fake
