// The part of the portable dialect that our kernels use, for OpenCL C 1.2.
#pragma OPENCL FP_CONTRACT OFF
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#define PATCHBAY_HAS_F64 1
#else
#define PATCHBAY_HAS_F64 0
#endif
typedef float f32;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef uint u32;
typedef ulong u64;

#define PATCHBAY_GLOBAL __global
#define PATCHBAY_FUNCTION
#define PATCHBAY_KERNEL(name) __kernel void name
// A buffer argument is a buffer object and an offset; PATCHBAY_BIND makes a pointer of them.
#define PATCHBAY_INPUT(T, name) __global const T *name##_base, const ulong name##_offset
#define PATCHBAY_OUTPUT(T, name) __global T *name##_base, const ulong name##_offset
#define PATCHBAY_INOUT(T, name) PATCHBAY_OUTPUT(T, name)
#define PATCHBAY_VALUE(T, name) const T name
#define PATCHBAY_BIND_INPUT(T, name) \
  __global const T *const name = \
      (__global const T *)((__global const uchar *)name##_base + name##_offset)
#define PATCHBAY_BIND(T, name) \
  __global T *const name = (__global T *)((__global uchar *)name##_base + name##_offset)

#define PATCHBAY_GLOBAL_ID(axis) ((i32)get_global_id(axis))
#define PATCHBAY_LOCAL_ID(axis) ((i32)get_local_id(axis))
#define PATCHBAY_GROUP_ID(axis) ((i32)get_group_id(axis))
#define PATCHBAY_GLOBAL_ID64(axis) ((i64)get_global_id(axis))
#define PATCHBAY_SHARED(T, name, count) __local T name[count]
#define PATCHBAY_SHARED_2D(T, name, rows, columns) __local T name[rows][columns]
#define PATCHBAY_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
