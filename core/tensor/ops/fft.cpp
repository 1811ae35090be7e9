// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Fourier transforms as fused steps, so that every plugin computes them with the same bits.
// Lengths of 2^a 3^b by Stockham's algorithm (Van Loan, Computational Frameworks for the Fast
// Fourier Transform, 1992, 1.7); others by Bluestein's, A Linear Filtering Approach to the
// Computation of Discrete Fourier Transform, 1970.
#include "patchbay/fft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "patchbay/complex.h"
#include "patchbay/concat.h"
#include "patchbay/fuse.h"
#include "patchbay/indexing.h"
#include "patchbay/ops.h"

#include "core/base/error.h"
#include "core/tensor/dispatch/make.h"
#include "core/tensor/dispatch/operands.h"
#include "core/tensor/dispatch/record.h"

namespace patchbay::fft {
namespace {

using tensor::make_part;

enum class Sign { kForward = -1, kBack = 1 };
Sign opposite(Sign sign) { return sign == Sign::kForward ? Sign::kBack : Sign::kForward; }

// ------------------------------------------------------------------------------- twiddles ---

// The sine and the cosine of 0 to pi / 4, by Taylor's series in x^2. The first terms that are left
// out are below 2^-54.
Expression sine(const Expression& x) {
  const Expression s = x * x;
  Expression sum = s * (-1 / 1307674368000.0) + 1 / 6227020800.0;
  for (const double term : {-1 / 39916800.0, 1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0}) {
    sum = sum * s + term;
  }
  return x + x * s * sum;
}
Expression cosine(const Expression& x) {
  const Expression s = x * x;
  Expression sum = s * (1 / 20922789888000.0) + -1 / 87178291200.0;
  for (const double term : {1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0, -1 / 720.0, 1 / 24.0}) {
    sum = sum * s + term;
  }
  return 1 - (s * 0.5 - s * s * sum);
}

/// cos and sin of 2 pi k / n for integers 0 <= k < n, by octants: the angle's remainder is exact.
std::array<Expression, 2> turned(const Expression& k, const Expression& n, DType computed,
                                 DType result) {
  const Expression eighths = k * 8, octant = eighths / n, rest = eighths - octant * n;
  const Expression is_odd = eq(octant - octant / 2 * 2, 1);
  const Expression part = where(is_odd, n - rest, rest);
  const Expression x = part.cast(computed) / n.cast(computed) * 0.78539816339744830962;
  const Expression s = sine(x), c = cosine(x);
  // Between pi / 4 and 3 pi / 4, and between 5 pi / 4 and 7 pi / 4, they change places.
  const Expression quarter = (octant + 1) / 2;
  const Expression swaps = eq(quarter - quarter / 2 * 2, 1);
  const Expression cos = where(swaps, s, c), sin = where(swaps, c, s);
  const Expression is_left = logical_and(ge(octant, 2), lt(octant, 6));
  const Expression is_below = ge(octant, 4);
  return {where(is_left, -cos, cos).cast(result), where(is_below, -sin, sin).cast(result)};
}

auto make_turns(DType computed, DType result) {
  return fuse(
      [=](const Expression& k, const Expression& n) { return turned(k, n, computed, result); },
      "fft");
}

/// exp(sign 2 pi i k / n) for the integers of `k`, on the device of `like` and of its dtype.
Tensor turns(const Tensor& k, std::int64_t n, const Tensor& like, Sign sign) {
  static const auto& narrow = *new auto(make_turns(DType::f32, DType::f32));
  static const auto& rounded = *new auto(make_turns(DType::f64, DType::f32));
  static const auto& wide = *new auto(make_turns(DType::f64, DType::f64));
  const bool has_f64 = like.device().properties().f64;
  const Tensor result = like.new_empty(k.shape());
  const Tensor cos = make_part(*result.impl(), 0), sin = make_part(*result.impl(), 1);
  const Tensor whole = k.new_full({}, n);
  const auto& function = like.dtype() == DType::c128 ? wide : has_f64 ? rounded : narrow;
  function.out({cos, sin}, k, whole);
  if (sign == Sign::kForward) neg_out(sin, sin);
  return result;
}

Tensor counted(std::int64_t n, const Tensor& like) {
  return arange(0, n, 1, {DType::i64, like.device()});
}

// ---------------------------------------------------------------------------------- steps ---

using E = Expression;

/// The parts of a view of complex numbers.
std::array<Tensor, 2> parts(const Tensor& a) {
  return {make_part(*a.impl(), 0), make_part(*a.impl(), 1)};
}

/// One step of radix 2: (a + b, (a - b) w).
void halve(const Tensor& from, const Tensor& to, const Tensor& w) {
  static const auto& step = *new auto(fuse(
      [](const E& ar, const E& ai, const E& br, const E& bi, const E& wr, const E& wi) {
        const E dr = ar - br, di = ai - bi;
        return std::array<E, 4>{ar + br, ai + bi, dr * wr - di * wi, dr * wi + di * wr};
      },
      "fft"));
  const auto a = parts(from.select(1, 0)), b = parts(from.select(1, 1)), factor = parts(w);
  const auto first = parts(to.select(2, 0)), second = parts(to.select(2, 1));
  step.out({first[0], first[1], second[0], second[1]}, a[0], a[1], b[0], b[1], factor[0],
           factor[1]);
}

/// One step of radix 3. `w` and `v` are the factors of the second and the third result.
void divide_by_3(const Tensor& from, const Tensor& to, const Tensor& w, const Tensor& v,
                 Sign sign) {
  const auto make = [](double half_root) {
    return fuse(
        [half_root](const E& ar, const E& ai, const E& br, const E& bi, const E& cr, const E& ci,
                    const E& wr, const E& wi, const E& vr, const E& vi) {
          const E sr = br + cr, si = bi + ci;
          const E mr = ar - sr * 0.5, mi = ai - si * 0.5;
          const E tr = (ci - bi) * half_root, ti = (br - cr) * half_root;
          const E pr = mr + tr, pi = mi + ti, qr = mr - tr, qi = mi - ti;
          return std::array<E, 6>{ar + sr,           ai + si,           pr * wr - pi * wi,
                                  pr * wi + pi * wr, qr * vr - qi * vi, qr * vi + qi * vr};
        },
        "fft");
  };
  constexpr double kHalfRoot = 0.86602540378443864676;
  static const auto& forward = *new auto(make(-kHalfRoot));
  static const auto& back = *new auto(make(kHalfRoot));
  const auto a = parts(from.select(1, 0)), b = parts(from.select(1, 1)),
             c = parts(from.select(1, 2));
  const auto first = parts(w), second = parts(v);
  const auto x = parts(to.select(2, 0)), y = parts(to.select(2, 1)), z = parts(to.select(2, 2));
  (sign == Sign::kForward ? forward : back)
      .out({x[0], x[1], y[0], y[1], z[0], z[1]}, a[0], a[1], b[0], b[1], c[0], c[1], first[0],
           first[1], second[0], second[1]);
}

bool is_smooth(std::int64_t n) {
  for (const std::int64_t radix : {2, 3}) {
    while (n % radix == 0) n /= radix;
  }
  return n == 1;
}

/// x: [batch, n], n = 2^a 3^b; not normalized.
Tensor by_steps(const Tensor& x, Sign sign) {
  const std::int64_t batch = x.size(0), n = x.size(1);
  const Tensor table = turns(counted(n, x), n, x, sign);
  Tensor from = x.contiguous(), to = x.new_empty(x.shape());
  std::int64_t left = n, done = 1;
  while (left > 1) {
    const std::int64_t radix = left % 2 == 0 ? 2 : 3, l = left / radix;
    const Tensor in = from.view({batch, radix, l, done}), out = to.view({batch, l, radix, done});
    const auto factors = [&](std::int64_t power) {
      return table.slice(0, 0, (l - 1) * done * power + 1, done * power).view({l, 1});
    };
    if (radix == 2) {
      halve(in, out, factors(1));
    } else {
      divide_by_3(in, out, factors(1), factors(2), sign);
    }
    if (from.is_same(x)) from = x.new_empty(x.shape());
    std::swap(from, to);
    left = l;
    done *= radix;
  }
  return from.is_same(x) ? x.clone() : from;
}

/// As a convolution with a chirp, by transforms of a power of 2.
Tensor by_chirp(const Tensor& x, Sign sign) {
  static const auto& squared = *new auto(fuse(
      [](const Expression& k, const Expression& twice) { return k * k - k * k / twice * twice; },
      "fft"));
  const std::int64_t batch = x.size(0), n = x.size(1);
  std::int64_t m = 1;
  while (m < 2 * n - 1) m *= 2;
  const Tensor k = counted(n, x);
  const Tensor chirp = turns(squared(k, k.new_full({}, 2 * n)), 2 * n, x, sign);
  const Tensor a = x.new_zeros({batch, m}), b = x.new_zeros({1, m});
  mul_out(a.slice(1, 0, n), x, chirp);
  const Tensor mirrored = conj(chirp);
  b.select(0, 0).slice(0, 0, n).copy_from(mirrored);
  if (n > 1) {
    b.select(0, 0)
        .slice(0, m - n + 1)
        .copy_from(index_select(mirrored, 0, n - 1 - counted(n - 1, x)));
  }
  const Tensor product = by_steps(a, Sign::kForward) * by_steps(b, Sign::kForward);
  return by_steps(product, Sign::kBack).slice(1, 0, n) * (chirp * (1.0 / static_cast<double>(m)));
}

/// Along the last dimension, not normalized, contiguous.
Tensor transform_last(const Tensor& x, Sign sign) {
  const std::int64_t n = x.size(-1);
  if (x.num_elements() == 0 || n == 1) return x.clone();
  const Tensor rows = x.reshape({-1, n});
  return (is_smooth(n) ? by_steps(rows, sign) : by_chirp(rows, sign)).reshape(x.shape());
}

/// Along any dimension, not normalized, contiguous. Recorded.
Tensor transform(const char* operation, const Tensor& x, int dim, Sign sign) {
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = dim == x.rank() - 1
                 ? transform_last(x, sign)
                 : transform_last(x.transpose(dim, -1), sign).transpose(dim, -1).contiguous();
  }
  if (tensor::needs_grad(x)) {
    tensor::record(operation, result, x,
                   tensor::Backward([=](const Tensor& grad, const tensor::Node&) {
                     return std::vector<Tensor>{transform(operation, grad, dim, opposite(sign))};
                   }));
  }
  return result;
}

// --------------------------------------------------------------------------------- calls ---

constexpr tensor::DTypes kParts = tensor::dtypes_of(DType::f32, DType::f64);

int checked(const char* operation, const Tensor& x, int dim, bool is_real = false) {
  const tensor::NamedOperand named{"x", tensor::operand_of(operation, x, "x")};
  tensor::check_dtype_allowed(operation, is_real ? kParts : kParts | tensor::kComplex, named);
  if (x.rank() == 0) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] a tensor of rank 0 has no dimension to transform ({}). Reshape it to [1].",
                operation, tensor::describe(named));
  }
  return tensor::resolve_axis(operation, named, dim);
}

