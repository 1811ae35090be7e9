// out = alpha a b + beta out for devices whose work-items are threads with vector registers. A
// work-item computes LINES rows of several strips of WIDTH columns. It first copies the parts of a
// and b that it needs to its own memory, in the order of use, because lines a power of two apart
// would compete for the same cache sets. Define before: T (of values), STORED (of elements),
// LOAD(element), STORE(value), V (a vector of T), VLOAD, VSTORE, LANES, VECTORS (per strip), HEIGHT
// (rows per tile), LINES, DEPTH (of a copy), FMA, and KEEPS_SUMS: 1 if elements are too small for a
// sum, which then stays in memory of its own until it is complete; a work-item has one strip then.

#define WIDTH (LANES * VECTORS)

typedef struct {
  i64 m, n, k;
  i64 a_row, a_column;  // strides
  i64 b_row, b_column;
  i64 out_row;
  i64 count;                     // number of products
  i64 a_next, b_next, out_next;  // strides from one product to the next
  i64 strips;                    // per work-item
} Sizes;

// Copies a tile by tile, each column by column. Rows beyond the last one repeat it.
PATCHBAY_FUNCTION void pack_a(PATCHBAY_LOCAL T *to, PATCHBAY_GLOBAL const STORED *a, const int rows,
                              const int depth, const i64 row_stride, const i64 column_stride) {
  for (int tile = 0; tile < rows; tile += HEIGHT) {
    PATCHBAY_LOCAL T *const tile_to = to + tile * DEPTH;
    if (row_stride == 1 && tile + HEIGHT <= rows) {
      for (int k = 0; k < depth; ++k) {
        PATCHBAY_GLOBAL const STORED *const from = a + tile + k * column_stride;
        for (int r = 0; r < HEIGHT; ++r) tile_to[k * HEIGHT + r] = LOAD(from[r]);
      }
      continue;
    }
    for (int r = 0; r < HEIGHT; ++r) {
      PATCHBAY_GLOBAL const STORED *const from = a + min(tile + r, rows - 1) * row_stride;
      for (int k = 0; k < depth; ++k) tile_to[k * HEIGHT + r] = LOAD(from[k * column_stride]);
    }
  }
}

// Columns beyond the last one repeat it.
PATCHBAY_FUNCTION void pack_b(PATCHBAY_LOCAL T *to, PATCHBAY_GLOBAL const STORED *b, const int columns,
                              const int depth, const i64 row_stride, const i64 column_stride) {
#if !KEEPS_SUMS
  if (column_stride == 1 && columns == WIDTH) {
    for (int k = 0; k < depth; ++k) {
      for (int v = 0; v < VECTORS; ++v) VSTORE(VLOAD(v, b + k * row_stride), k * VECTORS + v, to);
    }
    return;
  }
#endif
  for (int c = 0; c < WIDTH; ++c) {
    PATCHBAY_GLOBAL const STORED *const from = b + min(c, columns - 1) * column_stride;
    for (int k = 0; k < depth; ++k) to[k * WIDTH + c] = LOAD(from[k * row_stride]);
  }
}

// Stores `value`, plus scale * the previous elements if `reads`.
PATCHBAY_FUNCTION void store(PATCHBAY_GLOBAL STORED *to, const V value, const int columns,
                             const int reads, const T scale) {
#if !KEEPS_SUMS
  if (columns >= LANES) {
    VSTORE(reads ? value + (V)scale * VLOAD(0, to) : value, 0, to);
    return;
  }
#endif
  T parts[LANES];
  VSTORE(value, 0, parts);
  for (int c = 0; c < LANES && c < columns; ++c) {
    to[c] = STORE(reads ? parts[c] + scale * LOAD(to[c]) : parts[c]);
  }
}

