// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The transforms of the public interface, in one dimension and in several.
#include "patchbay/fft.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/indexing.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"
#include "core/tensor/transforms/transform.h"

namespace patchbay::fft {
namespace {

using tensor::check_length;
using tensor::check_transformed;
using tensor::counted;
using tensor::kParts;
using tensor::Sign;
using tensor::transform;
using tensor::with_length;

Tensor to_complex(const Tensor& x) {
  return is_complex(x.dtype()) ? x : x.cast(complex_dtype(x.dtype()));
}

double scale_of(std::int64_t n, FftNorm norm, Sign sign) {
  const FftNorm divides = sign == Sign::kForward ? FftNorm::kForward : FftNorm::kBackward;
  const auto count = static_cast<double>(n);
  if (norm == FftNorm::kOrtho) return 1 / std::sqrt(count);
  return norm == divides ? 1 / count : 1;
}

Tensor complex_transform(const char* operation, const Tensor& x, const FftOptions& options,
                         Sign sign) {
  const int dim = check_transformed(operation, x, options.dim);
  const std::int64_t n = check_length(operation, x, options.n.value_or(x.size(dim)));
  return transform(operation, with_length(to_complex(x), dim, n), dim, sign,
                   scale_of(n, options.norm, sign));
}

Tensor half_transform(const char* operation, const Tensor& x, const FftOptions& options,
                      Sign sign) {
  if (x.defined() && is_complex(x.dtype())) {
    base::raise(
        ErrorCode::kDtypeMismatch,
        "[{}] complex input: expected f32 or f64, got {} ({}). Use {}, or take real or imag "
        "first.",
        operation, to_string(x.dtype()), tensor::describe({"x", *x.impl()}),
        sign == Sign::kForward ? "fft" : "ifft");
  }
  const int dim = check_transformed(operation, x, options.dim, /*is_real=*/true);
  const std::int64_t n = check_length(operation, x, options.n.value_or(x.size(dim)));
  const Tensor y = transform(operation, to_complex(with_length(x, dim, n)), dim, sign,
                             scale_of(n, options.norm, sign));
  return y.slice(dim, 0, n / 2 + 1).contiguous();
}

/// Errors: kInvalidArgument if the length is left out and there is at most one element.
void check_half(const char* operation, const Tensor& x, int dim,
                const std::optional<std::int64_t>& n) {
  if (n || x.size(dim) > 1) return;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] a bad length: expected 1 or more, got {}, which is 2 (m - 1) of m elements "
              "({}). Give n.",
              operation, 2 * (x.size(dim) - 1), tensor::describe({"x", *x.impl()}));
}

/// The real transform of numbers whose second half is the conjugate of the first.
Tensor whole_transform(const char* operation, const Tensor& x, const FftOptions& options,
                       Sign sign) {
  const int dim = check_transformed(operation, x, options.dim);
  check_half(operation, x, dim, options.n);
  const std::int64_t n = check_length(operation, x, options.n.value_or(2 * (x.size(dim) - 1)));
  const Tensor half = with_length(to_complex(x), dim, n / 2 + 1);
  const std::int64_t mirrored = (n - 1) / 2;
  std::vector<Tensor> all{half};
  if (mirrored > 0) {
    all.push_back(conj(index_select(half, dim, mirrored - counted(mirrored, half))));
  }
  const double scale = scale_of(n, options.norm, sign);
  return real(transform(operation, concat(all, dim), dim, sign, scale)).contiguous();
}

}  // namespace

Tensor fft(const Tensor& x, const FftOptions& options) {
  return complex_transform("fft", x, options, Sign::kForward);
}
Tensor ifft(const Tensor& x, const FftOptions& options) {
  return complex_transform("ifft", x, options, Sign::kBack);
}
Tensor rfft(const Tensor& x, const FftOptions& options) {
  return half_transform("rfft", x, options, Sign::kForward);
}
Tensor irfft(const Tensor& x, const FftOptions& options) {
  return whole_transform("irfft", x, options, Sign::kBack);
}
Tensor hfft(const Tensor& x, const FftOptions& options) {
  return whole_transform("hfft", x, options, Sign::kForward);
}
Tensor ihfft(const Tensor& x, const FftOptions& options) {
  return half_transform("ihfft", x, options, Sign::kBack);
}

namespace {

struct Along {
  int dim;
  std::optional<std::int64_t> n;
};

std::vector<Along> dimensions_of(const char* operation, const Tensor& x,
                                 const FftnOptions& options) {
  static_cast<void>(check_transformed(operation, x, -1));  // has a dimension
  std::vector<int> dims = options.dims.dims;
  const std::size_t count =
      options.sizes.empty() ? static_cast<std::size_t>(x.rank()) : options.sizes.size();
  if (dims.empty() && count <= static_cast<std::size_t>(x.rank())) {
    for (std::size_t i = 0; i < count; ++i)
      dims.push_back(static_cast<int>(i) - static_cast<int>(count));
  }
  if (!options.sizes.empty() && options.sizes.size() != dims.size()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] {} sizes for {} dimensions ({}). Give one for each.", operation,
                options.sizes.size(),
                dims.empty() ? static_cast<std::size_t>(x.rank()) : dims.size(),
                tensor::describe({"x", *x.impl()}));
  }
  for (const std::int64_t size : options.sizes) check_length(operation, x, size);
  std::vector<Along> all;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    all.push_back({check_transformed(operation, x, dims[i]),
                   options.sizes.empty() ? std::optional<std::int64_t>() : options.sizes[i]});
    for (std::size_t k = 0; k < i; ++k) {
      if (all[k].dim != all[i].dim) continue;
      base::raise(ErrorCode::kInvalidArgument,
                  "[{}] dimension {} is named twice ({}). Name it once.", operation, all[i].dim,
                  tensor::describe({"x", *x.impl()}));
    }
  }
  return all;
}

