// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The signature of each operator and the properties of its result. elementwise.h defines the
 * elementwise operators; signatures.hpp has all operators as C++ values.
 *
 * X(name, version, since, arguments, DTYPES, RESULT, BOUND, shapes, derivative, source, contract)
 *
 * since: the minor version of the boundary that added the operator. A plugin of an earlier one may
 * lack it.
 * arguments: "name:role", separated by blanks, in the order of the specs. T is the operands' dtype.
 *   write    the result, a tensor               update   a tensor that is read and written
 *   read     a tensor of T                      operand  a tensor of T, or one number
 *   mask     a tensor of bools                  index    a tensor of i64 or i32
 *   places   a tensor of i64 that is written
 *   scalar   a number of T                      i64      a number of i64
 *   A number is never a bool: for T = bool it is a u8.
 * DTYPES: the possible values of T, as in PATCHBAY_SET_DTYPES below.
 * RESULT: the dtype of the result. Same: T. Boolean: bool. Total: T for floats and u64, else i64.
 * Index: i64. Chosen: any, independent of T. BOUND: the largest error of a result in units in the
 * last place. EXACT: correctly rounded. RESULT(n): n units of the result; TERMS(n): n units of the
 * sum of the magnitudes of the terms. derivative: "" if there is none. contract: further rules that
 * a kernel follows. */
#ifndef PATCHBAY_PLUGIN_KERNELS_OPERATORS_H_
#define PATCHBAY_PLUGIN_KERNELS_OPERATORS_H_

#include "patchbay/plugin/types.h"

/* Sets of dtypes: bit n is the dtype of number n. elementwise.h uses the names too. */
#define PATCHBAY_BIT(dtype) (1u << PATCHBAY_##dtype)
#define PATCHBAY_SET_WIDE_FLOATS (PATCHBAY_BIT(F32) | PATCHBAY_BIT(F64))
#define PATCHBAY_SET_FLOATS (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_BIT(F16) | PATCHBAY_BIT(BF16))
#define PATCHBAY_SET_INTEGERS (PATCHBAY_BIT(I32) | PATCHBAY_BIT(I64) | PATCHBAY_BIT(U8))
/* Integers that are kept and no operator computes in. */
#define PATCHBAY_SET_STORAGE \
  (PATCHBAY_BIT(I8) | PATCHBAY_BIT(I16) | PATCHBAY_BIT(U16) | PATCHBAY_BIT(U32) | PATCHBAY_BIT(U64))
#define PATCHBAY_SET_NUMBERS (PATCHBAY_SET_FLOATS | PATCHBAY_SET_INTEGERS)
#define PATCHBAY_SET_WIDE_NUMBERS (PATCHBAY_SET_WIDE_FLOATS | PATCHBAY_SET_INTEGERS)
#define PATCHBAY_SET_BOOLS PATCHBAY_BIT(BOOL)
#define PATCHBAY_SET_ALL (PATCHBAY_SET_NUMBERS | PATCHBAY_SET_BOOLS | PATCHBAY_SET_STORAGE)
#define PATCHBAY_SET_INDICES PATCHBAY_BIT(I64)
#define PATCHBAY_SET_MATRICES (PATCHBAY_SET_FLOATS | PATCHBAY_BIT(I32) | PATCHBAY_BIT(I64))

#define PATCHBAY_OPERATORS_MEMORY(X)                                                          \
  X(fill, 1, 0, "out:write value:scalar", ALL, Same, EXACT, "out: any; value: a number", "",  \
    "out = value", "")                                                                        \
  X(copy, 1, 0, "out:write a:read", ALL, Same, EXACT, "a, out: one shape", "grad", "out = a", \
    "any strides")                                                                            \
  X(cast, 1, 0, "out:write a:read", ALL, Chosen, EXACT, "a, out: one shape",                  \
    "grad, cast back; none unless both are floats",                                           \
    "IEEE 754-2019, 5.4.1, to nearest even; to integers truncated and saturated, NaN to 0",   \
    "to bool: whether it is not 0")                                                           \
  X(arange, 1, 0, "out:write start:scalar step:scalar", NUMBERS, Same, TERMS(1),              \
    "out [n]; start, step: numbers", "", "out[i] = start + i step", "")

