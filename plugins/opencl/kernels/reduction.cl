// Sums and extremes. Defined before: IN, OUT, ACC (the accumulator), ARG (1 for positions), INIT,
// STEP(acc, x, index), MERGE(acc, other), RESULT(acc), LANES, BLOCK, WIDE. The order of additions depends on
// shape and strides alone, so that results repeat.

#if ARG
typedef struct {
  IN value;
  i64 index;
} Best;
// A total order: the better value, NaN above all, then the lower index.
PATCHBAY_FUNCTION Best best_of(const Best a, const Best b) {
  const int b_wins = BEATS(b.value, a.value) || (IS_NAN(b.value) && !IS_NAN(a.value));
  const int same = a.value == b.value || (IS_NAN(a.value) && IS_NAN(b.value));
  return b_wins || (same && b.index < a.index) ? b : a;
}
PATCHBAY_FUNCTION Best best_at(const IN value, const i64 index) {
  Best best;
  best.value = value;
  best.index = index;
  return best;
}
#endif

typedef struct {
  i64 rank, count;
  i64 shape[8];
  i64 in[8], out[8];  // strides
} Axes;

PATCHBAY_FUNCTION i64 offset_in(const Axes *axes, const i64 index) {
  i64 rest = index, at = 0;
  for (i64 d = axes->rank - 1; d >= 0; --d) {
    const i64 quotient = rest / axes->shape[d];
    at += (rest - quotient * axes->shape[d]) * axes->in[d];
    rest = quotient;
  }
  return at;
}

PATCHBAY_FUNCTION i64 offset_out(const Axes *axes, const i64 index) {
  i64 rest = index, at = 0;
  for (i64 d = axes->rank - 1; d >= 0; --d) {
    const i64 quotient = rest / axes->shape[d];
    at += (rest - quotient * axes->shape[d]) * axes->out[d];
    rest = quotient;
  }
  return at;
}

#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))

#if ARG
// BLOCK elements in a row: their extreme first, which vectors find, and its place only if it wins.
PATCHBAY_FUNCTION Best fold_block(const Best best, PATCHBAY_GLOBAL const IN *x, const i64 index) {
  IN extreme[LANES];
  for (int lane = 0; lane < LANES; ++lane) extreme[lane] = x[lane];
  for (int k = LANES; k < BLOCK; k += LANES) {
    for (int lane = 0; lane < LANES; ++lane) {
      const IN y = x[k + lane];
      extreme[lane] = IS_NAN(extreme[lane]) || !(IS_NAN(y) || BEATS(y, extreme[lane]))
                          ? extreme[lane] : y;
    }
  }
  IN most = extreme[0];
  for (int lane = 1; lane < LANES; ++lane) {
    const IN y = extreme[lane];
    most = IS_NAN(most) || !(IS_NAN(y) || BEATS(y, most)) ? most : y;
  }
  const int wins = BEATS(most, best.value) || (IS_NAN(most) && !IS_NAN(best.value));
  if (!wins && best.index <= index) return best;
  int k = 0;
  while (k < BLOCK - 1 && x[k] != most && !IS_NAN(x[k])) ++k;
  return best_at(x[k], index + k);
}
#endif

// The reduced elements begin, begin + 1 ... of one result, which starts at `in`.
PATCHBAY_FUNCTION ACC fold(PATCHBAY_GLOBAL const IN *in, const Axes *reduced, const i64 from,
                           const i64 to) {
#if ARG
  ACC acc = INIT;
#else
  ACC acc[LANES];
  for (int lane = 0; lane < LANES; ++lane) acc[lane] = INIT;
#endif
  const i64 last = reduced->rank - 1;
  const i64 length = reduced->shape[last], step = reduced->in[last];
  i64 begin = from;
  while (begin < to) {
    const i64 column = begin % length;
    const i64 run = MINIMUM(to - begin, length - column);
    PATCHBAY_GLOBAL const IN *const x = in + offset_in(reduced, begin);
    i64 k = 0;
#if ARG
    if (step == 1) {
      for (; k + BLOCK <= run; k += BLOCK) acc = fold_block(acc, x + k, begin + k);
    }
    for (; k < run; ++k) acc = STEP(acc, x[k * step], begin + k);
#else
    if (step == 1) {
      for (; k + LANES <= run; k += LANES) {
        for (int lane = 0; lane < LANES; ++lane) {
          acc[lane] = STEP(acc[lane], x[k + lane], begin + k + lane);
        }
      }
    }
    for (; k < run; ++k) acc[0] = STEP(acc[0], x[k * step], begin + k);
#endif
    begin += run;
  }
#if ARG
  return acc;
#else
  for (int lane = 1; lane < LANES; ++lane) acc[0] = MERGE(acc[0], acc[lane]);
  return acc[0];
#endif
}