std::int64_t checked_length(const char* operation, const Tensor& x, std::int64_t n) {
  if (n >= 1) return n;
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] a bad length: expected 1 or more, got {} ({}). Choose another n.", operation, n,
              tensor::describe({"x", *x.impl()}));
}

/// Cut, or with zeros at the end.
Tensor with_length(const Tensor& x, int dim, std::int64_t n) {
  const std::int64_t has = x.size(dim);
  if (has == n) return x;
  if (has > n) return x.slice(dim, 0, n);
  Shape shape = x.shape();
  shape[dim] = n - has;
  return concat({x, x.new_zeros(shape)}, dim);
}

Tensor to_complex(const Tensor& x) {
  return is_complex(x.dtype()) ? x : x.cast(complex_dtype(x.dtype()));
}

Tensor normalized(const Tensor& y, std::int64_t n, FftNorm norm, FftNorm divides) {
  const auto count = static_cast<double>(n);
  if (norm == FftNorm::kOrtho) return y * (1 / std::sqrt(count));
  return norm == divides ? y * (1 / count) : y;
}

Tensor complex_transform(const char* operation, const Tensor& x, const FftOptions& options,
                         Sign sign) {
  const int dim = checked(operation, x, options.dim);
  const std::int64_t n = checked_length(operation, x, options.n.value_or(x.size(dim)));
  const Tensor y = transform(operation, with_length(to_complex(x), dim, n), dim, sign);
  return normalized(y, n, options.norm,
                    sign == Sign::kForward ? FftNorm::kForward : FftNorm::kBackward);
}

