// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The elementwise operators, once for all backends: expressions that are OpenCL C, CUDA and C++.
 *
 * In them stand a and b (operands), out (the result), grad (the result's gradient), T (the dtype's
 * type) and W (the type in which its arithmetic wraps around: T for floats, an unsigned integer for
 * integers). A bool is an operand of 0 or 1. DTYPES is FLOATS (f32 f64), NUMBERS (and i32 i64 u8),
 * ALL (and bool) or BOOLS. NONE: there is no such expression. */
#ifndef PATCHBAY_PLUGIN_KERNELS_ELEMENTWISE_H_
#define PATCHBAY_PLUGIN_KERNELS_ELEMENTWISE_H_

/* X(name, DTYPES, for floats, for integers, gradient of a) */
#define PATCHBAY_ELEMENTWISE_UNARY(X)                                                              \
  X(neg, NUMBERS, -a, (T)((W)0 - (W)a), -grad)                                                     \
  X(abs, NUMBERS, fabs(a), (T)(a < 0 ? (W)0 - (W)a : (W)a), a > 0 ? grad : (a < 0 ? -grad : (T)0)) \
  X(square, NUMBERS, a* a, (T)((W)a * (W)a), (T)2 * a * grad)                                      \
  X(sqrt, FLOATS, PATCHBAY_SQRT(a), NONE, grad / ((T)2 * out))                                     \
  X(exp, FLOATS, exp(a), NONE, grad* out)                                                          \
  X(log, FLOATS, log(a), NONE, grad / a)

/* X(name, DTYPES, for floats, for integers, gradient of a, gradient of b). Integer division by zero
 * gives 0, and the one quotient that does not fit wraps. Maximum and minimum propagate NaN and
 * share the gradient of equal operands. Neither quotient that is no quotient comes to the divider,
 * which vectors run for all elements. */
#define PATCHBAY_ELEMENTWISE_BINARY(X)                                                           \
  X(add, NUMBERS, a + b, (T)((W)a + (W)b), grad, grad)                                           \
  X(sub, NUMBERS, a - b, (T)((W)a - (W)b), grad, -grad)                                          \
  X(mul, NUMBERS, a* b, (T)((W)a * (W)b), grad* b, grad* a)                                      \
  X(div, NUMBERS, PATCHBAY_DIVIDE(a, b),                                                         \
    b == 0 ? (T)0                                                                                \
           : ((W)b == (W)-1 ? (T)((W)0 - (W)a) : (T)(a / (b == 0 || (W)b == (W)-1 ? (T)1 : b))), \
    grad / b, -(grad * out) / b)                                                                 \
  X(maximum, NUMBERS, ((a > b) | (a != a)) ? a : b, a > b ? a : b,                               \
    a > b ? grad : (a == b ? grad * (T)0.5 : (T)0),                                              \
    a < b ? grad : (a == b ? grad * (T)0.5 : (T)0))                                              \
  X(minimum, NUMBERS, ((a < b) | (a != a)) ? a : b, a < b ? a : b,                               \
    a < b ? grad : (a == b ? grad * (T)0.5 : (T)0),                                              \
    a > b ? grad : (a == b ? grad * (T)0.5 : (T)0))

/* X(name, DTYPES, expression); the result is bool. */
#define PATCHBAY_ELEMENTWISE_COMPARE(X) \
  X(eq, ALL, a == b)                    \
  X(ne, ALL, a != b)                    \
  X(lt, ALL, a < b)                     \
  X(le, ALL, a <= b)                    \
  X(gt, ALL, a > b)                     \
  X(ge, ALL, a >= b)

/* X(name, how many operands, expression); operands and result are bool. */
#define PATCHBAY_ELEMENTWISE_LOGIC(X) \
  X(logical_not, 1, !a)               \
  X(logical_and, 2, a& b)             \
  X(logical_or, 2, a | b)

#endif /* PATCHBAY_PLUGIN_KERNELS_ELEMENTWISE_H_ */