/* Along one dimension. Each of them has a kernel of its own: a backend defines a function for every
 * line, prepare_gather and so on. */
#define PATCHBAY_OPERATORS_DIMENSION(X)                                                          \
  X(gather, 1, 0, "out:write a:read index:index", ALL, Same, EXACT,                              \
    "out, index (i64, i32): one shape; a: the same but along dim",                               \
    "grad, added to zeros as by scatter_add",                                                    \
    "out[.., i, ..] = a[.., index[.., i, ..], ..] along dim", "")                                \
  X(scatter_add, 1, 0, "out:update index:index source:read", WIDE_NUMBERS, Same, TERMS(64),      \
    "index (i64, i32), source: one shape; out: the same but along dim",                          \
    "out: grad; source: gather of grad",                                                         \
    "out[.., index[.., i, ..], ..] += source[.., i, ..] along dim, in the order of i, each sum " \
    "rounded; the bound is that of 128 terms",                                                   \
    "")                                                                                          \
  X(cumsum, 1, 1, "out:write a:read", WIDE_NUMBERS, Same, TERMS(64), "a, out: one shape",        \
    "cumsum of grad in the other direction",                                                     \
    "out[.., i, ..] = sum of a[.., k, ..] along dim, k <= i; k >= i in reverse",                 \
    "the elements are summed in blocks of 128, in order from the first, then the sum of the "    \
    "blocks before is added, each sum rounded; the bound is that of 128 terms")                  \
  X(sort, 1, 1, "out:write index:places a:read", ALL, Same, EXACT,                               \
    "out, index: one shape, that of a but along dim, where it may be smaller",                   \
    "grad, added to zeros as by scatter_add",                                                    \
    "out[.., k, ..] = a[.., index[.., k, ..], ..], the element of that rank along dim",          \
    "ascending, or descending; NaN ranks above all numbers, -0 equals 0, and equal elements "    \
    "are in the order of their indices")

#define PATCHBAY_REDUCED_SHAPES "a: any; out: without the reduced axes, or with extent 1"
#define PATCHBAY_OPERATORS_REDUCTION(X)                                                        \
  X(sum, 1, 0, "out:write a:read", ALL, Total, TERMS(64), PATCHBAY_REDUCED_SHAPES,             \
    "grad, broadcast", "sum of a; integers modulo 2^64", "")                                   \
  X(sum_squares, 1, 0, "out:write a:read", NUMBERS, Total, TERMS(64), PATCHBAY_REDUCED_SHAPES, \
    "2 a grad", "sum of a a; integers modulo 2^64", "")                                        \
  X(sum_abs, 1, 0, "out:write a:read", FLOATS, Same, TERMS(64), PATCHBAY_REDUCED_SHAPES,       \
    "sign(a) grad", "sum of |a|", "")                                                          \
  X(prod, 1, 1, "out:write a:read", NUMBERS, Total, RESULT(64), PATCHBAY_REDUCED_SHAPES,       \
    "grad times the product of the other elements",                                            \
    "product of a; integers modulo 2^64; the bound is that of 128 factors", "")                \
  X(max_abs, 1, 0, "out:write a:read", FLOATS, Same, EXACT, PATCHBAY_REDUCED_SHAPES,           \
    "sign(a) grad / n where |a| = out, n of them", "maximum of |a|: NaN propagates", "")       \
  X(min, 1, 0, "out:write a:read", ALL, Same, EXACT, PATCHBAY_REDUCED_SHAPES,                  \
    "grad / n where a = out, n of them", "minimum of a: NaN propagates", "")                   \
  X(max, 1, 0, "out:write a:read", ALL, Same, EXACT, PATCHBAY_REDUCED_SHAPES,                  \
    "grad / n where a = out, n of them", "maximum of a: NaN propagates", "")                   \
  X(argmin, 1, 0, "out:write a:read", ALL, Index, EXACT, PATCHBAY_REDUCED_SHAPES, "",          \
    "index of the minimum: the first NaN, else the lowest", "")                                \
  X(argmax, 1, 0, "out:write a:read", ALL, Index, EXACT, PATCHBAY_REDUCED_SHAPES, "",          \
    "index of the maximum: the first NaN, else the lowest", "")

