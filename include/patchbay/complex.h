// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Complex numbers and their parts: docs/complex.md.
#ifndef PATCHBAY_COMPLEX_H_
#define PATCHBAY_COMPLEX_H_

#include "patchbay/export.h"
#include "patchbay/tensor.h"

namespace patchbay {

// Complex operands may be views. Gradients flow through all of these. Errors: kInvalidArgument for
// an undefined tensor.

/// A view of complex numbers as pairs: [..., 2] of f32 or f64, the real part first. Errors:
/// kDtypeMismatch unless `a` is complex; kInvalidArgument for rank 8.
[[nodiscard]] PATCHBAY_API Tensor view_as_real(const Tensor& a);
/// A view of pairs [..., 2] of f32 or f64 as complex numbers [...]. Errors: kDtypeMismatch;
/// kShapeMismatch unless the last extent is 2; kInvalidArgument if pairs do not lie side by side at
/// even places: make the tensor contiguous then.
[[nodiscard]] PATCHBAY_API Tensor view_as_complex(const Tensor& a);

/// The real parts: a view, or `a` itself if it is not complex.
[[nodiscard]] PATCHBAY_API Tensor real(const Tensor& a);
/// The imaginary parts: a view. Errors: kDtypeMismatch unless `a` is complex.
[[nodiscard]] PATCHBAY_API Tensor imag(const Tensor& a);
/// Complex numbers of these parts, which broadcast: f32 to c64, f64 to c128. Queued. Errors:
/// kDtypeMismatch, kDeviceMismatch, kShapeMismatch.
[[nodiscard]] PATCHBAY_API Tensor complex(const Tensor& real, const Tensor& imag);
/// The numbers with the sign of the imaginary part changed: a new tensor, or `a` itself if it is
/// not complex. Queued.
[[nodiscard]] PATCHBAY_API Tensor conj(const Tensor& a);
/// atan2(imag, real), from -pi to pi, of the dtype of the parts. Dtypes: floats and complex.
/// Queued.
[[nodiscard]] PATCHBAY_API Tensor angle(const Tensor& a);

}  // namespace patchbay

#endif  // PATCHBAY_COMPLEX_H_
