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

/// Complex numbers by their parts. Between steps each part has a tensor of its own, so that a step
/// reads and writes neighbours.
struct Parts {
  Tensor re, im;

  template <class View>
  Parts viewed(const View& view) const {
    return {view(re), view(im)};
  }
  Parts selected(int dim, std::int64_t index) const {
    return viewed([=](const Tensor& part) { return part.select(dim, index); });
  }
};
Parts parts(const Tensor& a) { return {make_part(*a.impl(), 0), make_part(*a.impl(), 1)}; }
Parts empty_parts(const Shape& shape, const Tensor& like, DType dtype) {
  return {like.new_empty(shape, dtype), like.new_empty(shape, dtype)};
}
Parts empty_parts(const Tensor& like) {
  return empty_parts(like.shape(), like, real_dtype(like.dtype()));
}

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

/// In which factors of transforms of x are computed: f64 where the device has it.
DType computed_dtype(const Tensor& x) {
  return x.device().properties().f64 ? DType::f64 : DType::f32;
}

/// The parts of exp(sign 2 pi i k / n) for the integers of `k`.
void turns(const Tensor& k, std::int64_t n, Sign sign, const Parts& out) {
  static const auto& narrow = *new auto(make_turns(DType::f32, DType::f32));
  static const auto& rounded = *new auto(make_turns(DType::f64, DType::f32));
  static const auto& wide = *new auto(make_turns(DType::f64, DType::f64));
  const Tensor whole = k.new_full({}, n);
  const bool is_wide = out.re.dtype() == DType::f64;
  const auto& function = is_wide ? wide : computed_dtype(k) == DType::f64 ? rounded : narrow;
  function.out({out.re, out.im}, k, whole);
  if (sign == Sign::kForward) neg_out(out.im, out.im);
}

Tensor counted(std::int64_t n, const Tensor& like) {
  return arange(0, n, 1, {DType::i64, like.device()});
}

// ---------------------------------------------------------------------------------- steps ---

using E = Expression;

/// One step of radix 2: (a + b, (a - b) w).
void halve(const Parts& from, const Parts& to, const Parts& w) {
  static const auto& step = *new auto(fuse(
      [](const E& ar, const E& ai, const E& br, const E& bi, const E& wr, const E& wi) {
        const E dr = ar - br, di = ai - bi;
        return std::array<E, 4>{ar + br, ai + bi, dr * wr - di * wi, dr * wi + di * wr};
      },
      "fft"));
  const Parts a = from.selected(1, 0), b = from.selected(1, 1);
  const Parts x = to.selected(2, 0), y = to.selected(2, 1);
  step.out({x.re, x.im, y.re, y.im}, a.re, a.im, b.re, b.im, w.re, w.im);
}

/// One step of radix 3. `w` and `v` are the factors of the second and the third result.
void divide_by_3(const Parts& from, const Parts& to, const Parts& w, const Parts& v, Sign sign) {
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
  const Parts a = from.selected(1, 0), b = from.selected(1, 1), c = from.selected(1, 2);
  const Parts x = to.selected(2, 0), y = to.selected(2, 1), z = to.selected(2, 2);
  (sign == Sign::kForward ? forward : back)
      .out({x.re, x.im, y.re, y.im, z.re, z.im}, a.re, a.im, b.re, b.im, c.re, c.im, w.re, w.im,
           v.re, v.im);
}

bool is_smooth(std::int64_t n) {
  for (const std::int64_t radix : {2, 3}) {
    while (n % radix == 0) n /= radix;
  }
  return n == 1;
}

/// Along the middle dimension of x, [batch, n, m], n = 2^a 3^b; not normalized, contiguous.
Tensor by_steps(const Tensor& x, Sign sign) {
  const std::int64_t batch = x.size(0), n = x.size(1), m = x.size(2);
  if (n == 1) return x.clone();
  const Tensor result = x.new_empty(x.shape());
  const Parts table = empty_parts({n}, x, real_dtype(x.dtype()));
  turns(counted(n, x), n, sign, table);
  Parts from = parts(x), to, spare;
  for (std::int64_t left = n, done = m; left > 1;) {
    const std::int64_t radix = left % 2 == 0 ? 2 : 3, l = left / radix, step = done / m;
    if (l == 1) {
      to = parts(result);
    } else {
      to = spare.re.defined() ? spare : empty_parts(result);
    }
    const Parts in = from.viewed([&](const Tensor& part) {
      return part.view({batch, radix, l, done});
    });
    const Parts out = to.viewed([&](const Tensor& part) {
      return part.view({batch, l, radix, done});
    });
    const auto factors = [&](std::int64_t power) {
      return table.viewed([&](const Tensor& part) {
        return part.slice(0, 0, (l - 1) * step * power + 1, step * power).view({l, 1});
      });
    };
    if (radix == 2) {
      halve(in, out, factors(1));
    } else {
      divide_by_3(in, out, factors(1), factors(2), sign);
    }
    if (left != n) spare = from;  // x stays as it is
    from = to;
    left = l;
    done *= radix;
  }
  return result;
}

/// Fewer neighbours than these are slow to compute together.
constexpr std::int64_t kNeighbours = 32;