#define PATCHBAY_OPERATORS_RANDOM(X)                                                             \
  X(uniform, 1, 0, "out:write seed:i64 offset:i64 base:i64 low:scalar width:scalar most:scalar", \
    FLOATS, Same, EXACT, "out: any; seed, offset, base: i64; low, width, most: numbers", "",     \
    "min(low + u width, most), u = draw / 2^24, of f64 draw / 2^53",                             \
    "the draw is a word >> 8, of f64 a draw of 64 bits >> 11")                                   \
  X(normal, 1, 0, "out:write seed:i64 offset:i64 base:i64 mean:scalar deviation:scalar", FLOATS, \
    Same, TERMS(4), "out: any; seed, offset, base: i64; mean, deviation: numbers", "",           \
    "mean + deviation z: Box and Muller, A Note on the Generation of Random Normal Deviates, "   \
    "1958",                                                                                      \
    "elements 2 k and 2 k + 1 have z = r cos(2 pi v), r sin(2 pi v), r = sqrt(-2 ln(1 - u)); u " \
    "and v are made as for uniform.1 of the draws of 2 k and 2 k + 1")                           \
  X(integers, 1, 0, "out:write seed:i64 offset:i64 base:i64 low:i64 range:i64", INTEGERS, Same,  \
    EXACT, "out: any; seed, offset, base, low, range: i64", "",                                  \
    "low + floor(draw range / 2^bits), draws of 32 bits, 64 if range > 2^32",                    \
    "range counts as unsigned")                                                                  \
  X(mask, 1, 0, "out:write seed:i64 offset:i64 base:i64 threshold:i64", BOOLS, Same, EXACT,      \
    "out: any; seed, offset, base, threshold: i64", "", "draw < threshold, draws of 32 bits",    \
    "threshold is 0 to 2^32")                                                                    \
  X(permutation, 1, 0, "out:write scratch:update seed:i64 offset:i64", INDICES, Same, EXACT,     \
    "out [n]; scratch [2 n + 64]; seed, offset: i64", "",                                        \
    "0 to n - 1 in the order of (draw, index), draws of 64 bits",                                \
    "scratch is written before it is read")

#define PATCHBAY_OPERATORS_MATRIX(X)                                                              \
  X(gemm, 1, 0, "out:update a:read b:read alpha:scalar beta:scalar", MATRICES, Same, TERMS(512),  \
    "out [..., m, n]; a [..., m, k]; b [..., k, n], leading dimensions broadcast; alpha, beta: "  \
    "numbers",                                                                                    \
    "a: alpha grad b^T; b: alpha a^T grad; out: beta grad",                                       \
    "Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms, 1990",                   \
    "out = alpha a b + beta out; each matrix has a unit stride; with alpha 0, of either sign, a " \
    "and b are not read, with beta 0 out is not; leading dimensions count products: equal "       \
    "extents in all three, any strides, 0 where a or b repeats")

/* Windows over the last two dimensions of images [n, c, h, w]. All tensors are contiguous; 16-bit
 * floats are computed in f32 and rounded once. The window of the place (y, x) of the result begins
 * at (y stride_h - padding_h, x stride_w - padding_w); what lies outside the image counts as 0, or
 * not at all. Each operator has a kernel of its own. */
