// out = alpha a b + beta out for devices whose work-items are threads with vector registers. A
// work-item computes LINES rows of several strips of WIDTH columns. It copies what it needs of a
// and b into memory of its own first, in the order of use, for lines a power of two apart would
// fight for the same places of the cache. Defined before: T, V (a vector of T), VLOAD, VSTORE,
// LANES, VECTORS (of a strip), HEIGHT (rows a tile), LINES, DEPTH (of a copy), FMA.

#define WIDTH (LANES * VECTORS)

typedef struct {
  i64 m, n, k;
  i64 a_row, a_column;  // strides
  i64 b_row, b_column;
  i64 out_row;
  i64 count;                     // of products
  i64 a_next, b_next, out_next;  // strides from one to the next
  i64 strips;                    // of a work-item
} Sizes;

// Tile by tile, and in a tile column by column. Rows beyond the last one repeat it.
PATCHBAY_FUNCTION void pack_a(PATCHBAY_LOCAL T *to, PATCHBAY_GLOBAL const T *a, const int rows,
                              const int depth, const i64 row_stride, const i64 column_stride) {
  for (int tile = 0; tile < rows; tile += HEIGHT) {
    PATCHBAY_LOCAL T *const tile_to = to + tile * DEPTH;
    if (row_stride == 1 && tile + HEIGHT <= rows) {
      for (int k = 0; k < depth; ++k) {
        PATCHBAY_GLOBAL const T *const from = a + tile + k * column_stride;
        for (int r = 0; r < HEIGHT; ++r) tile_to[k * HEIGHT + r] = from[r];
      }
      continue;
    }
    for (int r = 0; r < HEIGHT; ++r) {
      PATCHBAY_GLOBAL const T *const from = a + min(tile + r, rows - 1) * row_stride;
      for (int k = 0; k < depth; ++k) tile_to[k * HEIGHT + r] = from[k * column_stride];
    }
  }
}

// Columns beyond the last one repeat it.
PATCHBAY_FUNCTION void pack_b(PATCHBAY_LOCAL T *to, PATCHBAY_GLOBAL const T *b, const int columns,
                              const int depth, const i64 row_stride, const i64 column_stride) {
  if (column_stride == 1 && columns == WIDTH) {
    for (int k = 0; k < depth; ++k) {
      for (int v = 0; v < VECTORS; ++v) VSTORE(VLOAD(v, b + k * row_stride), k * VECTORS + v, to);
    }
    return;
  }
  for (int c = 0; c < WIDTH; ++c) {
    PATCHBAY_GLOBAL const T *const from = b + min(c, columns - 1) * column_stride;
    for (int k = 0; k < depth; ++k) to[k * WIDTH + c] = from[k * row_stride];
  }
}

// scale * what is there, or nothing.
PATCHBAY_FUNCTION void store(PATCHBAY_GLOBAL T *to, const V value, const int columns,
                             const int reads, const T scale) {
  if (columns >= LANES) {
    VSTORE(reads ? value + (V)scale * VLOAD(0, to) : value, 0, to);
    return;
  }
  T parts[LANES];
  VSTORE(value, 0, parts);
  for (int c = 0; c < columns; ++c) to[c] = reads ? parts[c] + scale * to[c] : parts[c];
}

PATCHBAY_KERNEL(gemm)(PATCHBAY_INOUT_OF(T, out), PATCHBAY_INPUT_OF(T, a), PATCHBAY_INPUT_OF(T, b),
                      PATCHBAY_VALUE_OF(T, alpha), PATCHBAY_VALUE_OF(T, beta),
                      PATCHBAY_VALUE_OF(Sizes, sizes)) {
  PATCHBAY_BIND_OF(T, out);
  PATCHBAY_BIND_INPUT_OF(T, a);
  PATCHBAY_BIND_INPUT_OF(T, b);
  PATCHBAY_SHARED(T, a_packed, LINES * DEPTH);
  PATCHBAY_SHARED(T, b_packed, DEPTH * WIDTH);
  const i64 j_begin = PATCHBAY_GLOBAL_ID64(0) * WIDTH * sizes.strips;
  const i64 j_end = min(j_begin + WIDTH * sizes.strips, sizes.n);
  const i64 i_begin = PATCHBAY_GLOBAL_ID64(1) * LINES;
  const int rows = (int)min(sizes.m - i_begin, (i64)LINES);
  const i64 product = PATCHBAY_GLOBAL_ID64(2);
  PATCHBAY_GLOBAL const T *const a_first = a + product * sizes.a_next;
  PATCHBAY_GLOBAL const T *const b_first = b + product * sizes.b_next;
  PATCHBAY_GLOBAL T *const out_first = out + product * sizes.out_next;

  i64 k_begin = 0;
  do {
    const int depth = (int)min(sizes.k - k_begin, (i64)DEPTH);
    const int reads = k_begin != 0 || beta != (T)0;
    const T scale = k_begin != 0 ? (T)1 : beta;
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
#pragma unroll
        for (int r = 0; r < HEIGHT; ++r) {
          if (tile + r < rows) {
            PATCHBAY_GLOBAL T *const to = out_first + (i_begin + tile + r) * sizes.out_row + j;
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
