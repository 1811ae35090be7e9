// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The dtypes, each described once. Users' headers, the boundary, the library and the plugins make
 * their lists from this table. */
#ifndef PATCHBAY_DTYPE_TABLE_H_
#define PATCHBAY_DTYPE_TABLE_H_

/* X(C++ name, printed name, C name, number, bytes, kind, type of a stored element in kernel texts,
 * code in DLPack). Numbers count from 1 without gaps, and never change: they cross the boundary.
 * kind is Float, Half (a float of 16 bits, computed in f32 and rounded once), Signed, Unsigned or
 * Bool (one byte, 0 or 1). The last five are storage types: they are kept, moved, cast, compared,
 * chosen and reduced, and no operator computes in them. */
#define PATCHBAY_DTYPES(X)                    \
  X(f32, "f32", F32, 1, 4, Float, f32, 2)     \
  X(f64, "f64", F64, 2, 8, Float, f64, 2)     \
  X(f16, "f16", F16, 3, 2, Half, u16, 2)      \
  X(bf16, "bf16", BF16, 4, 2, Half, u16, 4)   \
  X(i32, "i32", I32, 5, 4, Signed, i32, 0)    \
  X(i64, "i64", I64, 6, 8, Signed, i64, 0)    \
  X(u8, "u8", U8, 7, 1, Unsigned, u8, 1)      \
  X(boolean, "bool", BOOL, 8, 1, Bool, u8, 6) \
  X(i8, "i8", I8, 9, 1, Signed, i8, 0)        \
  X(i16, "i16", I16, 10, 2, Signed, i16, 0)   \
  X(u16, "u16", U16, 11, 2, Unsigned, u16, 1) \
  X(u32, "u32", U32, 12, 4, Unsigned, u32, 1) \
  X(u64, "u64", U64, 13, 8, Unsigned, u64, 1)

/* Pairs of floats, the real part first; `type` is that of a part. They are dtypes of tensors alone:
 * kernels compute with the parts, so every plugin computes with complex numbers. */
#define PATCHBAY_COMPLEX_DTYPES(X)           \
  X(c64, "c64", C64, 14, 8, Complex, f32, 5) \
  X(c128, "c128", C128, 15, 16, Complex, f64, 5)

#define PATCHBAY_TENSOR_DTYPES(X) PATCHBAY_DTYPES(X) PATCHBAY_COMPLEX_DTYPES(X)

#endif /* PATCHBAY_DTYPE_TABLE_H_ */