#define PATCHBAY_WINDOW_SHAPES                                                                \
  "images [n, c, h, w]; weight [o, c / groups, kh, kw]; windows [n, o, h', w'] with h' = (h " \
  "+ 2 padding_h - dilation_h (kh - 1) - 1) / stride_h + 1, rounded down, and w' likewise"
#define PATCHBAY_TILES                                                                      \
  "; where the user chooses Winograd's algorithm, the terms of the bound are those of all " \
  "results of a tile of 4 x 4"
#define PATCHBAY_POOL_SHAPES "images [n, c, h, w]; windows [n, c, h', w'], h' and w' any"
#define PATCHBAY_OPERATORS_WINDOW(X)                                                              \
  X(conv2d, 1, 1, "out:write a:read weight:read", FLOATS, Same, TERMS(512),                       \
    "a: images; out: windows; " PATCHBAY_WINDOW_SHAPES,                                           \
    "a: conv2d_input of grad and weight; weight: conv2d_weight of a and grad",                    \
    "Dumoulin and Visin, A guide to convolution arithmetic for deep learning, 2016",              \
    "out[n, o, y, x] = sum over c, i, j of weight[o, c, i, j] a[n, c, y stride_h + i dilation_h " \
    "- padding_h, x stride_w + j dilation_w - padding_w], c of the group of o" PATCHBAY_TILES)    \
  X(conv2d_input, 1, 1, "out:write grad:read weight:read", FLOATS, Same, TERMS(512),              \
    "grad: windows; out: images; " PATCHBAY_WINDOW_SHAPES,                                        \
    "grad: conv2d of grad' and weight; weight: conv2d_weight of grad' and grad",                  \
    "the adjoint of conv2d in a: a transposed convolution" PATCHBAY_TILES, "")                    \
  X(conv2d_weight, 1, 1, "out:write a:read grad:read", FLOATS, Same, TERMS(512),                  \
    "a: images; grad: windows; out: weight; " PATCHBAY_WINDOW_SHAPES,                             \
    "a: conv2d_input of grad and grad'; grad: conv2d of a and grad'",                             \
    "the adjoint of conv2d in weight", "")                                                        \
  X(max_pool2d_index, 1, 1, "out:write a:read", FLOATS, Index, EXACT,                             \
    "a: images; out: windows; " PATCHBAY_POOL_SHAPES, "",                                         \
    "the place y w + x of the largest element of each window: the first NaN, else the first",     \
    "elements outside the image do not count; a window without elements gives 0")                 \
  X(avg_pool2d, 1, 1, "out:write a:read", FLOATS, Same, TERMS(64),                                \
    "a: images; out: windows; " PATCHBAY_POOL_SHAPES, "avg_pool2d_input of grad",                 \
    "the sum of each window divided by the number of its elements",                               \
    "with counts_padding those outside the image count, up to the padding; NaN without elements") \
  X(avg_pool2d_input, 1, 1, "out:write grad:read", FLOATS, Same, TERMS(64),                       \
    "grad: windows; out: images; " PATCHBAY_POOL_SHAPES, "avg_pool2d of grad",                    \
    "the adjoint of avg_pool2d", "")

/* Softmax and normalization. All tensors are contiguous. Each operator has a kernel of its own. */
#define PATCHBAY_SOFTMAX_SHAPES "all: [outer, n, inner], n at least 1"
#define PATCHBAY_NORMALIZE_SHAPES                                                               \
  "a, grad: [s, g, e, o]; weight, bias: [g, e]; mean, variance: [s, g], with batch [1, g], in " \
  "which case e is 1; epsilon: a number"