PATCHBAY_KERNEL(gemm)(PATCHBAY_INOUT_OF(STORED, out), PATCHBAY_INPUT_OF(STORED, a),
                      PATCHBAY_INPUT_OF(STORED, b), PATCHBAY_VALUE_OF(STORED, factor),
                      PATCHBAY_VALUE_OF(STORED, part), PATCHBAY_VALUE_OF(Sizes, sizes)) {
  PATCHBAY_BIND_OF(STORED, out);
  PATCHBAY_BIND_INPUT_OF(STORED, a);
  PATCHBAY_BIND_INPUT_OF(STORED, b);
  const T alpha = LOAD(factor), beta = LOAD(part);
#if KEEPS_SUMS
  PATCHBAY_SHARED(T, sums, LINES * WIDTH);
#endif
  PATCHBAY_SHARED(T, a_packed, LINES * DEPTH);
  PATCHBAY_SHARED(T, b_packed, DEPTH * WIDTH);
  const i64 j_begin = PATCHBAY_GLOBAL_ID64(0) * WIDTH * sizes.strips;
  const i64 j_end = min(j_begin + WIDTH * sizes.strips, sizes.n);
  const i64 i_begin = PATCHBAY_GLOBAL_ID64(1) * LINES;
  const int rows = (int)min(sizes.m - i_begin, (i64)LINES);
  const i64 product = PATCHBAY_GLOBAL_ID64(2);
  PATCHBAY_GLOBAL const STORED *const a_first = a + product * sizes.a_next;
  PATCHBAY_GLOBAL const STORED *const b_first = b + product * sizes.b_next;
  PATCHBAY_GLOBAL STORED *const out_first = out + product * sizes.out_next;

  i64 k_begin = 0;
  do {
    const int depth = (int)min(sizes.k - k_begin, (i64)DEPTH);
    const int has_sums = !KEEPS_SUMS && k_begin != 0;
    const int reads = has_sums || beta != (T)0;
    const T scale = has_sums ? (T)1 : beta;
    pack_a(a_packed, a_first + i_begin * sizes.a_row + k_begin * sizes.a_column, rows, depth,
           sizes.a_row, sizes.a_column);
    for (i64 j = j_begin; j < j_end; j += WIDTH) {
      const int columns = (int)min(sizes.n - j, (i64)WIDTH);
      pack_b(b_packed, b_first + k_begin * sizes.b_row + j * sizes.b_column, columns, depth,
             sizes.b_row, sizes.b_column);
      for (int tile = 0; tile < rows; tile += HEIGHT) {
        PATCHBAY_LOCAL const T *const factors = a_packed + tile * DEPTH;
        V acc[HEIGHT][VECTORS];
#pragma unroll
        for (int r = 0; r < HEIGHT; ++r) {
#pragma unroll
          for (int v = 0; v < VECTORS; ++v) acc[r][v] = (V)0;
        }
#if KEEPS_SUMS
        PATCHBAY_LOCAL T *const kept = sums + tile * WIDTH;
        if (k_begin != 0) {
          for (int r = 0; r < HEIGHT; ++r) {
            for (int v = 0; v < VECTORS; ++v) acc[r][v] = VLOAD(r * VECTORS + v, kept);
          }
        }
#endif
        for (int k = 0; k < depth; ++k) {
          V line[VECTORS];
#pragma unroll
          for (int v = 0; v < VECTORS; ++v) line[v] = VLOAD(k * VECTORS + v, b_packed);
#pragma unroll
          for (int r = 0; r < HEIGHT; ++r) {
            const V factor = (V)factors[k * HEIGHT + r];
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) acc[r][v] = FMA(factor, line[v], acc[r][v]);
          }
        }
#if KEEPS_SUMS
        if (k_begin + depth < sizes.k) {
          for (int r = 0; r < HEIGHT; ++r) {
            for (int v = 0; v < VECTORS; ++v) VSTORE(acc[r][v], r * VECTORS + v, kept);
          }
          continue;
        }
#endif
#pragma unroll
        for (int r = 0; r < HEIGHT; ++r) {
          if (tile + r < rows) {
            PATCHBAY_GLOBAL STORED *const to = out_first + (i_begin + tile + r) * sizes.out_row + j;
#pragma unroll
            for (int v = 0; v < VECTORS; ++v) {
              store(to + v * LANES, (V)alpha * acc[r][v], columns - v * LANES, reads, scale);
            }
          }
        }
      }
    }
    k_begin += depth;
  } while (k_begin < sizes.k);
}
