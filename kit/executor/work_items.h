// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* Follows dialect.h and precedes the user's text, which becomes the body of struct patchbay_text:
 * ids are members of a work-item, and kernels are its member functions. Never included.
 *
 * Without barriers a group is a loop over work-items that the compiler can vectorise. With barriers
 * each work-item has its own stack (fibers.h), and a barrier switches to the next work-item. */

/* The portable functions, as members, so that they hide other functions of the same name. */
#define PATCHBAY_UNARY_FUNCTION(name)                              \
  static inline f32 name(f32 x) { return __builtin_##name##f(x); } \
  static inline f64 name(f64 x) { return __builtin_##name(x); }
#define PATCHBAY_BINARY_FUNCTION(name)                                       \
  static inline f32 name(f32 x, f32 y) { return __builtin_##name##f(x, y); } \
  static inline f64 name(f64 x, f64 y) { return __builtin_##name(x, y); }

struct patchbay_group;

struct patchbay_work_item {
  i32 patchbay_local_id[3], patchbay_group_id[3], patchbay_group_size[3], patchbay_num_groups[3];
  patchbay_group* patchbay_of;
  i64 patchbay_shared_bytes; /* that are declared so far */

#if PATCHBAY_HAS_BARRIERS
  inline void patchbay_barrier();
  inline char* patchbay_share(i64 bytes);
  template <class T>
  inline T patchbay_shuffle_down(T value, i32 reach, i32 width);
#else
  inline void patchbay_barrier() {}
#endif

  PATCHBAY_UNARY_FUNCTION(sqrt)
  PATCHBAY_UNARY_FUNCTION(exp)
  PATCHBAY_UNARY_FUNCTION(exp2)
  PATCHBAY_UNARY_FUNCTION(log)
  PATCHBAY_UNARY_FUNCTION(log2)
  PATCHBAY_UNARY_FUNCTION(log10)
  PATCHBAY_UNARY_FUNCTION(expm1)
  PATCHBAY_UNARY_FUNCTION(log1p)
  PATCHBAY_UNARY_FUNCTION(sin)
  PATCHBAY_UNARY_FUNCTION(cos)
  PATCHBAY_UNARY_FUNCTION(tan)
  PATCHBAY_UNARY_FUNCTION(asin)
  PATCHBAY_UNARY_FUNCTION(acos)
  PATCHBAY_UNARY_FUNCTION(atan)
  PATCHBAY_UNARY_FUNCTION(sinh)
  PATCHBAY_UNARY_FUNCTION(cosh)
  PATCHBAY_UNARY_FUNCTION(tanh)
  PATCHBAY_UNARY_FUNCTION(erf)
  PATCHBAY_UNARY_FUNCTION(erfc)
  PATCHBAY_UNARY_FUNCTION(fabs)
  PATCHBAY_UNARY_FUNCTION(floor)
  PATCHBAY_UNARY_FUNCTION(ceil)
  PATCHBAY_UNARY_FUNCTION(trunc)
  PATCHBAY_UNARY_FUNCTION(rint)
  PATCHBAY_BINARY_FUNCTION(pow)
  PATCHBAY_BINARY_FUNCTION(fmin)
  PATCHBAY_BINARY_FUNCTION(fmax)
  PATCHBAY_BINARY_FUNCTION(fmod)
  PATCHBAY_BINARY_FUNCTION(atan2)
  PATCHBAY_BINARY_FUNCTION(copysign)
  static inline f32 rsqrt(f32 x) { return 1.0f / __builtin_sqrtf(x); }
  static inline f64 rsqrt(f64 x) { return 1.0 / __builtin_sqrt(x); }
  static inline f32 fma(f32 x, f32 y, f32 z) { return __builtin_fmaf(x, y, z); }
  static inline f64 fma(f64 x, f64 y, f64 z) { return __builtin_fma(x, y, z); }
};

inline void patchbay_set_group(patchbay_work_item& item, const patchbay_launch& launch, i64 group) {
  for (int axis = 0; axis < 3; ++axis) {
    item.patchbay_local_id[axis] = 0;
    item.patchbay_group_id[axis] = static_cast<i32>(group % launch.num_groups[axis]);
    item.patchbay_group_size[axis] = launch.group_size[axis];
    item.patchbay_num_groups[axis] = launch.num_groups[axis];
    group /= launch.num_groups[axis];
  }
}

/* Runs body(item) for the work-items from `first` on. */
template <class Item, class Body>
inline PATCHBAY_INLINE_KERNEL void patchbay_loop(const Item& like, i32 first, Body body) {
  const i32 width = like.patchbay_group_size[0];
  for (i32 z = 0; z < like.patchbay_group_size[2]; ++z) {
    for (i32 y = 0; y < like.patchbay_group_size[1]; ++y) {
#pragma GCC ivdep
      for (i32 x = first; x < width; ++x) {
        Item item = like;
        item.patchbay_local_id[0] = x;
        item.patchbay_local_id[1] = y;
        item.patchbay_local_id[2] = z;
        body(item);
      }
      first = 0;
    }
  }
}
