// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The elementwise operators of all backends, as expressions in OpenCL C, CUDA and C++ alike.
 *
 * The expressions use the operands (a and b, unless stated otherwise), out (the result), grad (the
 * result's gradient), T (the dtype's type) and W (the type in which arithmetic wraps around: T for
 * floats, an unsigned integer for integers). A bool operand is 0 or 1. DTYPES is a set in
 * operators.h: FLOATS (functions that cost more than their memory traffic), NUMBERS, ALL or BOOLS.
 * NONE means that there is no expression.
 *
 * Gradients use only + - * /, unary minus, comparisons, |, functions of this table, (T)number and
 * PATCHBAY_SELECT(condition, x, y), so T may be a symbolic type. Both sides of a selection are
 * computed, and differentiated again, so neither may be infinite where the other one is chosen. Nor
 * may a product of some factors be, where another one is 0: factors that grow go together with
 * those that vanish. C++ code that expands the table must define PATCHBAY_DIVIDE, PATCHBAY_SQRT and
 * PATCHBAY_SELECT. */
#ifndef PATCHBAY_PLUGIN_KERNELS_ELEMENTWISE_H_
#define PATCHBAY_PLUGIN_KERNELS_ELEMENTWISE_H_

/* The gradient of a step: 0, of the gradient's dtype. A gradient that is NaN stays. */
#define PATCHBAY_ZERO_GRAD PATCHBAY_SELECT(grad == grad, (T)0, grad)

/* a where it is not above 0, else 0, for functions that overflow above. */
#define PATCHBAY_NOT_ABOVE_0 PATCHBAY_SELECT(a > (T)0, (T)0, a)

/* pow: the argument of the logarithm in the gradient of b. 1 stands for 0 where the logarithm of 0
 * is not used. */
#define PATCHBAY_POW_BASE PATCHBAY_SELECT(a == (T)0, PATCHBAY_SELECT(b < (T)0, a, (T)1), a)

/* remainder: the quotient of the value, a whole number. If out is b, then a is small and of the
 * other sign, a + b was rounded to b (or b is infinite), and the quotient is -1. */
#define PATCHBAY_WHOLE_QUOTIENT PATCHBAY_SELECT(out == b, (T)-1, round((a - out) / b))

/* exp(-scale x^2): the square is the sum of two parts, of which the first is exact, and the
 * rounding of this sum corrects the result. */
#define PATCHBAY_HEAD(x) (round((x) * (T)128) * (T)0.0078125)
#define PATCHBAY_REST(x) (((x)-PATCHBAY_HEAD(x)) * ((x) + PATCHBAY_HEAD(x)))
#define PATCHBAY_SQUARED(x) (PATCHBAY_HEAD(x) * PATCHBAY_HEAD(x) + PATCHBAY_REST(x))
#define PATCHBAY_ROUNDING(x) \
  (PATCHBAY_SQUARED(x) - PATCHBAY_HEAD(x) * PATCHBAY_HEAD(x) - PATCHBAY_REST(x))
#define PATCHBAY_EXP_OF_SQUARE(x, scale) \
  (exp(-((T)(scale)*PATCHBAY_SQUARED(x))) * ((T)1 + (T)(scale)*PATCHBAY_ROUNDING(x)))

/* a from -40 to 40: beyond, exp(-a^2 / 2) is 0. */
#define PATCHBAY_NEAR_0 minimum(maximum(a, (T)-40), (T)40)
/* a, or the largest number of f32 where it is infinite. */
#define PATCHBAY_FINITE minimum(maximum(a, (T)-3.4e38), (T)3.4e38)

/* The normal distribution function of a. Where 1 + erf would cancel, it is gelu(a) / a. */
#define PATCHBAY_TAIL minimum(PATCHBAY_NEAR_0, (T)-1)
#define PATCHBAY_DISTRIBUTION                                     \
  PATCHBAY_SELECT(a < (T)-1, gelu(PATCHBAY_TAIL) / PATCHBAY_TAIL, \
                  (T)0.5 * ((T)1 + erf(a * (T)0.70710678118654752)))

