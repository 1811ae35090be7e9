// out = alpha a b + beta out for devices with groups and shared memory: a group computes a square
// of TILE x TILE elements. Defined before: T, TILE.

typedef struct {
  i64 m, n, k, strips;  // `strips` is not used
  i64 a_row, a_column;  // strides
  i64 b_row, b_column;
  i64 out_row;
} Sizes;

PATCHBAY_KERNEL(gemm)(PATCHBAY_INOUT(T, out), PATCHBAY_INPUT(T, a), PATCHBAY_INPUT(T, b),
                      PATCHBAY_VALUE(T, alpha), PATCHBAY_VALUE(T, beta),
                      PATCHBAY_VALUE(Sizes, sizes)) {
  PATCHBAY_BIND(T, out);
  PATCHBAY_BIND_INPUT(T, a);
  PATCHBAY_BIND_INPUT(T, b);
  PATCHBAY_SHARED_2D(T, a_tile, TILE, TILE + 1);
  PATCHBAY_SHARED_2D(T, b_tile, TILE, TILE + 1);
  const int x = PATCHBAY_LOCAL_ID(0), y = PATCHBAY_LOCAL_ID(1);
  const i64 j = PATCHBAY_GLOBAL_ID64(0), i = PATCHBAY_GLOBAL_ID64(1);
  T sum = (T)0;
  for (i64 begin = 0; begin < sizes.k; begin += TILE) {
    const i64 ka = begin + x, kb = begin + y;
    a_tile[y][x] =
        i < sizes.m && ka < sizes.k ? a[i * sizes.a_row + ka * sizes.a_column] : (T)0;
    b_tile[y][x] =
        j < sizes.n && kb < sizes.k ? b[kb * sizes.b_row + j * sizes.b_column] : (T)0;
    PATCHBAY_BARRIER();
    for (int k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
    PATCHBAY_BARRIER();
  }
  if (i >= sizes.m || j >= sizes.n) return;
  PATCHBAY_GLOBAL T *const to = out + i * sizes.out_row + j;
  // With beta 0 it is not read: it may be uninitialised.
  *to = beta == (T)0 ? alpha * sum : alpha * sum + beta * *to;
}
