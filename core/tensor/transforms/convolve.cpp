// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions as products of transforms.
#include <algorithm>
#include <cstdint>

#include "patchbay/complex.h"
#include "patchbay/fft.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/transforms/transform.h"

namespace patchbay::fft {
namespace {

constexpr const char* kName = "convolve";

std::int64_t length_of(const Tensor& x, const char* name) {
  const tensor::NamedOperand named{name, *x.impl()};
  tensor::check_dtype_allowed(kName, tensor::kParts | tensor::kComplex, named);
  if (x.rank() == 0 || x.size(-1) == 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[convolve] {} has no elements along its last dimension ({}). Pass one or more.",
                name, tensor::describe(named));
  }
  return x.size(-1);
}

}  // namespace

Tensor convolve(const Tensor& a, const Tensor& b, ConvolvePart part) {
  base::check_in_enum(kName, "part", "ConvolvePart", part, ConvolvePart::kValid);
  const tensor::NamedOperand left{"a", tensor::operand_of(kName, a, "a")};
  const tensor::NamedOperand right{"b", tensor::operand_of(kName, b, "b")};
  tensor::check_same_device(kName, left, right);
  tensor::check_same_dtype(kName, left, right);
  const std::int64_t m = length_of(a, "a"), n = length_of(b, "b"), whole = m + n - 1;
  const Tensor a_rest = a.select(-1, 0), b_rest = b.select(-1, 0);
  static_cast<void>(tensor::broadcast_shapes(kName,
                                             {"a without its last dimension", *a_rest.impl()},
                                             {"b without its last", *b_rest.impl()}));
  const FftOptions options{.n = tensor::next_length(whole)};
  const Tensor all = is_complex(a.dtype()) ? ifft(fft(a, options) * fft(b, options), options)
                                           : irfft(rfft(a, options) * rfft(b, options), options);
  switch (part) {
    case ConvolvePart::kSame: {
      const std::int64_t begin = (std::min(m, n) - 1) / 2;
      return all.slice(-1, begin, begin + std::max(m, n)).contiguous();
    }
    case ConvolvePart::kValid:
      return all.slice(-1, std::min(m, n) - 1, std::max(m, n)).contiguous();
    case ConvolvePart::kFull: break;
  }
  return all.slice(-1, 0, whole).contiguous();
}

}  // namespace patchbay::fft