/* X(name, DTYPES, for floats, for integers, gradient of a). Small results stay accurate: sigmoid
 * and softplus have no exponent above 0, silu multiplies by half the exponential twice, so that no
 * factor is subnormal, and gelu computes 1 + erf(x) as erfc(-x). gelu multiplies by
 * exp(x^2 - a^2 / 2), approximated by 1 + the exponent, because x is a / sqrt 2 rounded. */
#define PATCHBAY_ELEMENTWISE_UNARY(X)                                                              \
  X(neg, NUMBERS, -a, (T)((W)0 - (W)a), -grad)                                                     \
  X(abs, NUMBERS, fabs(a), (T)(a < 0 ? (W)0 - (W)a : (W)a),                                        \
    PATCHBAY_SELECT(a > (T)0, grad, PATCHBAY_SELECT(a < (T)0, -grad, (T)0)))                       \
  X(square, NUMBERS, a* a, (T)((W)a * (W)a), (T)2 * a * grad)                                      \
  X(relu, NUMBERS, a < (T)0 ? (T)0 : a, a < (T)0 ? (T)0 : a,                                       \
    PATCHBAY_SELECT(out <= (T)0, (T)0, grad))                                                      \
  X(sqrt, FLOATS, PATCHBAY_SQRT(a), NONE, grad / ((T)2 * out))                                     \
  X(rsqrt, FLOATS, PATCHBAY_DIVIDE((T)1, PATCHBAY_SQRT(a)), NONE,                                  \
    (T)-0.5 * grad * out * out * out)                                                              \
  X(exp, FLOATS, exp(a), NONE, grad* out)                                                          \
  X(log, FLOATS, log(a), NONE, grad / a)                                                           \
  X(sigmoid, FLOATS,                                                                               \
    PATCHBAY_DIVIDE(PATCHBAY_SELECT(a < (T)0, exp(-fabs(a)), (T)1), (T)1 + exp(-fabs(a))), NONE,   \
    grad* out*((T)1 - out))                                                                        \
  X(tanh, FLOATS, tanh(a), NONE, grad*((T)1 - out * out))                                          \
  X(erf, FLOATS, erf(a), NONE,                                                                     \
    (T)1.1283791670955126 * PATCHBAY_EXP_OF_SQUARE(PATCHBAY_NEAR_0, 1) * grad)                     \
  X(gelu, FLOATS,                                                                                  \
    (T)0.5 * a * erfc(a * (T)-0.70710678118654752) *                                               \
        (((a < (T)0) & (a > (T)-40)) ? (T)1 + (fma(a * (T)-0.70710678118654752,                    \
                                                   a * (T)-0.70710678118654752, (T)-0.5 * a * a) - \
                                               fma((T)0.5 * a, a, (T)-0.5 * a * a))                \
                                     : (T)1),                                                      \
    NONE,                                                                                          \
    grad * (PATCHBAY_DISTRIBUTION + (T)0.3989422804014327 * PATCHBAY_NEAR_0 *                      \
                                        PATCHBAY_EXP_OF_SQUARE(PATCHBAY_NEAR_0, 0.5)))             \
  X(sin, FLOATS, sin(a), NONE, grad* cos(a))                                                       \
  X(cos, FLOATS, cos(a), NONE, -(grad * sin(a)))                                                   \
  X(tan, FLOATS, tan(a), NONE, grad*((T)1 + out * out))                                            \
  X(exp2, FLOATS, exp2(a), NONE, (T)0.6931471805599453 * grad * out)                               \
  X(expm1, FLOATS, expm1(a), NONE, grad* exp(a))                                                   \
  X(log1p, FLOATS, log1p(a), NONE, grad / ((T)1 + a))                                              \
  X(log2, FLOATS, log2(a), NONE, (T)1.4426950408889634 * grad / a)                                 \
  X(floor, NUMBERS, floor(a), a, PATCHBAY_ZERO_GRAD)                                               \
  X(ceil, NUMBERS, ceil(a), a, PATCHBAY_ZERO_GRAD)                                                 \
  X(round, NUMBERS, rint(a), a, PATCHBAY_ZERO_GRAD)                                                \
  X(trunc, NUMBERS, trunc(a), a, PATCHBAY_ZERO_GRAD)                                               \
  X(sign, NUMBERS, a > (T)0 ? (T)1 : (a < (T)0 ? (T)-1 : (T)0), (T)((a > 0) - (a < 0)),            \
    PATCHBAY_ZERO_GRAD)                                                                            \
  X(silu, FLOATS,                                                                                  \
    PATCHBAY_DIVIDE(                                                                               \
        PATCHBAY_SELECT(a < (T)0, a * exp((T)-0.5 * fabs(a)) * exp((T)-0.5 * fabs(a)), a),         \
        (T)1 + exp((T)-0.5 * fabs(a)) * exp((T)-0.5 * fabs(a))),                                   \
    NONE, grad* sigmoid(a) * ((T)1 + PATCHBAY_FINITE * ((T)1 - sigmoid(a))))                       \
  X(softplus, FLOATS, PATCHBAY_SELECT(a > (T)0, a, (T)0) + log1p(exp(-fabs(a))), NONE,             \
    grad * sigmoid(a))

