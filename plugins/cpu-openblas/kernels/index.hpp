// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Checks of index tensors, shared by the kernels that take one.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_INDEX_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_INDEX_HPP_

#include <cstdint>

#include "patchbay/plugin/kit/attributes.hpp"

#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/workers.hpp"

namespace patchbay::cpu {

/// The attribute of that name.
inline int dim_of(const patchbay_kernel_spec& spec) {
  return static_cast<int>(plugin::Attributes(spec).integer("dim"));
}

/// Calls body(pointer) with the elements in their type, i32 or i64.
template <class Body>
void with_indices(const patchbay_argument& index, const Body& body) {
  if (index.dtype == PATCHBAY_I32)
    body(reinterpret_cast<const std::int32_t*>(data_of(index)));
  else
    body(reinterpret_cast<const std::int64_t*>(data_of(index)));
}

/// Throws unless `elements` has the dimension `dim` and the shape of `index`, and `table` has that
/// shape too, except for the extent of `dim`.
void check_index_shapes(const char* op, const patchbay_argument& elements,
                        const patchbay_argument& table, const patchbay_argument& index, int dim);

/// Whether all indices are from 0 to extent - 1.
bool are_in_range(Workers& workers, const patchbay_argument& index, std::int64_t extent);
/// Throws an error with the first index, in row-major order, that is out of range.
[[noreturn]] void raise_out_of_range(const patchbay_argument& index, std::int64_t extent,
                                     std::int64_t dim);

/// Calls compute() on the workers if all indices are in range; throws otherwise.
template <class Compute>
void compute_in_range(Workers& workers, const patchbay_argument& index, std::int64_t extent,
                      std::int64_t dim, const Compute& compute) {
  bool is_sound = false;
  workers.run([&] {
    is_sound = are_in_range(workers, index, extent);
    if (is_sound) compute();
  });
  if (!is_sound) raise_out_of_range(index, extent, dim);
}

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_KERNELS_INDEX_HPP_