/// `divides`: the norm that divides by n.
Tensor half_transform(const char* operation, const Tensor& x, const FftOptions& options, Sign sign,
                      FftNorm divides) {
  const int dim = checked(operation, x, options.dim, /*is_real=*/true);
  const std::int64_t n = checked_length(operation, x, options.n.value_or(x.size(dim)));
  const Tensor y = transform(operation, to_complex(with_length(x, dim, n)), dim, sign);
  return normalized(y.slice(dim, 0, n / 2 + 1).contiguous(), n, options.norm, divides);
}

/// The real transform of numbers whose second half is the conjugate of the first.
Tensor whole_transform(const char* operation, const Tensor& x, const FftOptions& options, Sign sign,
                       FftNorm divides) {
  const int dim = checked(operation, x, options.dim);
  const std::int64_t n = checked_length(operation, x, options.n.value_or(2 * (x.size(dim) - 1)));
  const Tensor half = with_length(to_complex(x), dim, n / 2 + 1);
  const std::int64_t mirrored = (n - 1) / 2;
  std::vector<Tensor> all{half};
  if (mirrored > 0) {
    all.push_back(conj(index_select(half, dim, mirrored - counted(mirrored, half))));
  }
  const Tensor y = real(transform(operation, concat(all, dim), dim, sign)).contiguous();
  return normalized(y, n, options.norm, divides);
}

}  // namespace