/* Maximum and minimum: operands that equal the result share the gradient in equal parts. A NaN
 * operand counts as equal. */
#define PATCHBAY_SHARED_GRAD(x_is_result, y_is_result) \
  PATCHBAY_SELECT(x_is_result, PATCHBAY_SELECT(y_is_result, (T)0.5 * grad, grad), (T)0)

/* atan2 divides by a * a + b * b: once by the larger magnitude and once by the quotient, because
 * the squares overflow and underflow. At (0, 0) it divides 0 by 1. */
#define PATCHBAY_ATAN2_SCALE \
  PATCHBAY_SELECT(maximum(abs(a), abs(b)) == (T)0, (T)1, maximum(abs(a), abs(b)))
#define PATCHBAY_ATAN2_DIVISOR \
  (PATCHBAY_ATAN2_SCALE +      \
   minimum(abs(a), abs(b)) * (minimum(abs(a), abs(b)) / PATCHBAY_ATAN2_SCALE))

/* X(name, DTYPES, for floats, for integers, gradient of a, gradient of b). Integer division by zero
 * gives 0, and the only quotient that overflows wraps; in both cases the expression divides by 1
 * instead, because vector code divides all elements. Maximum and minimum propagate NaN. A number
 * that shapes a function, such as a slope, is its second operand. */