#define PATCHBAY_OPERATORS_ROW(X)                                                                 \
  X(softmax, 1, 1, "out:write a:read", FLOATS, Same, TERMS(16), PATCHBAY_SOFTMAX_SHAPES,          \
    "softmax_input of grad and out; recorded again, by single operators",                         \
    "exp(a - m) / s with m = max a and s = sum exp(a - m) along n; with logarithm a - m - log s", \
    "16-bit floats are computed in f32 and rounded once; the terms of the bound are out and "     \
    "out (a - m), with logarithm a, m and log s; a slice with NaN or +infinity, or of "           \
    "-infinity alone, gives NaN")                                                                 \
  X(softmax_input, 1, 1, "out:write grad:read y:read", FLOATS, Same, TERMS(64),                   \
    PATCHBAY_SOFTMAX_SHAPES, "",                                                                  \
    "y (grad - sum y grad) along n; with logarithm grad - exp(y) sum grad",                       \
    "the adjoint of softmax, y being its result; 16-bit floats as there")                         \
  X(normalize, 1, 1,                                                                              \
    "out:write mean:write variance:write a:read weight:operand bias:operand epsilon:scalar",      \
    WIDE_FLOATS, Same, TERMS(64), "out: as a; " PATCHBAY_NORMALIZE_SHAPES,                        \
    "a: normalize_input; weight, bias: normalize_weight; recorded again, by single operators",    \
    "(a - mean) f weight + bias with f = 1 / sqrt(variance + epsilon); mean and variance of the " \
    "elements [e, o], with batch [s, e, o]",                                                      \
    "the variance divides by the number of elements; if variance + epsilon is not a normal "      \
    "number of T, variance holds the deviation, sqrt(variance), with a minus sign; if centered "  \
    "is 0, mean is 0; Chan, Golub "                                                               \
    "and LeVeque, Updating formulae and a pairwise algorithm for computing sample variances, "    \
    "1979, joins the statistics of pieces; the terms of the bound are a f weight, mean f "        \
    "weight and bias")                                                                            \
  X(normalize_input, 1, 1,                                                                        \
    "out:write grad:read a:read mean:read variance:read weight:operand epsilon:scalar",           \
    WIDE_FLOATS, Same, TERMS(64), "out: as a; " PATCHBAY_NORMALIZE_SHAPES, "",                    \
    "f (d - mean d - x mean(d x)) with d = grad weight and x = (a - mean) f, means over [e, o]",  \
    "if centered is 0, without mean d")                                                           \
  X(normalize_weight, 1, 1,                                                                       \
    "out:write bias:write grad:read a:read mean:read variance:read epsilon:scalar", WIDE_FLOATS,  \
    Same, TERMS(64), "out: as bias; " PATCHBAY_NORMALIZE_SHAPES, "",                              \
    "out = sum grad (a - mean) f, bias = sum grad, over s and o", "")

/* Factorizations of many matrices, in place. A plugin may leave them out: linear algebra is then
 * unsupported on its devices. The first extent b counts them. Each matrix has rows
 * of neighbouring elements; other strides are any. With `pairs` an element is a complex number: its
 * real and imaginary part, neighbours in a last dimension of 2, which the shapes below leave out;
 * ^H is the conjugate transpose, for real elements the transpose. No extent is 0. The elements of a
 * matrix whose info is not 0 are not specified, unless the operator says so. Sizes that a program
 * asks for are larger: the library calls these operators for blocks, or for whole matrices. Golub
 * and Van Loan, Matrix Computations, 4th edition, 2013, describes all of them. Each operator has a
 * kernel of its own. */