Tensor fft(const Tensor& x, const FftOptions& options) {
  return complex_transform("fft", x, options, Sign::kForward);
}
Tensor ifft(const Tensor& x, const FftOptions& options) {
  return complex_transform("ifft", x, options, Sign::kBack);
}
Tensor rfft(const Tensor& x, const FftOptions& options) {
  return half_transform("rfft", x, options, Sign::kForward, FftNorm::kForward);
}
Tensor irfft(const Tensor& x, const FftOptions& options) {
  return whole_transform("irfft", x, options, Sign::kBack, FftNorm::kBackward);
}
Tensor hfft(const Tensor& x, const FftOptions& options) {
  return whole_transform("hfft", x, options, Sign::kForward, FftNorm::kForward);
}
Tensor ihfft(const Tensor& x, const FftOptions& options) {
  return half_transform("ihfft", x, options, Sign::kBack, FftNorm::kBackward);
}

namespace {

struct Along {
  int dim;
  std::optional<std::int64_t> n;
};

std::vector<Along> dimensions_of(const char* operation, const Tensor& x,
                                 const FftnOptions& options) {
  static_cast<void>(checked(operation, x, -1));  // has a dimension
  std::vector<int> dims = options.dims.dims;
  const std::size_t count =
      options.sizes.empty() ? static_cast<std::size_t>(x.rank()) : options.sizes.size();
  if (dims.empty()) {
    for (std::size_t i = 0; i < count; ++i)
      dims.push_back(static_cast<int>(i) - static_cast<int>(count));
  }
  if (!options.sizes.empty() && options.sizes.size() != dims.size()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] {} sizes for {} dimensions ({}). Give one for each.", operation,
                options.sizes.size(), dims.size(), tensor::describe({"x", *x.impl()}));
  }
  std::vector<Along> all;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    all.push_back({checked(operation, x, dims[i]),
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
Tensor rfftn(const Tensor& x, const FftnOptions& options) {
  std::vector<Along> dims = dimensions_of("rfftn", x, options);
  const Along last = dims.back();
  dims.pop_back();
  const Tensor half = rfft(x, {.n = last.n, .dim = last.dim, .norm = options.norm});
  return along_all(half, dims, options.norm, fft);
}
Tensor irfftn(const Tensor& x, const FftnOptions& options) {
  std::vector<Along> dims = dimensions_of("irfftn", x, options);
  const Along last = dims.back();
  dims.pop_back();
  const Tensor half = along_all(x, dims, options.norm, ifft);
  return irfft(half, {.n = last.n, .dim = last.dim, .norm = options.norm});
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