#define PATCHBAY_ELEMENTWISE_BINARY(X)                                                           \
  X(add, NUMBERS, a + b, (T)((W)a + (W)b), grad, grad)                                           \
  X(sub, NUMBERS, a - b, (T)((W)a - (W)b), grad, -grad)                                          \
  X(mul, NUMBERS, a* b, (T)((W)a * (W)b), grad* b, grad* a)                                      \
  X(div, NUMBERS, PATCHBAY_DIVIDE(a, b),                                                         \
    b == 0 ? (T)0                                                                                \
           : ((W)b == (W)-1 ? (T)((W)0 - (W)a) : (T)(a / (b == 0 || (W)b == (W)-1 ? (T)1 : b))), \
    grad / b, -(grad * (a / b)) / b)                                                             \
  X(maximum, NUMBERS, ((a > b) | (a != a)) ? a : b, a > b ? a : b,                               \
    PATCHBAY_SHARED_GRAD((a >= b) | (a != a), (b >= a) | (b != b)),                              \
    PATCHBAY_SHARED_GRAD((b >= a) | (b != b), (a >= b) | (a != a)))                              \
  X(minimum, NUMBERS, ((a < b) | (a != a)) ? a : b, a < b ? a : b,                               \
    PATCHBAY_SHARED_GRAD((a <= b) | (a != a), (b <= a) | (b != b)),                              \
    PATCHBAY_SHARED_GRAD((b <= a) | (b != b), (a <= b) | (a != a)))                              \
  X(pow, FLOATS, pow(a, b), NONE,                                                                \
    PATCHBAY_SELECT(b == (T)0, (T)0,                                                             \
                    grad * (b * pow(a, PATCHBAY_SELECT(b == (T)0, (T)1, b) - (T)1))),            \
    PATCHBAY_SELECT(a == (T)0,                                                                   \
                    PATCHBAY_SELECT(b < (T)0, grad * (out * log(PATCHBAY_POW_BASE)), (T)0),      \
                    grad * (out * log(PATCHBAY_POW_BASE))))                                      \
  X(atan2, FLOATS, atan2(a, b), NONE, grad*(b / PATCHBAY_ATAN2_SCALE) / PATCHBAY_ATAN2_DIVISOR,  \
    -(grad * (a / PATCHBAY_ATAN2_SCALE)) / PATCHBAY_ATAN2_DIVISOR)                               \
  X(remainder, NUMBERS,                                                                          \
    fmod(a, b) + ((((fmod(a, b) < (T)0) != (b < (T)0)) & (fmod(a, b) != (T)0)) ? b : (T)0),      \
    (T)((W)(a % (b == 0 || (W)b == (W)-1 ? (T)1 : b)) +                                          \
        (((a % (b == 0 || (W)b == (W)-1 ? (T)1 : b) < 0) != (b < 0)) &&                          \
                 a % (b == 0 || (W)b == (W)-1 ? (T)1 : b) != 0                                   \
             ? (W)b                                                                              \
             : (W)0)),                                                                           \
    grad, -grad * PATCHBAY_WHOLE_QUOTIENT)                                                       \
  X(leaky_relu, FLOATS, a > (T)0 ? a : a * b, NONE, PATCHBAY_SELECT(a > (T)0, grad, grad * b),   \
    PATCHBAY_SELECT(a > (T)0, (T)0, grad * PATCHBAY_NOT_ABOVE_0))                                \
  X(elu, FLOATS, a > (T)0 ? a : b * expm1(a), NONE,                                              \
    PATCHBAY_SELECT(a > (T)0, grad, grad * b * exp(PATCHBAY_NOT_ABOVE_0)),                       \
    PATCHBAY_SELECT(a > (T)0, (T)0, grad * expm1(PATCHBAY_NOT_ABOVE_0)))

/* X(name, number): b, where a call leaves it out. */
#define PATCHBAY_ELEMENTWISE_DEFAULTS(X) \
  X(leaky_relu, 0.01)                    \
  X(elu, 1)

/* X(name, DTYPES, expression, gradient of a, gradient of b); the condition is a bool. */
#define PATCHBAY_ELEMENTWISE_CHOICE(X)                                     \
  X(where, ALL, condition ? a : b, PATCHBAY_SELECT(condition, grad, (T)0), \
    PATCHBAY_SELECT(condition, (T)0, grad))

/* clamp: the gradient of a that equals a bound. It is 0 for a finite a. An infinite a equals only a
 * bound that is infinite or was left out, and passes. */
#define PATCHBAY_GRAD_AT_BOUND PATCHBAY_SELECT(a - a == (T)0, (T)0, grad)

/* X(name, DTYPES, expression, gradient of a); low and high are scalars, low <= high. */
#define PATCHBAY_ELEMENTWISE_BOUNDED(X)                                                          \
  X(clamp, NUMBERS, a < low ? low : (a > high ? high : a),                                       \
    PATCHBAY_SELECT(                                                                             \
        a >= low,                                                                                \
        PATCHBAY_SELECT(a <= high,                                                               \
                        PATCHBAY_SELECT((a == low) | (a == high), PATCHBAY_GRAD_AT_BOUND, grad), \
                        (T)0),                                                                   \
        (T)0))

/* X(name, DTYPES, expression); the result is bool. */
#define PATCHBAY_ELEMENTWISE_COMPARE(X) \
  X(eq, ALL, a == b)                    \
  X(ne, ALL, a != b)                    \
  X(lt, ALL, a < b)                     \
  X(le, ALL, a <= b)                    \
  X(gt, ALL, a > b)                     \
  X(ge, ALL, a >= b)

