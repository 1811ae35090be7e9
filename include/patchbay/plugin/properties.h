// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The properties of a device, which are known before it is opened. */
#ifndef PATCHBAY_PLUGIN_PROPERTIES_H_
#define PATCHBAY_PLUGIN_PROPERTIES_H_

#include "patchbay/plugin/types.h"

/* patchbay_device_kind */
enum { PATCHBAY_DEVICE_CPU = 1, PATCHBAY_DEVICE_ACCELERATOR = 2 };

/* patchbay_device_capability, bits */
enum {
  PATCHBAY_CAN_F64 = 1 << 0,
  PATCHBAY_CAN_F16 = 1 << 1,
  PATCHBAY_CAN_BF16 = 1 << 2,
  PATCHBAY_CAN_PEER_ACCESS = 1 << 3,
  PATCHBAY_CAN_UNIFIED_MEMORY = 1 << 4, /* device and host share their physical memory */
  /* Submissions to the default stream are complete when the call returns, and may come from several
   * threads at once. */
  PATCHBAY_CAN_INLINE_STREAM = 1 << 5,
  PATCHBAY_CAN_MODULES = 1 << 6,
  /* The native handle of device memory is an address; offsets may be added to it. */
  PATCHBAY_CAN_ADDRESS = 1 << 7,
  /* A copy from or to pageable host memory blocks the call that queues it. The core then makes
   * copies that must not block through pinned memory; such a device must have it. */
  PATCHBAY_PAGEABLE_COPIES_BLOCK = 1 << 8,
  /* `create` of a stream takes PATCHBAY_STREAM_LOW and PATCHBAY_STREAM_HIGH. */
  PATCHBAY_CAN_STREAM_PRIORITY = 1 << 9,
  /* Since 1.1. A launch of a fused expression takes the tensors of several groups. */
  PATCHBAY_CAN_FUSED_GROUPS = 1 << 10,
  /* Since 1.1. eigh.1 and svd.1 are fast for a large matrix, for example by LAPACK. Without the bit
   * the core does most of the work by products. */
  PATCHBAY_CAN_LARGE_FACTORS = 1 << 11
};
#define PATCHBAY_KNOWN_CAPABILITIES ((UINT64_C(1) << 12) - 1)
#define PATCHBAY_KNOWN_MEMORY_KINDS                                                \
  (UINT64_C(1) << PATCHBAY_MEMORY_DEVICE | UINT64_C(1) << PATCHBAY_MEMORY_PINNED | \
   UINT64_C(1) << PATCHBAY_MEMORY_UNIFIED)

typedef struct patchbay_device_properties {
  uint64_t size;
  uint32_t index;
  uint32_t kind;
  patchbay_string name;
  patchbay_string vendor;
  patchbay_string driver_version;
  patchbay_string pci_address; /* "0000:65:00.0", empty if there is none */
  uint8_t uuid[16];            /* zeros if there is none */
  uint64_t capabilities;
  /* Bit (1 << memory kind) is set if the host may read and write that memory at its base pointer
   * plus offset. The core chooses routes of copies by these bits alone. */
  uint64_t host_addressable_kinds;
  uint64_t memory_total_bytes;
  uint64_t memory_free_bytes; /* 0 if that needs a context */
  uint64_t memory_alignment_bytes;
  uint32_t compute_units;
  uint32_t preferred_vector_bytes;
  uint32_t sub_group_width;
  uint32_t max_group_size;
  /* The device's type and index in the DLPack standard; 0, 0 if it has none. */
  int32_t dlpack_device_type;
  int32_t dlpack_device_id;
  /* What the compiler calls the architecture ("sm_90"); empty if it has no name. */
  patchbay_string architecture;
  uint64_t l2_cache_bytes;      /* 0 if not known, as the numbers below */
  uint64_t shared_memory_bytes; /* the most that one group can have */
  uint32_t clock_khz;           /* the highest, of the compute units */
  uint32_t memory_clock_khz;    /* the highest */
} patchbay_device_properties;

#endif /* PATCHBAY_PLUGIN_PROPERTIES_H_ */
