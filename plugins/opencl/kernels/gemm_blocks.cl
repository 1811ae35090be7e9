// out = alpha a b + beta out for devices whose work-items are threads with vector registers. A
// work-item computes a strip of LINES rows and WIDTH columns; it copies DEPTH rows of b into
// memory of its own first, where they lie one vector after the other. Defined before: T, V (a
// vector of T), VLOAD, VSTORE, LANES, VECTORS, HEIGHT (rows a tile), DEPTH, FMA.

#define WIDTH (LANES * VECTORS)

typedef struct {
  i64 m, n, k, lines;         // `lines`: rows of a work-item
  i64 a_row, a_column;        // strides
  i64 b_row, b_column;
  i64 out_row;
} Sizes;

PATCHBAY_KERNEL(gemm)(PATCHBAY_INOUT(T, out), PATCHBAY_INPUT(T, a), PATCHBAY_INPUT(T, b),
                      PATCHBAY_VALUE(T, alpha), PATCHBAY_VALUE(T, beta),
                      PATCHBAY_VALUE(Sizes, sizes)) {
  PATCHBAY_BIND(T, out);
  PATCHBAY_BIND_INPUT(T, a);
  PATCHBAY_BIND_INPUT(T, b);
  PATCHBAY_SHARED(V, panel, DEPTH * VECTORS);
  __local T *const packed = (__local T *)panel;
  const i64 j = PATCHBAY_GLOBAL_ID64(0) * WIDTH;
  const i64 i_begin = PATCHBAY_GLOBAL_ID64(1) * sizes.lines;
  const i64 i_end = min(i_begin + sizes.lines, sizes.m);
  const int columns = (int)min(sizes.n - j, (i64)WIDTH);

  i64 k_begin = 0;
  do {
    const int depth = (int)min(sizes.k - k_begin, (i64)DEPTH);
    // Beyond the last column there are zeros.
    if (sizes.b_column == 1 && columns == WIDTH) {
      for (int k = 0; k < depth; ++k) {
        PATCHBAY_GLOBAL const T *const from = b + (k_begin + k) * sizes.b_row + j;
        for (int v = 0; v < VECTORS; ++v) panel[k * VECTORS + v] = VLOAD(v, from);
      }
    } else {
      for (int c = 0; c < WIDTH; ++c) {
        PATCHBAY_GLOBAL const T *const from =
            b + k_begin * sizes.b_row + (j + min(c, columns - 1)) * sizes.b_column;
        for (int k = 0; k < depth; ++k) packed[k * WIDTH + c] = from[k * sizes.b_row];
      }
    }

    for (i64 i = i_begin; i < i_end; i += HEIGHT) {
      // Rows beyond the last one are the last one again; they are not stored.
      PATCHBAY_GLOBAL const T *rows[HEIGHT];
      for (int r = 0; r < HEIGHT; ++r) {
        rows[r] = a + min(i + r, i_end - 1) * sizes.a_row + k_begin * sizes.a_column;
      }
      V acc[HEIGHT][VECTORS];
#pragma unroll
      for (int r = 0; r < HEIGHT; ++r) {
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) acc[r][v] = (V)0;
      }
      for (int k = 0; k < depth; ++k) {
        V line[VECTORS];
#pragma unroll
        for (int v = 0; v < VECTORS; ++v) line[v] = panel[k * VECTORS + v];
#pragma unroll
        for (int r = 0; r < HEIGHT; ++r) {
          const V factor = (V)rows[r][k * sizes.a_column];
#pragma unroll
          for (int v = 0; v < VECTORS; ++v) acc[r][v] = FMA(factor, line[v], acc[r][v]);
        }
      }

      const int height = (int)min(i_end - i, (i64)HEIGHT);
      const int reads = k_begin != 0 || beta != (T)0;
      const T scale = k_begin != 0 ? (T)1 : beta;
#pragma unroll
      for (int r = 0; r < HEIGHT; ++r) {
        if (r < height) {
          PATCHBAY_GLOBAL T *const to = out + (i + r) * sizes.out_row + j;
#pragma unroll
          for (int v = 0; v < VECTORS; ++v) {
            const V value = (V)alpha * acc[r][v];
            if (columns == WIDTH) {
              if (reads)
                VSTORE(value + (V)scale * VLOAD(v, to), v, to);
              else
                VSTORE(value, v, to);
            } else {
              T parts[LANES];
              VSTORE(value, 0, parts);
              for (int c = 0; c < LANES && v * LANES + c < columns; ++c) {
                const T before = reads ? scale * to[v * LANES + c] : (T)0;
                to[v * LANES + c] = parts[c] + before;
              }
            }
          }
        }
      }
    }
    k_begin += depth;
  } while (k_begin < sizes.k);
}