/* X(name, DTYPES, expression) of one operand; the result is bool. */
#define PATCHBAY_ELEMENTWISE_TEST(X)           \
  X(isnan, FLOATS, a != a)                     \
  X(isinf, FLOATS, (a == a) & (a - a != (T)0)) \
  X(isfinite, FLOATS, a - a == (T)0)

/* X(name, number of operands, expression); operands and result are bool. */
#define PATCHBAY_ELEMENTWISE_LOGIC(X) \
  X(logical_not, 1, !a)               \
  X(logical_and, 2, a& b)             \
  X(logical_or, 2, a | b)

/* X(name, bound in units in the last place of the result, since, formula, source or ""): one line
 * for each operator of the tables above. Bound 0: the result is the correctly rounded one. since:
 * the minor version of the boundary that added the operator, as in operators.h. The formula is also
 * the comment of the function in patchbay/elementwise.h, which tests/docs/check_elementwise.py
 * writes. */
#define PATCHBAY_ELEMENTWISE_NOTES(X)                                                             \
  X(add, 0, 0, "a + b; integers wrap around", "IEEE 754-2019, 5.4.1")                             \
  X(sub, 0, 0, "a - b; integers wrap around", "IEEE 754-2019, 5.4.1")                             \
  X(mul, 0, 0, "a * b; integers wrap around", "IEEE 754-2019, 5.4.1")                             \
  X(div, 0, 0, "a / b; integers truncate, and give 0 where b is 0", "IEEE 754-2019, 5.4.1")       \
  X(maximum, 0, 0, "the larger of a and b; NaN if either is NaN; of two zeros b",                 \
    "IEEE 754-2019, 9.6")                                                                         \
  X(minimum, 0, 0, "the smaller of a and b; NaN if either is NaN; of two zeros b",                \
    "IEEE 754-2019, 9.6")                                                                         \
  X(pow, 16, 0, "a to the power b; 1 where b is 0 or a is 1, even for NaN",                       \
    "IEEE 754-2019, 9.2.1")                                                                       \
  X(atan2, 6, 1, "the angle of the point (b, a), from -pi to pi", "IEEE 754-2019, 9.2.1")         \
  X(remainder, 0, 1,                                                                              \
    "a - b * floor(a / b), exact up to the last sum; integers give 0 where b is 0", "")           \
  X(leaky_relu, 0, 1, "a where a > 0, else a * b",                                                \
    "Maas et al., Rectifier Nonlinearities Improve Neural Network Acoustic Models, 2013")         \
  X(elu, 6, 1, "a where a > 0, else b * (exp(a) - 1)",                                            \
    "Clevert et al., Fast and Accurate Deep Network Learning by Exponential Linear Units, 2015, " \
    "arXiv 1511.07289")                                                                           \
  X(neg, 0, 0, "-a; integers wrap around", "IEEE 754-2019, 5.5.1")                                \
  X(abs, 0, 0, "|a|; integers wrap around", "IEEE 754-2019, 5.5.1")                               \
  X(square, 0, 0, "a * a; integers wrap around", "IEEE 754-2019, 5.4.1")                          \
  X(relu, 0, 0, "0 where a < 0, else a; NaN and -0 stay", "")                                     \
  X(sqrt, 0, 0, "the square root of a; NaN where a < 0", "IEEE 754-2019, 5.4.1")                  \
  X(rsqrt, 2, 0, "1 / sqrt(a); infinite at 0, NaN where a < 0", "IEEE 754-2019, 9.2.1")           \
  X(exp, 3, 0, "e to the power a", "IEEE 754-2019, 9.2.1")                                        \
  X(log, 3, 0, "the natural logarithm of a; -infinity at 0, NaN where a < 0",                     \
    "IEEE 754-2019, 9.2.1")                                                                       \
  X(sigmoid, 5, 0, "1 / (1 + exp(-a))", "")                                                       \
  X(tanh, 5, 0, "the hyperbolic tangent of a", "IEEE 754-2019, 9.2.1")                            \
  X(erf, 16, 0, "the error function of a",                                                        \
    "Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 7.1.1")                     \
  X(gelu, 20, 0, "a / 2 * (1 + erf(a / sqrt(2)))",                                                \
    "Hendrycks and Gimpel, Gaussian Error Linear Units, 2016, arXiv 1606.08415")                  \
  X(sin, 4, 1, "the sine of a, in radians; NaN where a is infinite", "IEEE 754-2019, 9.2.1")      \
  X(cos, 4, 1, "the cosine of a, in radians; NaN where a is infinite", "IEEE 754-2019, 9.2.1")    \
  X(tan, 5, 1, "the tangent of a, in radians; NaN where a is infinite", "IEEE 754-2019, 9.2.1")   \
  X(exp2, 4, 1, "2 to the power a", "IEEE 754-2019, 9.2.1")                                       \
  X(expm1, 6, 1, "exp(a) - 1, accurate near 0", "IEEE 754-2019, 9.2.1")                           \
  X(log1p, 4, 1, "log(1 + a), accurate near 0; -infinity at -1, NaN below",                       \
    "IEEE 754-2019, 9.2.1")                                                                       \
  X(log2, 4, 1, "the logarithm of a to base 2; -infinity at 0, NaN where a < 0",                  \
    "IEEE 754-2019, 9.2.1")                                                                       \
  X(floor, 0, 1, "the nearest integer not above a; integers stay", "IEEE 754-2019, 5.9")          \
  X(ceil, 0, 1, "the nearest integer not below a; integers stay", "IEEE 754-2019, 5.9")           \
  X(round, 0, 1, "the nearest integer, of two the even one; integers stay", "IEEE 754-2019, 5.9") \
  X(trunc, 0, 1, "a without its fraction; integers stay", "IEEE 754-2019, 5.9")                   \
  X(sign, 0, 1, "1 where a > 0, -1 where a < 0, else 0, also for NaN", "")                        \
  X(silu, 8, 1, "a / (1 + exp(-a)); NaN at -infinity",                                            \
    "Elfwing et al., Sigmoid-Weighted Linear Units, 2017, arXiv 1702.03118")                      \
  X(softplus, 8, 1, "log(1 + exp(a))",                                                            \
    "Dugas et al., Incorporating Second-Order Functional Knowledge for Better Option Pricing, "   \
    "2000")                                                                                       \
  X(where, 0, 0, "condition ? a : b", "")                                                         \
  X(clamp, 0, 0, "low where a < low, high where a > high, else a; NaN stays", "")                 \
  X(eq, 0, 0, "a == b; false where either is NaN", "IEEE 754-2019, 5.11")                         \
  X(ne, 0, 0, "a != b; true where either is NaN", "IEEE 754-2019, 5.11")                          \
  X(lt, 0, 0, "a < b; false where either is NaN", "IEEE 754-2019, 5.11")                          \
  X(le, 0, 0, "a <= b; false where either is NaN", "IEEE 754-2019, 5.11")                         \
  X(gt, 0, 0, "a > b; false where either is NaN", "IEEE 754-2019, 5.11")                          \
  X(ge, 0, 0, "a >= b; false where either is NaN", "IEEE 754-2019, 5.11")                         \
  X(isnan, 0, 1, "whether a is NaN", "IEEE 754-2019, 5.7.2")                                      \
  X(isinf, 0, 1, "whether a is infinite", "IEEE 754-2019, 5.7.2")                                 \
  X(isfinite, 0, 1, "whether a is neither infinite nor NaN", "IEEE 754-2019, 5.7.2")              \
  X(logical_not, 0, 0, "not a", "")                                                               \
  X(logical_and, 0, 0, "a and b", "")                                                             \
  X(logical_or, 0, 0, "a or b", "")

#endif /* PATCHBAY_PLUGIN_KERNELS_ELEMENTWISE_H_ */