#define PATCHBAY_OPERATORS_FACTOR(X)                                                               \
  X(lu, 1, 1, "a:update permutation:places swaps:places info:places", WIDE_FLOATS, Same,           \
    TERMS(512), "a [b, m, n]; permutation [b, m]; swaps, info: [b]", "",                           \
    "a[permutation] = l u: a becomes l (below the diagonal; its own is 1) and u",                  \
    "the pivot is the first element of the largest |re| + |im| of its column; swaps is the "       \
    "number of exchanges; info is 0, or 1 + the first column without a pivot, and the factors "    \
    "hold")                                                                                        \
  X(cholesky, 1, 1, "a:update info:places", WIDE_FLOATS, Same, TERMS(512),                         \
    "a [b, n, n]; info [b]", "", "u^H u = a, where the upper triangle of a becomes u",             \
    "the lower triangle is neither read nor specified; info is 0, or 1 + the first row whose "     \
    "square is not positive")                                                                      \
  X(triangular, 1, 1, "x:update a:read", WIDE_FLOATS, Same, TERMS(512),                            \
    "x [b, m, n]; a [b, m, m]", "", "a x' = x or, with adjoint, a^H x' = x, where x becomes x'",   \
    "of a only the lower triangle is read, with upper the upper one; with unit its diagonal "      \
    "counts as 1; quotients by 0 are infinite or NaN")                                             \
  X(qr, 1, 1, "a:update tau:write scratch:update", WIDE_FLOATS, Same, TERMS(512),                  \
    "a [b, m, n]; tau [b, min(m, n)]; scratch [b, n]", "",                                         \
    "a = h_0 h_1 ... r with h_k = 1 - tau_k v_k v_k^H: r is in the upper triangle; v_k[k] is 1, "  \
    "v_k[i] for i > k is at a[i, k]",                                                              \
    "the diagonal of r is real")                                                                   \
  X(eigh, 1, 1, "a:update values:write vectors:write work:update scratch:update info:places",      \
    WIDE_FLOATS, Same, TERMS(512),                                                                 \
    "a, vectors: [b, n, n]; values [b, n], scratch [b, 3 n]: never pairs; work [b, 2 n]; info "    \
    "[b]",                                                                                         \
    "", "a v = value v for each row v of vectors, values ascending",                               \
    "a is Hermitian, and is not specified afterwards; the rows are orthonormal, and not "          \
    "specified without the attribute vectors; info is 0, or 1 + the first value that did not "     \
    "converge")                                                                                    \
  X(svd, 1, 1, "a:update values:write vectors:write info:places", WIDE_FLOATS, Same, TERMS(512),   \
    "a [b, m, n], m <= n; values [b, m], never pairs; vectors [b, m, m]; info [b]", "",            \
    "a^T = u values v^H, where the rows of a become the columns of u and the rows of vectors are " \
    "the columns of v; values descending",                                                         \
    "a and vectors are not specified without the attribute vectors; info is 0 or, if it did not "  \
    "converge, 1")                                                                                 \
  X(eig, 1, 1, "a:update values:write vectors:write scratch:update info:places", WIDE_FLOATS,      \
    Same, TERMS(512),                                                                              \
    "a [b, n, n]; values [b, n], vectors [b, n, n]: always pairs; scratch [b, n + 4, n]; info "    \
    "[b]",                                                                                         \
    "", "a v = value v for each row v of vectors",                                                 \
    "a is not specified afterwards; the length of a row is 1, and its largest element is real; "   \
    "the rows are not specified without the attribute vectors; values and rows of real matrices "  \
    "that are not real are pairs of conjugates, first that with the positive imaginary part; "     \
    "info "                                                                                        \
    "is 0, or 1 + the last value that did not converge")

/* Fourier transforms of the columns of many matrices. A plugin may leave them out: transforms are
 * then unsupported on its devices. Elements are pairs of a real and an imaginary part, neighbours
 * in a last dimension of 2, which the shapes below leave out; other strides are any. */
#define PATCHBAY_OPERATORS_TRANSFORM(X)                                                            \
  X(fft, 1, 1, "out:write a:read scale:scalar", WIDE_FLOATS, Same, TERMS(64),                      \
    "out, a: [b, n, m]; scale: a number", "",                                                      \
    "out[b, k, j] = scale t sum over i of a[b, i, j] exp(-2 pi sqrt(-1) i k / n); with inverse + " \
    "for -",                                                                                       \
    "t is 1; with turned = 1 exp(-2 pi sqrt(-1) k j / (n m)), with turned = 2 exp(-2 pi sqrt(-1) " \
    "k b / (n count)), count matrices, with inverse + for -; n is at most 4096, or 2048 if it "    \
    "has "                                                                                         \
    "a prime above 13; the terms of the bound are those of the whole sum")