/// The largest divisor of n = 2^a 3^b that is at most its square root.
std::int64_t half_of(std::int64_t n) {
  std::int64_t best = 1;
  for (std::int64_t of_2 = 1; of_2 <= n; of_2 *= 2) {
    for (std::int64_t divisor = of_2; divisor * divisor <= n; divisor *= 3) {
      if (n % divisor == 0) best = std::max(best, divisor);
    }
  }
  return best;
}

/// a w, with w = u v rounded.
auto make_product(DType dtype) {
  return fuse(
      [=](const E& ar, const E& ai, const E& ur, const E& ui, const E& vr, const E& vi) {
        const E wr = (ur * vr - ui * vi).cast(dtype), wi = (ur * vi + ui * vr).cast(dtype);
        return std::array<E, 2>{ar * wr - ai * wi, ar * wi + ai * wr};
      },
      "fft");
}

/// to[b, j, k] = from[b, j, k] exp(sign 2 pi i j k / n), n = rows columns. A factor is the product
/// of two, of j and the quotient and the remainder of k, so that few are computed.
void multiply_turns(const Tensor& from, const Tensor& to, Sign sign) {
  static const auto& narrow = *new auto(make_product(DType::f32));
  static const auto& wide = *new auto(make_product(DType::f64));
  const std::int64_t batch = from.size(0), rows = from.size(1), columns = from.size(2);
  const std::int64_t n = rows * columns;
  const std::int64_t low = half_of(columns), high = columns / low;
  const DType dtype = computed_dtype(from);
  const Parts u = empty_parts({rows, high, 1}, from, dtype);
  const Parts v = empty_parts({rows, 1, low}, from, dtype);
  const Tensor row = counted(rows, from).view({rows, 1, 1});
  turns(mul(row, mul(counted(high, from), low).view({high, 1})), n, sign, u);
  turns(mul(row, counted(low, from)), n, sign, v);
  const auto divided = [&](const Tensor& part) { return part.view({batch, rows, high, low}); };
  const Parts a = parts(from).viewed(divided), out = parts(to).viewed(divided);
  (from.dtype() == DType::c128 ? wide : narrow)
      .out({out.re, out.im}, a.re, a.im, u.re, u.im, v.re, v.im);
}

/// x: [batch, n], n = 2^a 3^b; not normalized, contiguous. Where there are enough columns, it
/// transforms these first, and then the rows (Bailey, FFTs in external or hierarchical memory,
/// 1990): the steps of each have many neighbours.
Tensor smooth(const Tensor& x, Sign sign) {
  const std::int64_t batch = x.size(0), n = x.size(1), rows = half_of(n), columns = n / rows;
  if (rows == 1 || columns < kNeighbours) return by_steps(x.unsqueeze(-1), sign).view(x.shape());
  const Tensor first = by_steps(x.view({batch, rows, columns}), sign);
  const Tensor second = x.new_empty({batch, columns, rows});
  multiply_turns(first, second.transpose(1, 2), sign);
  return by_steps(second, sign).view(x.shape());
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
  const Tensor chirp = x.new_empty({n});
  turns(squared(k, k.new_full({}, 2 * n)), 2 * n, sign, parts(chirp));
  const Tensor a = x.new_zeros({batch, m}), b = x.new_zeros({1, m});
  mul_out(a.slice(1, 0, n), x, chirp);
  const Tensor mirrored = conj(chirp);
  b.select(0, 0).slice(0, 0, n).copy_from(mirrored);
  if (n > 1) {
    b.select(0, 0)
        .slice(0, m - n + 1)
        .copy_from(index_select(mirrored, 0, n - 1 - counted(n - 1, x)));
  }
  const Tensor product = smooth(a, Sign::kForward) * smooth(b, Sign::kForward);
  return smooth(product, Sign::kBack).slice(1, 0, n) * (chirp * (1.0 / static_cast<double>(m)));
}

/// Along the last dimension, not normalized, contiguous.
Tensor transform_last(const Tensor& x, Sign sign) {
  const std::int64_t n = x.size(-1);
  if (x.num_elements() == 0 || n == 1) return x.clone();
  const Tensor rows = x.reshape({-1, n});
  if (!is_smooth(n)) return by_chirp(rows, sign).reshape(x.shape());
  return smooth(rows.contiguous(), sign).view(x.shape());
}

/// Along a dimension before the last; the same.
Tensor transform_inner(const Tensor& x, int dim, Sign sign) {
  const std::int64_t n = x.size(dim);
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < dim; ++i) outer *= x.size(i);
  for (int i = dim + 1; i < x.rank(); ++i) inner *= x.size(i);
  if (x.num_elements() == 0 || inner < kNeighbours || !is_smooth(n)) {
    return transform_last(x.transpose(dim, -1), sign).transpose(dim, -1).contiguous();
  }
  return by_steps(x.contiguous().view({outer, n, inner}), sign).view(x.shape());
}

/// Along any dimension, not normalized, contiguous. Recorded.
Tensor transform(const char* operation, const Tensor& x, int dim, Sign sign) {
  Tensor result;
  {
    const tensor::Recording recording(false);
    result = dim == x.rank() - 1 ? transform_last(x, sign) : transform_inner(x, dim, sign);
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
