// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The DLPack names of the dtypes.
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

#define PATCHBAY_ROW(name, printed, NAME, number, size_bytes, kind, type, dlpack_code) \
  {DType::name, dlpack_code, 8 * (size_bytes)},
inline constexpr DlpackDtype kDlpackDtypes[] = {PATCHBAY_TENSOR_DTYPES(PATCHBAY_ROW)};
#undef PATCHBAY_ROW

}  // namespace patchbay::tensor

#endif  // PATCHBAY_CORE_TENSOR_INTEROP_DLPACK_DTYPE_H_
