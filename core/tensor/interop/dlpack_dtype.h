// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What the DLPack standard calls our dtypes.
#ifndef PATCHBAY_CORE_TENSOR_INTEROP_DLPACK_DTYPE_H_
#define PATCHBAY_CORE_TENSOR_INTEROP_DLPACK_DTYPE_H_

#include <cstdint>

#include "patchbay/dlpack.h"
#include "patchbay/dtype.h"

namespace patchbay::tensor {

struct DlpackDtype {
  DType dtype;
  std::uint8_t code, bits;
};

enum DlpackCode : std::uint8_t { kInt = 0, kUnsigned = 1, kFloat = 2, kBrainFloat = 4, kBool = 6 };

inline constexpr DlpackDtype kDlpackDtypes[] = {
    {DType::f32, kFloat, 32},       {DType::f64, kFloat, 64},  {DType::f16, kFloat, 16},
    {DType::bf16, kBrainFloat, 16}, {DType::i32, kInt, 32},    {DType::i64, kInt, 64},
    {DType::u8, kUnsigned, 8},      {DType::boolean, kBool, 8}};

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_INTEROP_DLPACK_DTYPE_H_