// A work-item reduces one piece of one result.
PATCHBAY_KERNEL(along)(PATCHBAY_OUTPUT(OUT, out), PATCHBAY_INPUT(IN, in),
                       PATCHBAY_OUTPUT(ACC, partial), PATCHBAY_VALUE(Axes, kept),
                       PATCHBAY_VALUE(Axes, reduced), PATCHBAY_VALUE(i64, pieces),
                       PATCHBAY_VALUE(i64, piece_size)) {
  PATCHBAY_BIND(OUT, out);
  PATCHBAY_BIND_INPUT(IN, in);
  PATCHBAY_BIND(ACC, partial);
  const i64 item = PATCHBAY_GLOBAL_ID64(0);
  const i64 result = item / pieces, piece = item % pieces;
  if (result >= kept.count) return;
  const i64 begin = piece * piece_size;
  const ACC acc = fold(in + offset_in(&kept, result), &reduced, begin,
                       MINIMUM(begin + piece_size, reduced.count));
  if (pieces == 1)
    out[offset_out(&kept, result)] = RESULT(acc);
  else
    partial[item] = acc;
}

// A work-item reduces one piece of WIDE results that lie beside each other.
PATCHBAY_KERNEL(across)(PATCHBAY_OUTPUT(OUT, out), PATCHBAY_INPUT(IN, in),
                        PATCHBAY_OUTPUT(ACC, partial), PATCHBAY_VALUE(Axes, kept),
                        PATCHBAY_VALUE(Axes, reduced), PATCHBAY_VALUE(i64, pieces),
                        PATCHBAY_VALUE(i64, piece_size)) {
  PATCHBAY_BIND(OUT, out);
  PATCHBAY_BIND_INPUT(IN, in);
  PATCHBAY_BIND(ACC, partial);
  const i64 width = kept.shape[kept.rank - 1];
  const i64 strips = (width + WIDE - 1) / WIDE;
  const i64 strip = PATCHBAY_GLOBAL_ID64(0) / pieces, piece = PATCHBAY_GLOBAL_ID64(0) % pieces;
  const i64 column = strip % strips * WIDE;
  const i64 first = strip / strips * width + column;  // of the results
  if (first >= kept.count) return;
  const int lanes = (int)MINIMUM(width - column, WIDE);
  PATCHBAY_GLOBAL const IN *const x = in + offset_in(&kept, first);
  ACC acc[WIDE];
  for (int lane = 0; lane < WIDE; ++lane) acc[lane] = INIT;

  const i64 last = reduced.rank - 1;
  const i64 length = reduced.shape[last], step = reduced.in[last];
  const i64 end = MINIMUM((piece + 1) * piece_size, reduced.count);
  i64 begin = piece * piece_size;
  while (begin < end) {
    const i64 run = MINIMUM(end - begin, length - begin % length);
    const i64 at = offset_in(&reduced, begin);
    if (lanes == WIDE) {
      for (i64 k = 0; k < run; ++k) {
        for (int lane = 0; lane < WIDE; ++lane) {
          acc[lane] = STEP(acc[lane], x[at + k * step + lane], begin + k);
        }
      }
    } else {
      for (i64 k = 0; k < run; ++k) {
        for (int lane = 0; lane < lanes; ++lane) {
          acc[lane] = STEP(acc[lane], x[at + k * step + lane], begin + k);
        }
      }
    }
    begin += run;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    if (pieces == 1)
      out[offset_out(&kept, first + lane)] = RESULT(acc[lane]);
    else
      partial[(first + lane) * pieces + piece] = acc[lane];
  }
}

PATCHBAY_KERNEL(finish)(PATCHBAY_OUTPUT(OUT, out), PATCHBAY_INPUT(ACC, partial),
                        PATCHBAY_VALUE(Axes, kept), PATCHBAY_VALUE(i64, pieces)) {
  PATCHBAY_BIND(OUT, out);
  PATCHBAY_BIND_INPUT(ACC, partial);
  const i64 result = PATCHBAY_GLOBAL_ID64(0);
  if (result >= kept.count) return;
  ACC acc = partial[result * pieces];
  for (i64 piece = 1; piece < pieces; ++piece) acc = MERGE(acc, partial[result * pieces + piece]);
  out[offset_out(&kept, result)] = RESULT(acc);
}
