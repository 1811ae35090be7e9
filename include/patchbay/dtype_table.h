// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The dtypes, each described once. Users' headers, the boundary, the library and the plugins make
 * their lists from this table. */
#ifndef PATCHBAY_DTYPE_TABLE_H_
#define PATCHBAY_DTYPE_TABLE_H_

/* X(C++ name, printed name, C name, number, bytes, kind, type of a stored element in kernel texts,
 * code in DLPack). Numbers count from 1 without gaps, and never change: they cross the boundary.
 * kind is Float, Half (a float of 16 bits, computed in f32 and rounded once), Signed, Unsigned or
 * Bool (one byte, 0 or 1). */
#define PATCHBAY_DTYPES(X)                  \
  X(f32, "f32", F32, 1, 4, Float, f32, 2)   \
  X(f64, "f64", F64, 2, 8, Float, f64, 2)   \
  X(f16, "f16", F16, 3, 2, Half, u16, 2)    \
  X(bf16, "bf16", BF16, 4, 2, Half, u16, 4) \
  X(i32, "i32", I32, 5, 4, Signed, i32, 0)  \
  X(i64, "i64", I64, 6, 8, Signed, i64, 0)  \
  X(u8, "u8", U8, 7, 1, Unsigned, u8, 1)    \
  X(boolean, "bool", BOOL, 8, 1, Bool, u8, 6)

#endif /* PATCHBAY_DTYPE_TABLE_H_ */