using One = Tensor (*)(const Tensor&, const FftOptions&);

Tensor along_all(Tensor y, const std::vector<Along>& dims, FftNorm norm, One each) {
  for (std::size_t i = dims.size(); i-- > 0;) {
    y = each(y, {.n = dims[i].n, .dim = dims[i].dim, .norm = norm});
  }
  return y;
}

}  // namespace

Tensor fftn(const Tensor& x, const FftnOptions& options) {
  return along_all(x, dimensions_of("fftn", x, options), options.norm, fft);
}
Tensor ifftn(const Tensor& x, const FftnOptions& options) {
  return along_all(x, dimensions_of("ifftn", x, options), options.norm, ifft);
}
namespace {

Tensor along_others(const Tensor& x, const std::vector<Along>& dims, FftNorm norm, Sign sign) {
  return along_all(x, dims, norm, sign == Sign::kForward ? fft : ifft);
}

/// A half transform along the last dimension, then transforms along the others.
Tensor half_of_many(const char* operation, const Tensor& x, const FftnOptions& options, Sign sign) {
  std::vector<Along> dims = dimensions_of(operation, x, options);
  const Along last = dims.back();
  dims.pop_back();
  const FftOptions along_last{.n = last.n, .dim = last.dim, .norm = options.norm};
  return along_others(half_transform(operation, x, along_last, sign), dims, options.norm, sign);
}

/// Transforms along all dimensions but the last, then the real one along that.
Tensor whole_of_many(const char* operation, const Tensor& x, const FftnOptions& options,
                     Sign sign) {
  std::vector<Along> dims = dimensions_of(operation, x, options);
  const Along last = dims.back();
  dims.pop_back();
  check_half(operation, x, last.dim, last.n);
  const FftOptions along_last{.n = last.n, .dim = last.dim, .norm = options.norm};
  return whole_transform(operation, along_others(x, dims, options.norm, sign), along_last, sign);
}

}  // namespace

Tensor rfftn(const Tensor& x, const FftnOptions& options) {
  return half_of_many("rfftn", x, options, Sign::kForward);
}
Tensor irfftn(const Tensor& x, const FftnOptions& options) {
  return whole_of_many("irfftn", x, options, Sign::kBack);
}
Tensor hfftn(const Tensor& x, const FftnOptions& options) {
  return whole_of_many("hfftn", x, options, Sign::kForward);
}
Tensor ihfftn(const Tensor& x, const FftnOptions& options) {
  return half_of_many("ihfftn", x, options, Sign::kBack);
}

namespace {

Tensor frequencies(const char* operation, std::int64_t n, bool is_half, double spacing,
                   const TensorOptions& options) {
  const DType dtype = options.dtype.value_or(DType::f32);
  if (n < 1 || !(std::fabs(spacing) > 0)) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a bad length or spacing: {} and {}. Choose 1 or more, and a spacing other "
                "than 0.",
                operation, n, spacing);
  }
  if (!tensor::contains(kParts, dtype)) {
    base::raise(ErrorCode::kDtypeMismatch, "[{}] is not defined for {}. Choose f32 or f64.",
                operation, patchbay::to_string(dtype));
  }
  TensorOptions whole = options;
  whole.dtype = DType::i64;
  const Tensor k = arange(0, is_half ? n / 2 + 1 : n, 1, whole);
  const Tensor chosen = is_half ? k : where(gt(k, (n - 1) / 2), k - n, k);
  return chosen.cast(dtype) / (static_cast<double>(n) * spacing);
}

Tensor shifted(const char* operation, const Tensor& x, std::vector<int> dims, bool is_back) {
  const tensor::NamedOperand named{"x", tensor::operand_of(operation, x, "x")};
  if (dims.empty()) {
    for (int i = 0; i < x.rank(); ++i) dims.push_back(i);
  }
  Tensor y = x;
  for (const int each : dims) {
    const int dim = tensor::resolve_axis(operation, named, each);
    const std::int64_t n = x.rank() == 0 ? 1 : x.size(dim), first = is_back ? n / 2 : (n + 1) / 2;
    if (n > 1) y = concat({y.slice(dim, first), y.slice(dim, 0, first)}, dim);
  }
  return y.is_same(x) ? x.clone() : y;
}

}  // namespace

Tensor fftfreq(Index n, double spacing, const TensorOptions& options) {
  return frequencies("fftfreq", n, false, spacing, options);
}
Tensor rfftfreq(Index n, double spacing, const TensorOptions& options) {
  return frequencies("rfftfreq", n, true, spacing, options);
}
Tensor fftshift(const Tensor& x, const Axes& dims) {
  return shifted("fftshift", x, dims.dims, false);
}
Tensor ifftshift(const Tensor& x, const Axes& dims) {
  return shifted("ifftshift", x, dims.dims, true);
}

}  // namespace patchbay::fft
