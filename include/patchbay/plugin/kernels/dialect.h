// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The portable dialect: this text precedes each kernel text and makes it valid OpenCL C 1.2, CUDA,
 * HIP or C++ for the kernel executor. docs/kernels.md explains it.
 *
 * Plugins embed this file (patchbay_embed_text) and compile it + `#line 1 "<name>"` + the kernel
 * text. PATCHBAY_KERNEL(name) defines a function patchbay_kernel_<name>, so a kernel may have the
 * name of a built-in function. Buffers are passed as (base, byte offset) in OpenCL and as a pointer
 * elsewhere. Contraction of a * b + c is off: by pragma where possible, by --fmad=false for NVRTC,
 * by -ffp-contract=off for g++. */
#ifndef PATCHBAY_PLUGIN_KERNELS_DIALECT_H_
#define PATCHBAY_PLUGIN_KERNELS_DIALECT_H_

#define PATCHBAY_DIALECT_VERSION 1

/* The number of work-items in lockstep. Plugins may set it; kernels must also be correct with 1. */
#ifndef PATCHBAY_SUB_GROUP_WIDTH
#define PATCHBAY_SUB_GROUP_WIDTH 1
#endif

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
/* ------------------------------------------------------------------------------- OpenCL C --- */
#pragma OPENCL FP_CONTRACT OFF
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#endif
typedef float f32;
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;

#define PATCHBAY_GLOBAL __global
#define PATCHBAY_LOCAL __local
#define PATCHBAY_CONSTANT __constant
#define PATCHBAY_RESTRICT restrict
#define PATCHBAY_FUNCTION static inline
#define PATCHBAY_TABLE(T, name, count) __constant T name[count]

#define PATCHBAY_KERNEL(name) __kernel void patchbay_kernel_##name
#define PATCHBAY_INPUT(dtype, name)                                    \
  __global const PATCHBAY_TYPE_##dtype *restrict patchbay_base_##name, \
      const ulong patchbay_offset_##name
#define PATCHBAY_OUTPUT(dtype, name) \
  __global PATCHBAY_TYPE_##dtype *restrict patchbay_base_##name, const ulong patchbay_offset_##name
