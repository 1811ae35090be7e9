// out = EXPRESSION(a, b, index in row-major order). Defined before: OUT, IN, COMPUTE_BOOL,
// A_IS_SCALAR, B_IS_SCALAR, INDEX (the type that counts elements), EXPRESSION.

#if A_IS_SCALAR
#define PARAMETER_A PATCHBAY_VALUE(IN, a)
#define BIND_A
#define A(at) a
#else
#define PARAMETER_A PATCHBAY_INPUT(IN, a)
#define BIND_A PATCHBAY_BIND_INPUT(IN, a);
#define A(at) a[at]
#endif
#if B_IS_SCALAR
#define PARAMETER_B PATCHBAY_VALUE(IN, b)
#define BIND_B
#define B(at) b
#else
#define PARAMETER_B PATCHBAY_INPUT(IN, b)
#define BIND_B PATCHBAY_BIND_INPUT(IN, b);
#define B(at) b[at]
#endif

// Any byte but 0 is true.
#if COMPUTE_BOOL
#define LOAD(x) ((x) != 0 ? (u8)1 : (u8)0)
#else
#define LOAD(x) x
#endif

PATCHBAY_FUNCTION OUT compute(const IN a, const IN b, const INDEX i) {
  return EXPRESSION(a, b, i);
}

// All operands lie one element after the other.
PATCHBAY_KERNEL(dense)(PATCHBAY_OUTPUT(OUT, out), PARAMETER_A, PARAMETER_B,
                       PATCHBAY_VALUE(INDEX, n)) {
  PATCHBAY_BIND(OUT, out);
  BIND_A BIND_B
  const INDEX i = (INDEX)PATCHBAY_GLOBAL_ID64(0);
  if (i < n) out[i] = compute(LOAD(A(i)), LOAD(B(i)), i);
}

typedef struct {
  INDEX rank, rows, chunks;  // of all but the last dimension; pieces of a row
  INDEX shape[8];
  INDEX out[8], a[8], b[8];  // strides
} Nest;

// Any strides: a work-item takes CHUNK elements of the last dimension.
PATCHBAY_KERNEL(strided)(PATCHBAY_OUTPUT(OUT, out), PARAMETER_A, PARAMETER_B,
                         PATCHBAY_VALUE(Nest, nest)) {
  PATCHBAY_BIND(OUT, out);
  BIND_A BIND_B
  const INDEX item = (INDEX)PATCHBAY_GLOBAL_ID64(0);
  const INDEX row = item / nest.chunks;
  if (row >= nest.rows) return;
  const INDEX last = nest.rank - 1, length = nest.shape[last];
  const INDEX begin = (item - row * nest.chunks) * CHUNK;
  const INDEX end = begin + CHUNK < length ? begin + CHUNK : length;
  INDEX rest = row, at_out = 0, at_a = 0, at_b = 0;
  for (INDEX d = last - 1; d >= 0; --d) {
    const INDEX quotient = rest / nest.shape[d];
    const INDEX index = rest - quotient * nest.shape[d];
    at_out += index * nest.out[d];
    at_a += index * nest.a[d];
    at_b += index * nest.b[d];
    rest = quotient;
  }
  const INDEX step_out = nest.out[last], step_a = nest.a[last], step_b = nest.b[last];
  for (INDEX k = begin; k < end; ++k) {
    out[at_out + k * step_out] =
        compute(LOAD(A(at_a + k * step_a)), LOAD(B(at_b + k * step_b)), row * length + k);
  }
}