/* Operators that a plugin may leave out: the library then composes them of others. With
 * `unsupported` a plugin refuses a dtype when it prepares the kernel, and sizes when it launches
 * it. 16-bit floats are computed in f32. */
#define PATCHBAY_OPERATORS_COMPOSITE(X)                                                           \
  X(moment, 1, 1, "out:write a:read divisor:scalar", WIDE_FLOATS, Same, TERMS(64),                \
    PATCHBAY_REDUCED_SHAPES "; divisor: a number", "",                                            \
    "sum of a^order / divisor, with root the square root of it",                                  \
    "a sum of f32 whose terms or value leave the range of f32 is made in a wider type, or of "    \
    "scaled terms, so that only the result may leave it")                                         \
  X(max_pool2d_input, 1, 1, "out:write grad:read index:index", FLOATS, Same, TERMS(64),           \
    "index (i64, i32), grad: windows; out: images; " PATCHBAY_POOL_SHAPES,                        \
    "gather of grad' by index",                                                                   \
    "out[n, c, p] = sum of grad over the windows whose index is p, in the order of the windows",  \
    "all tensors are contiguous; index is the result of max_pool2d_index with the same "          \
    "attributes, of windows that have elements")                                                  \
  X(linear, 1, 1, "out:write a:read weight:read bias:read", FLOATS, Same, TERMS(512),             \
    "out [m, n]; a [m, k]; weight [n, k]; bias [n]",                                              \
    "a: grad weight; weight: grad^T a; bias: sum of the rows of grad", "out = a weight^T + bias", \
    "each matrix has a unit stride, bias has stride 1; the sum is rounded once; with 16-bit "     \
    "floats it may also be rounded before bias is added; a launch does not refuse sizes")         \
  X(attention, 1, 1, "out:write query:read key:read value:read", FLOATS, Same, TERMS(512),        \
    "out [b, h, q, n]; query [b, h, q, d]; key [b, h, k, d]; value [b, h, k, n]", "",             \
    "softmax(scale query key^T) value: Vaswani et al., Attention Is All You Need, 2017",          \
    "the last dimensions have stride 1, and no stride is 0; the probabilities of 16-bit floats "  \
    "may be rounded to their dtype; the terms of the bound are probabilities times values")

/* The attributes of operators. Those of one operator are adjacent.
 * X(operator, attribute, TYPE, DEFAULT, ...): TYPE is I64, F64 or WORD, DEFAULT is REQUIRED or
 * OPTIONAL(value); the smallest and the largest value, or the words, follow. */
#define PATCHBAY_STEP_ATTRIBUTES(X, op)             \
  X(op, stride_h, I64, OPTIONAL(1), 1, 0x7fffffff)  \
  X(op, stride_w, I64, OPTIONAL(1), 1, 0x7fffffff)  \
  X(op, padding_h, I64, OPTIONAL(0), 0, 0x7fffffff) \
  X(op, padding_w, I64, OPTIONAL(0), 0, 0x7fffffff)
#define PATCHBAY_DILATION_ATTRIBUTES(X, op)          \
  X(op, dilation_h, I64, OPTIONAL(1), 1, 0x7fffffff) \
  X(op, dilation_w, I64, OPTIONAL(1), 1, 0x7fffffff)
#define PATCHBAY_CONVOLUTION_ATTRIBUTES(X, op) \
  PATCHBAY_STEP_ATTRIBUTES(X, op)              \
  PATCHBAY_DILATION_ATTRIBUTES(X, op)          \
  X(op, groups, I64, OPTIONAL(1), 1, 0x7fffffff)
/* With `adaptive` the window of y is from y h / h', rounded down, to (y + 1) h / h', rounded up;
 * the other attributes then have no effect. */
#define PATCHBAY_POOL_ATTRIBUTES(X, op)            \
  X(op, kernel_h, I64, OPTIONAL(1), 1, 0x7fffffff) \
  X(op, kernel_w, I64, OPTIONAL(1), 1, 0x7fffffff) \
  PATCHBAY_STEP_ATTRIBUTES(X, op)                  \
  X(op, adaptive, I64, OPTIONAL(0), 0, 1)