#define PATCHBAY_BIND_INPUT(dtype, name)                                                    \
  __global const PATCHBAY_TYPE_##dtype* restrict const name =                               \
      (__global const PATCHBAY_TYPE_##dtype*)((__global const uchar*)patchbay_base_##name + \
                                              patchbay_offset_##name)
#define PATCHBAY_BIND(dtype, name)                                              \
  __global PATCHBAY_TYPE_##dtype* restrict const name =                         \
      (__global PATCHBAY_TYPE_##dtype*)((__global uchar*)patchbay_base_##name + \
                                        patchbay_offset_##name)

#define PATCHBAY_INPUT_OF(T, name) \
  __global const T *patchbay_base_##name, const ulong patchbay_offset_##name
#define PATCHBAY_OUTPUT_OF(T, name) \
  __global T *patchbay_base_##name, const ulong patchbay_offset_##name
#define PATCHBAY_BIND_INPUT_OF(T, name) \
  __global const T* const name =        \
      (__global const T*)((__global const uchar*)patchbay_base_##name + patchbay_offset_##name)
#define PATCHBAY_BIND_OF(T, name) \
  __global T* const name =        \
      (__global T*)((__global uchar*)patchbay_base_##name + patchbay_offset_##name)

#define PATCHBAY_LOCAL_ID(axis) ((i32)get_local_id(axis))
#define PATCHBAY_GROUP_ID(axis) ((i32)get_group_id(axis))
#define PATCHBAY_GROUP_SIZE(axis) ((i32)get_local_size(axis))
#define PATCHBAY_NUM_GROUPS(axis) ((i32)get_num_groups(axis))
#define PATCHBAY_GLOBAL_ID(axis) ((i32)get_global_id(axis))
#define PATCHBAY_GLOBAL_ID64(axis) ((i64)get_global_id(axis))

#define PATCHBAY_SHARED(T, name, count) __local T name[count]
#define PATCHBAY_SHARED_2D(T, name, rows, columns) __local T name[rows][columns]
#define PATCHBAY_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define PATCHBAY_PACK_OF(T, count, name)                         \
  typedef struct __attribute__((aligned(sizeof(T) * (count)))) { \
    T at[count];                                                 \
  } name

#if defined(PATCHBAY_ROUNDS_TWICE) && defined(cl_khr_fp64)
/* f64 has more than twice the digits of f32, so rounding its quotient again is still correct. */
#define PATCHBAY_DIVIDE(a, b) ((__typeof__((a) / (b)))((f64)(a) / (f64)(b)))
#define PATCHBAY_SQRT(a) ((__typeof__(a))sqrt((f64)(a)))
#endif

#define PATCHBAY_MUL_HIGH_U32(a, b) mul_hi((u32)(a), (u32)(b))
#define PATCHBAY_BITS(x) as_uint(x)
#define PATCHBAY_FROM_BITS(x) as_float(x)
#define PATCHBAY_INFINITY INFINITY
#define PATCHBAY_NAN NAN

#define PATCHBAY_ATOMIC_ADD_I32(pointer, value) atomic_add(pointer, value)
#define PATCHBAY_ATOMIC_MIN_I32(pointer, value) atomic_min(pointer, value)
#define PATCHBAY_ATOMIC_MAX_I32(pointer, value) atomic_max(pointer, value)
#define PATCHBAY_ATOMIC_CAS_I32(pointer, expected, value) atomic_cmpxchg(pointer, expected, value)
/* OpenCL C 1.2 has no generic pointers, so each address space needs a function. */
#define PATCHBAY_DEFINE_ATOMIC_ADD(name, space)                                                    \
  static inline f32 name(volatile space f32* pointer, f32 value) {                                 \
    u32 before, seen = as_uint(*pointer);                                                          \
    do {                                                                                           \
      before = seen;                                                                               \
      seen =                                                                                       \
          atomic_cmpxchg((volatile space u32*)pointer, before, as_uint(as_float(before) + value)); \
    } while (seen != before);                                                                      \
    return as_float(before);                                                                       \
  }
PATCHBAY_DEFINE_ATOMIC_ADD(patchbay_atomic_add_f32, __global)
PATCHBAY_DEFINE_ATOMIC_ADD(patchbay_atomic_add_shared_f32, __local)
#define PATCHBAY_ATOMIC_ADD_F32(pointer, value) patchbay_atomic_add_f32(pointer, value)
#define PATCHBAY_ATOMIC_ADD_SHARED_F32(pointer, value) \
  patchbay_atomic_add_shared_f32(pointer, value)

#elif defined(__CUDACC__) || defined(__HIPCC__) || defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
/* ---------------------------------------------------------------------------- CUDA and HIP --- */
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
typedef float f32;
typedef double f64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define PATCHBAY_GLOBAL
#define PATCHBAY_LOCAL
#define PATCHBAY_CONSTANT const
#define PATCHBAY_RESTRICT __restrict__
#define PATCHBAY_FUNCTION static __device__ __forceinline__
#define PATCHBAY_TABLE(T, name, count) static __constant__ T name[count]

#define PATCHBAY_KERNEL(name) extern "C" __global__ void patchbay_kernel_##name
#define PATCHBAY_INPUT(dtype, name) const PATCHBAY_TYPE_##dtype* __restrict__ patchbay_base_##name
#define PATCHBAY_OUTPUT(dtype, name) PATCHBAY_TYPE_##dtype* __restrict__ patchbay_base_##name
#define PATCHBAY_BIND_INPUT(dtype, name) \
  const PATCHBAY_TYPE_##dtype* __restrict__ const name = patchbay_base_##name
#define PATCHBAY_BIND(dtype, name) \
  PATCHBAY_TYPE_##dtype* __restrict__ const name = patchbay_base_##name
#define PATCHBAY_INPUT_OF(T, name) const T* patchbay_base_##name
#define PATCHBAY_OUTPUT_OF(T, name) T* patchbay_base_##name
#define PATCHBAY_BIND_INPUT_OF(T, name) const T* const name = patchbay_base_##name
#define PATCHBAY_BIND_OF(T, name) T* const name = patchbay_base_##name

#define PATCHBAY_AXIS_0 x
#define PATCHBAY_AXIS_1 y
#define PATCHBAY_AXIS_2 z
#define PATCHBAY_LOCAL_ID(axis) ((i32)threadIdx.PATCHBAY_AXIS_##axis)
#define PATCHBAY_GROUP_ID(axis) ((i32)blockIdx.PATCHBAY_AXIS_##axis)
#define PATCHBAY_GROUP_SIZE(axis) ((i32)blockDim.PATCHBAY_AXIS_##axis)
#define PATCHBAY_NUM_GROUPS(axis) ((i32)gridDim.PATCHBAY_AXIS_##axis)
#define PATCHBAY_GLOBAL_ID(axis)                                         \
  ((i32)(blockIdx.PATCHBAY_AXIS_##axis * blockDim.PATCHBAY_AXIS_##axis + \
         threadIdx.PATCHBAY_AXIS_##axis))
#define PATCHBAY_GLOBAL_ID64(axis)                                           \
  ((i64)blockIdx.PATCHBAY_AXIS_##axis * (i64)blockDim.PATCHBAY_AXIS_##axis + \
   (i64)threadIdx.PATCHBAY_AXIS_##axis)

#define PATCHBAY_SHARED(T, name, count) __shared__ T name[count]
#define PATCHBAY_SHARED_2D(T, name, rows, columns) __shared__ T name[rows][columns]
#define PATCHBAY_BARRIER() __syncthreads()
#if defined(__HIPCC__) || defined(__HIPCC_RTC__)
#define PATCHBAY_SHUFFLE_DOWN(value, reach, width) __shfl_down(value, reach, width)
#else
#define PATCHBAY_SHUFFLE_DOWN(value, reach, width) \
  __shfl_down_sync(0xffffffffu, value, reach, width)
#endif
#define PATCHBAY_PACK_OF(T, count, name)          \
  typedef struct __align__(sizeof(T) * (count)) { \
    T at[count];                                  \
  }                                               \
  name

#define PATCHBAY_MUL_HIGH_U32(a, b) __umulhi(a, b)
#define PATCHBAY_BITS(x) __float_as_uint(x)
#define PATCHBAY_FROM_BITS(x) __uint_as_float(x)
/* Constant expressions, so that a table may contain them. */
#if defined(__clang__)
#define PATCHBAY_INFINITY __builtin_inff()
#define PATCHBAY_NAN __builtin_nanf("")
#elif defined(__CUDACC_RTC__) /* no version before 12.3 has __builtin_bit_cast */
#define PATCHBAY_INFINITY __INFINITY__
#define PATCHBAY_NAN __NAN__
#else
#define PATCHBAY_INFINITY __uint_as_float(0x7f800000u)
#define PATCHBAY_NAN __uint_as_float(0x7fc00000u)
#endif

#define PATCHBAY_ATOMIC_ADD_I32(pointer, value) atomicAdd(pointer, value)
#define PATCHBAY_ATOMIC_MIN_I32(pointer, value) atomicMin(pointer, value)
#define PATCHBAY_ATOMIC_MAX_I32(pointer, value) atomicMax(pointer, value)
#define PATCHBAY_ATOMIC_CAS_I32(pointer, expected, value) atomicCAS(pointer, expected, value)
#define PATCHBAY_ATOMIC_ADD_F32(pointer, value) atomicAdd(pointer, value)
#define PATCHBAY_ATOMIC_ADD_SHARED_F32(pointer, value) atomicAdd(pointer, value)

#else
/* --------------------------------------- C++: a kernel is a member function of a work-item --- */
typedef float f32;
typedef double f64;
typedef __INT8_TYPE__ i8;
typedef __INT16_TYPE__ i16;
typedef __INT32_TYPE__ i32;
typedef __INT64_TYPE__ i64;
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;

#define PATCHBAY_GLOBAL
#define PATCHBAY_LOCAL
#define PATCHBAY_CONSTANT const
#define PATCHBAY_RESTRICT __restrict__
#define PATCHBAY_FUNCTION inline __attribute__((always_inline))
/* For kernels and the executor's functions that call them. Without optimisation they are not
 * inlined, so each is compiled once. PATCHBAY_FUNCTION is always inlined: the limit of a kernel's
 * frame then counts the arrays of its functions too. */
#ifdef __OPTIMIZE__
#define PATCHBAY_INLINE_KERNEL __attribute__((always_inline))
#else
#define PATCHBAY_INLINE_KERNEL
#endif
#define PATCHBAY_TABLE(T, name, count) static constexpr T name[count]

/* The kernel executor defines PATCHBAY_ENTRY, which makes a function callable from outside. */
#define PATCHBAY_KERNEL(name)            \
  PATCHBAY_ENTRY(patchbay_kernel_##name) \
  inline PATCHBAY_INLINE_KERNEL void patchbay_kernel_##name
#define PATCHBAY_INPUT(dtype, name) const PATCHBAY_TYPE_##dtype* __restrict__ patchbay_base_##name
#define PATCHBAY_OUTPUT(dtype, name) PATCHBAY_TYPE_##dtype* __restrict__ patchbay_base_##name
#define PATCHBAY_BIND_INPUT(dtype, name) \
  const PATCHBAY_TYPE_##dtype* __restrict__ const name = patchbay_base_##name
#define PATCHBAY_BIND(dtype, name) \
  PATCHBAY_TYPE_##dtype* __restrict__ const name = patchbay_base_##name
#define PATCHBAY_INPUT_OF(T, name) const T* patchbay_base_##name
#define PATCHBAY_OUTPUT_OF(T, name) T* patchbay_base_##name
#define PATCHBAY_BIND_INPUT_OF(T, name) const T* const name = patchbay_base_##name
#define PATCHBAY_BIND_OF(T, name) T* const name = patchbay_base_##name

#define PATCHBAY_LOCAL_ID(axis) (this->patchbay_local_id[axis])
#define PATCHBAY_GROUP_ID(axis) (this->patchbay_group_id[axis])
#define PATCHBAY_GROUP_SIZE(axis) (this->patchbay_group_size[axis])
#define PATCHBAY_NUM_GROUPS(axis) (this->patchbay_num_groups[axis])
#define PATCHBAY_GLOBAL_ID(axis) \
  (PATCHBAY_GROUP_ID(axis) * PATCHBAY_GROUP_SIZE(axis) + PATCHBAY_LOCAL_ID(axis))
#define PATCHBAY_GLOBAL_ID64(axis) \
  ((i64)PATCHBAY_GROUP_ID(axis) * PATCHBAY_GROUP_SIZE(axis) + PATCHBAY_LOCAL_ID(axis))

/* Each work-item of a group gets the same arrays, because all declare the same. */
#define PATCHBAY_SHARED(T, name, count) \
  T(&name)[count] = *reinterpret_cast<T(*)[count]>(this->patchbay_share(sizeof(T) * (count)))
#define PATCHBAY_SHARED_2D(T, name, rows, columns) \
  T(&name)                                         \
  [rows][columns] =                                \
      *reinterpret_cast<T(*)[rows][columns]>(this->patchbay_share(sizeof(T) * (rows) * (columns)))
#define PATCHBAY_BARRIER() (this->patchbay_barrier())
#define PATCHBAY_SHUFFLE_DOWN(value, reach, width) \
  (this->patchbay_shuffle_down(value, reach, width))
#define PATCHBAY_PACK_OF(T, count, name)                                    \
  typedef struct __attribute__((aligned(sizeof(T) * (count)), may_alias)) { \
    T at[count];                                                            \
  } name

#define PATCHBAY_MUL_HIGH_U32(a, b) ((u32)((u64)(u32)(a) * (u32)(b) >> 32))
#define PATCHBAY_BITS(x) __builtin_bit_cast(u32, (f32)(x))
#define PATCHBAY_FROM_BITS(x) __builtin_bit_cast(f32, (u32)(x))
#define PATCHBAY_INFINITY __builtin_inff()
#define PATCHBAY_NAN __builtin_nanf("")

/* Applies `change` to the value at the pointer and returns the previous value. */
template <class Word, class Change>
inline Word patchbay_atomic_change(Word* pointer, Change change) {
  Word before = __atomic_load_n(pointer, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(pointer, &before, change(before), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}
inline i32 patchbay_atomic_min(i32* pointer, i32 value) {
  return patchbay_atomic_change(pointer, [=](i32 old) { return value < old ? value : old; });
}
inline i32 patchbay_atomic_max(i32* pointer, i32 value) {
  return patchbay_atomic_change(pointer, [=](i32 old) { return value > old ? value : old; });
}
inline i32 patchbay_atomic_cas(i32* pointer, i32 expected, i32 value) {
  __atomic_compare_exchange_n(pointer, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
inline f32 patchbay_atomic_add(f32* pointer, f32 value) {
  typedef u32 __attribute__((may_alias)) Bits;
  const auto add = [=](u32 old) { return PATCHBAY_BITS(PATCHBAY_FROM_BITS(old) + value); };
  return PATCHBAY_FROM_BITS(patchbay_atomic_change(reinterpret_cast<Bits*>(pointer), add));
}
#define PATCHBAY_ATOMIC_ADD_I32(pointer, value) \
  __atomic_fetch_add((i32*)(pointer), (i32)(value), __ATOMIC_RELAXED)
#define PATCHBAY_ATOMIC_MIN_I32(pointer, value) patchbay_atomic_min(pointer, value)
#define PATCHBAY_ATOMIC_MAX_I32(pointer, value) patchbay_atomic_max(pointer, value)
#define PATCHBAY_ATOMIC_CAS_I32(pointer, expected, value) \
  patchbay_atomic_cas(pointer, expected, value)
#define PATCHBAY_ATOMIC_ADD_F32(pointer, value) patchbay_atomic_add(pointer, value)
#define PATCHBAY_ATOMIC_ADD_SHARED_F32(pointer, value) patchbay_atomic_add(pointer, value)
#endif

/* ----------------------------------------------------------------------------- every dialect ---
 */
/* The type of an element in memory for each dtype: a bool is one byte, 0 or 1. */
#define PATCHBAY_TYPE_f32 f32
#define PATCHBAY_TYPE_f64 f64
#define PATCHBAY_TYPE_i32 i32
#define PATCHBAY_TYPE_i64 i64
#define PATCHBAY_TYPE_u8 u8
#define PATCHBAY_TYPE_bool u8
#define PATCHBAY_TYPE_i8 i8
#define PATCHBAY_TYPE_i16 i16
#define PATCHBAY_TYPE_u16 u16
#define PATCHBAY_TYPE_u32 u32
#define PATCHBAY_TYPE_u64 u64

#define PATCHBAY_INOUT(dtype, name) PATCHBAY_OUTPUT(dtype, name)
#define PATCHBAY_VALUE(dtype, name) const PATCHBAY_TYPE_##dtype name

/* For plugins' own kernels: arguments of any type, including structs; buffers may overlap. */
#define PATCHBAY_INOUT_OF(T, name) PATCHBAY_OUTPUT_OF(T, name)
#define PATCHBAY_VALUE_OF(T, name) const T name
/* A struct whose members are read by computed indices. OpenCL copies it to a variable, because some
 * compilers fail to index an argument (rusticl crashes); elsewhere a copy would cost bandwidth, so
 * CUDA is told to make none. */
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ >= 12 && __CUDA_ARCH__ >= 700
#define PATCHBAY_STRUCT_OF(T, name) const __grid_constant__ T patchbay_value_##name
#else
#define PATCHBAY_STRUCT_OF(T, name) const T patchbay_value_##name
#endif
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define PATCHBAY_BIND_STRUCT_OF(T, name) const T name = patchbay_value_##name
#else
#define PATCHBAY_BIND_STRUCT_OF(T, name) const T& name = patchbay_value_##name
/* The addresses of `count` buffers as one argument, and the pointer with one of these. OpenCL
 * passes no addresses. In C++ the argument stays where the caller has it. */
template <i32 count>
struct patchbay_addresses {
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__)
  u64 at[count];
#else
  const u64* at;
#endif
};
#define PATCHBAY_ADDRESSES_OF(count, name) const patchbay_addresses<count> name
#define PATCHBAY_POINTER_OF(T, addresses, index) ((T*)addresses.at[index])
#endif

/* The correctly rounded quotient and square root of f32 or f64. A plugin whose compiler does not
 * round those of f32 correctly defines PATCHBAY_ROUNDS_TWICE, which computes them in f64. */
#ifndef PATCHBAY_DIVIDE
#define PATCHBAY_DIVIDE(a, b) ((a) / (b))
#endif
#ifndef PATCHBAY_SQRT
#if (defined(__HIPCC__) || defined(__HIPCC_RTC__)) && __clang_major__ < 18
/* Compilers of ROCm 5 take the hardware's square root of f32, which may be 1 ulp off. */
#define PATCHBAY_SQRT(a) ((__typeof__(a))sqrt((f64)(a)))
#else
#define PATCHBAY_SQRT(a) sqrt(a)
#endif
#endif

/* For plugins' own kernels. PATCHBAY_PACK_OF(T, count, name) declares a struct of neighbouring
 * elements, `at`, that are read or written at once; its address is a multiple of its size, which is
 * a power of 2 up to 16 bytes. PATCHBAY_SHUFFLE_DOWN(value, reach, width), for devices with
 * sub-groups of that width, is the value of the work-item `reach` places later in the sub-group;
 * all work-items of the group reach it, and what the last `reach` of a sub-group get has no
 * meaning. */
#define PATCHBAY_ADDRESS(pointer) ((u64)(pointer))

/* elementwise.h writes this for `condition ? x : y`. */
#define PATCHBAY_SELECT(condition, x, y) ((condition) ? (x) : (y))

#endif /* PATCHBAY_PLUGIN_KERNELS_DIALECT_H_ */
