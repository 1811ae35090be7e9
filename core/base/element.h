// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The C++ type of a stored element: a 16-bit float is its bits, a bool a byte.
#ifndef PATCHBAY_CORE_BASE_ELEMENT_H_
#define PATCHBAY_CORE_BASE_ELEMENT_H_

#include <cstdint>

#include "patchbay/dtype.h"

namespace patchbay {

namespace element {
using f32 = float;
using f64 = double;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
}  // namespace element

/// Calls body with a value of that type; of a complex dtype, with one of a part.
template <class Body>
auto with_element(DType dtype, const Body& body) -> decltype(body(float{})) {
#define PATCHBAY_CALLED(name, printed, NAME, number, size_bytes, kind, type, ...) \
  case DType::name: return body(element::type{});
  // NOLINTNEXTLINE(bugprone-branch-clone): two dtypes may have one type
  switch (dtype) { PATCHBAY_TENSOR_DTYPES(PATCHBAY_CALLED) }
#undef PATCHBAY_CALLED
  return body(std::uint8_t{});
}

}  // namespace patchbay

#endif  // PATCHBAY_CORE_BASE_ELEMENT_H_
