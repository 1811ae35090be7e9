// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The names of the elementwise functions, once: ops.h declares each for tensors, fuse.h for
 * expressions. X(name). */
#ifndef PATCHBAY_ELEMENTWISE_FUNCTIONS_H_
#define PATCHBAY_ELEMENTWISE_FUNCTIONS_H_

#define PATCHBAY_BINARY_FUNCTIONS(X)                                                             \
  /* Arithmetic: numbers. Integers wrap around; integer division truncates, and gives 0 for a */ \
  /* zero divisor. Maximum and minimum propagate NaN. */                                         \
  X(add)                                                                                         \
  X(sub)                                                                                         \
  X(mul)                                                                                         \
  X(div)                                                                                         \
  X(maximum)                                                                                     \
  X(minimum)                                                                                     \
  /* a^b as IEEE 754-2019, 9.2 has pow: floats. */                                               \
  X(pow)                                                                                         \
  /* Comparison: any dtype, result bool. NaN equals nothing; false is less than true. */         \
  X(eq)                                                                                          \
  X(ne)                                                                                          \
  X(lt)                                                                                          \
  X(le)                                                                                          \
  X(gt)                                                                                          \
  X(ge)                                                                                          \
  /* Logic: bool. */                                                                             \
  X(logical_and)                                                                                 \
  X(logical_or)

#define PATCHBAY_UNARY_FUNCTIONS(X)                                   \
  /* Logic: bool. */                                                  \
  X(logical_not)                                                      \
  /* Numbers. relu is max(a, 0); a NaN stays. */                      \
  X(neg)                                                              \
  X(abs)                                                              \
  X(square)                                                           \
  X(relu)                                                             \
  /* Floats. rsqrt is 1 / sqrt(a), sigmoid 1 / (1 + exp(-a)), gelu */ \
  /* a / 2 (1 + erf(a / sqrt 2)). */                                  \
  X(sqrt)                                                             \
  X(rsqrt)                                                            \
  X(exp)                                                              \
  X(log)                                                              \
  X(sigmoid)                                                          \
  X(tanh)                                                             \
  X(erf)                                                              \
  X(gelu)

#endif  // PATCHBAY_ELEMENTWISE_FUNCTIONS_H_
