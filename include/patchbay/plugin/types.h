// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The values that pass between core and plugin. Plain C: fixed-width integers, no C++ type.
 *
 * Structs that are passed in arrays (arguments, specs, attributes) have no size field: their layout
 * is frozen. The sender sets the reserved bytes to zero; only they can get a meaning later. */
#ifndef PATCHBAY_PLUGIN_TYPES_H_
#define PATCHBAY_PLUGIN_TYPES_H_

#include <stdint.h>

#include "patchbay/dtype_table.h"

#define PATCHBAY_MAX_RANK 8
/* In a spec: the rank or a dimension is known only at launch. */
#define PATCHBAY_ANY_RANK 255u
#define PATCHBAY_ANY_DIM INT64_C(-1)
/* No deadline. Deadlines are absolute times on the clock of host->now_ns. */
#define PATCHBAY_NO_DEADLINE UINT64_MAX

/* UTF-8, not null-terminated, valid during the call that passes it. */
typedef struct patchbay_string {
  const char* data;
  uint64_t size;
} patchbay_string;

/* Memory of a device. `base` is a pointer or an opaque handle; only the plugin that made it may add
 * `offset_bytes` to it. A null base means no memory (0 bytes). */
typedef struct patchbay_memory {
  void* base;
  uint64_t offset_bytes;
} patchbay_memory;

/* patchbay_memory_kind */
enum {
  PATCHBAY_MEMORY_DEVICE = 1,
  PATCHBAY_MEMORY_PINNED = 2, /* host memory that the device's copy engine reads directly */
  /* Memory for kernels and the host alike: the host uses it by its address while nothing that was
   * submitted does. Asked for only where `host_addressable_kinds` has its bit. */
  PATCHBAY_MEMORY_UNIFIED = 3
};

/* patchbay_dtype: PATCHBAY_F32 = 1, PATCHBAY_F64 = 2 ..., numbered by dtype_table.h. A bool is one
 * byte, 0 or 1, and occurs only in tensors. */
#define PATCHBAY_NUMBERED(name, printed, NAME, number, size_bytes, kind, type, dlpack_code) \
  PATCHBAY_##NAME = (number),
enum { PATCHBAY_DTYPES(PATCHBAY_NUMBERED) PATCHBAY_NO_DTYPE = 0 };
#undef PATCHBAY_NUMBERED

/* patchbay_argument_kind */
enum { PATCHBAY_TENSOR = 1, PATCHBAY_SCALAR = 2, PATCHBAY_BYTES = 3 };

/* patchbay_access, bits */
enum { PATCHBAY_READ = 1, PATCHBAY_WRITE = 2 };

/* Describes an argument that a kernel is prepared for. Frozen: 144 bytes. */
typedef struct patchbay_argument_spec {
  uint8_t kind;
  uint8_t dtype;  /* 0 for bytes */
  uint8_t rank;   /* tensors: 0..8 or PATCHBAY_ANY_RANK */
  uint8_t access; /* tensors */
  uint8_t reserved0[4];
  int64_t shape[PATCHBAY_MAX_RANK];   /* tensors of fixed rank: extents, or PATCHBAY_ANY_DIM */
  int64_t strides[PATCHBAY_MAX_RANK]; /* likewise, in elements */
  uint64_t reserved1;
} patchbay_argument_spec;

/* An argument of a launch. Frozen: 168 bytes. Entries of shape and strides at or above `rank` are
 * unspecified. */
typedef struct patchbay_argument {
  uint8_t kind;
  uint8_t dtype;
  uint8_t rank;
  uint8_t access;
  uint8_t reserved0[4];
  union {
    patchbay_memory memory; /* tensor: the element at index 0, 0, ... */
    uint64_t bits;          /* scalar: its value in the low-address bytes of this field */
    patchbay_string bytes;
  } value;
  int64_t shape[PATCHBAY_MAX_RANK];
  int64_t strides[PATCHBAY_MAX_RANK]; /* in elements, >= 0; 0 repeats an element (inputs only) */
  /* Since 1.1, of tensors that are read: a number of the buffer's contents, or 0. While two
   * launches get the same number, nothing writes the buffer between them, so what a plugin has made
   * from the same elements (packed, in another layout) stays valid. No other contents ever get the
   * number. */
  uint64_t contents;
  uint64_t reserved1;
} patchbay_argument;

/* patchbay_attribute_type */
enum { PATCHBAY_ATTRIBUTE_I64 = 1, PATCHBAY_ATTRIBUTE_F64 = 2, PATCHBAY_ATTRIBUTE_STRING = 3 };

/* A named constant that a kernel is prepared with. Frozen: 48 bytes. */
typedef struct patchbay_attribute {
  patchbay_string name;
  uint8_t type;
  uint8_t reserved0[7];
  union {
    int64_t i64;
    double f64;
    patchbay_string string;
  } value;
  uint64_t reserved1;
} patchbay_attribute;

/* Everything that a kernel is prepared from. The core uses it as the key of its kernel cache. */
typedef struct patchbay_kernel_spec {
  uint64_t size;      /* of this struct, in bytes */
  patchbay_string op; /* name with version: "add.1" */
  const patchbay_argument_spec* arguments;
  const patchbay_attribute* attributes;
  uint32_t num_arguments;
  uint32_t num_attributes;
  uint64_t workspace_limit_bytes;
} patchbay_kernel_spec;

#endif /* PATCHBAY_PLUGIN_TYPES_H_ */