#define PATCHBAY_OPERATOR_ATTRIBUTES(X)                       \
  X(gather, dim, I64, REQUIRED, 0, 7)                         \
  X(scatter_add, dim, I64, REQUIRED, 0, 7)                    \
  X(cumsum, dim, I64, REQUIRED, 0, 7)                         \
  X(cumsum, reverse, I64, OPTIONAL(0), 0, 1)                  \
  X(sort, dim, I64, REQUIRED, 0, 7)                           \
  X(sort, descending, I64, OPTIONAL(0), 0, 1)                 \
  PATCHBAY_CONVOLUTION_ATTRIBUTES(X, conv2d)                  \
  PATCHBAY_CONVOLUTION_ATTRIBUTES(X, conv2d_input)            \
  PATCHBAY_CONVOLUTION_ATTRIBUTES(X, conv2d_weight)           \
  PATCHBAY_POOL_ATTRIBUTES(X, max_pool2d_index)               \
  PATCHBAY_DILATION_ATTRIBUTES(X, max_pool2d_index)           \
  PATCHBAY_POOL_ATTRIBUTES(X, max_pool2d_input)               \
  PATCHBAY_DILATION_ATTRIBUTES(X, max_pool2d_input)           \
  PATCHBAY_POOL_ATTRIBUTES(X, avg_pool2d)                     \
  X(avg_pool2d, counts_padding, I64, OPTIONAL(0), 0, 1)       \
  PATCHBAY_POOL_ATTRIBUTES(X, avg_pool2d_input)               \
  X(avg_pool2d_input, counts_padding, I64, OPTIONAL(0), 0, 1) \
  X(softmax, logarithm, I64, OPTIONAL(0), 0, 1)               \
  X(softmax_input, logarithm, I64, OPTIONAL(0), 0, 1)         \
  X(normalize, centered, I64, OPTIONAL(1), 0, 1)              \
  X(normalize, batch, I64, OPTIONAL(0), 0, 1)                 \
  X(normalize_input, centered, I64, OPTIONAL(1), 0, 1)        \
  X(normalize_weight, batch, I64, OPTIONAL(0), 0, 1)          \
  X(lu, pairs, I64, OPTIONAL(0), 0, 1)                        \
  X(cholesky, pairs, I64, OPTIONAL(0), 0, 1)                  \
  X(triangular, pairs, I64, OPTIONAL(0), 0, 1)                \
  X(triangular, upper, I64, OPTIONAL(0), 0, 1)                \
  X(triangular, adjoint, I64, OPTIONAL(0), 0, 1)              \
  X(triangular, unit, I64, OPTIONAL(0), 0, 1)                 \
  X(qr, pairs, I64, OPTIONAL(0), 0, 1)                        \
  X(eigh, pairs, I64, OPTIONAL(0), 0, 1)                      \
  X(eigh, vectors, I64, OPTIONAL(1), 0, 1)                    \
  X(svd, pairs, I64, OPTIONAL(0), 0, 1)                       \
  X(svd, vectors, I64, OPTIONAL(1), 0, 1)                     \
  X(eig, pairs, I64, OPTIONAL(0), 0, 1)                       \
  X(eig, vectors, I64, OPTIONAL(1), 0, 1)                     \
  X(fft, inverse, I64, OPTIONAL(0), 0, 1)                     \
  X(fft, turned, I64, OPTIONAL(0), 0, 2)                      \
  X(moment, order, I64, OPTIONAL(1), 1, 2)                    \
  X(moment, root, I64, OPTIONAL(0), 0, 1)                     \
  X(attention, scale, F64, OPTIONAL(1), -1.7976931348623157e308, 1.7976931348623157e308)

#endif /* PATCHBAY_PLUGIN_KERNELS_OPERATORS_H_ */
