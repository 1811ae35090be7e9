// out = EXPRESSION(a, b, index in row-major order). Defined before: OUT, IN, COMPUTE_BOOL,
// A_IS_SCALAR, B_IS_SCALAR, INDEX (the type that counts elements), EXPRESSION, VECTOR (1, or how
// many elements EXPRESSION takes as a vector; then a is a tensor), VLOAD, VSTORE, BAND, CHUNK.

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

#if VECTOR == 1
PATCHBAY_FUNCTION OUT compute(const IN a, const IN b, const INDEX i) {
  return EXPRESSION(a, b, i);
}
#endif

#if VECTOR > 1
// Functions whose vector forms are much faster. The same form serves every element, so that its
// bits do not depend on its place; what is left over at an end is computed on copies.
PATCHBAY_FUNCTION void compute_some(PATCHBAY_GLOBAL OUT *out, PATCHBAY_GLOBAL const IN *a,
                                    const INDEX count, const INDEX step_out, const INDEX step_a) {
  INDEX k = 0;
  if (step_out == 1 && step_a == 1) {
    for (; k + VECTOR <= count; k += VECTOR) {
      VSTORE(EXPRESSION(VLOAD(0, a + k), 0, 0), 0, out + k);
    }
  }
  for (; k < count; k += VECTOR) {
    IN x[VECTOR];
    OUT y[VECTOR];
    for (INDEX c = 0; c < VECTOR; ++c) x[c] = k + c < count ? a[(k + c) * step_a] : (IN)1;
    VSTORE(EXPRESSION(VLOAD(0, x), 0, 0), 0, y);
    for (INDEX c = 0; c < VECTOR && k + c < count; ++c) out[(k + c) * step_out] = y[c];
  }
}
#endif

// All operands lie one element after the other; a work-item takes VECTOR of them.
PATCHBAY_KERNEL(dense)(PATCHBAY_OUTPUT(OUT, out), PARAMETER_A, PARAMETER_B,
                       PATCHBAY_VALUE(INDEX, n)) {
  PATCHBAY_BIND(OUT, out);
  BIND_A BIND_B
  const INDEX i = (INDEX)PATCHBAY_GLOBAL_ID64(0) * VECTOR;
#if VECTOR > 1
  if (i < n) compute_some(out + i, a + i, n - i < VECTOR ? n - i : VECTOR, 1, 1);
#else
  if (i < n) out[i] = compute(LOAD(A(i)), LOAD(B(i)), i);
#endif
}

typedef struct {
  INDEX rank;            // at least 2
  INDEX tiles, chunks;   // along the last dimension but one, and along the last
  INDEX items;
  INDEX shape[8];
  INDEX out[8], a[8], b[8];  // strides
} Nest;

// Any strides: a work-item takes a tile of BAND x CHUNK elements of the last two dimensions, so
// that what a transposed operand brings into the cache is used up.
PATCHBAY_KERNEL(strided)(PATCHBAY_OUTPUT(OUT, out), PARAMETER_A, PARAMETER_B,
                         PATCHBAY_VALUE(Nest, nest)) {
  PATCHBAY_BIND(OUT, out);
  BIND_A BIND_B
  const INDEX item = (INDEX)PATCHBAY_GLOBAL_ID64(0);
  if (item >= nest.items) return;
  const INDEX last = nest.rank - 1, length = nest.shape[last], height = nest.shape[last - 1];
  const INDEX band = item / nest.chunks;
  const INDEX begin = (item - band * nest.chunks) * CHUNK;
  const INDEX end = begin + CHUNK < length ? begin + CHUNK : length;
  INDEX rest = band / nest.tiles;
  const INDEX first = (band - rest * nest.tiles) * BAND;
  const INDEX stop = first + BAND < height ? first + BAND : height;
  const INDEX plane = rest;
  INDEX at_out = 0, at_a = 0, at_b = 0;
  for (INDEX d = last - 2; d >= 0; --d) {
    const INDEX quotient = rest / nest.shape[d];
    const INDEX index = rest - quotient * nest.shape[d];
    at_out += index * nest.out[d];
    at_a += index * nest.a[d];
    at_b += index * nest.b[d];
    rest = quotient;
  }
  const INDEX step_out = nest.out[last], step_a = nest.a[last], step_b = nest.b[last];
  for (INDEX row = first; row < stop; ++row) {
    const INDEX row_out = at_out + row * nest.out[last - 1];
    const INDEX row_a = at_a + row * nest.a[last - 1], row_b = at_b + row * nest.b[last - 1];
#if VECTOR > 1
    compute_some(out + row_out + begin * step_out, a + row_a + begin * step_a, end - begin,
                 step_out, step_a);
#else
    const INDEX number = (plane * height + row) * length;
    for (INDEX k = begin; k < end; ++k) {
      out[row_out + k * step_out] =
          compute(LOAD(A(row_a + k * step_a)), LOAD(B(row_b + k * step_b)), number + k);
    }
#endif
  }
}
