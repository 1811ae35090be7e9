// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* What the core offers to a plugin: statuses, log, trace, clock, options, cache, scratch memory.
 *
 * All entries may be called from any thread, from `open` until `close` has returned. */
#ifndef PATCHBAY_PLUGIN_HOST_H_
#define PATCHBAY_PLUGIN_HOST_H_

#include "patchbay/plugin/types.h"

/* Null is success. Otherwise an object of the host's, so that it outlives the plugin; who
 * receives one returns it upwards or drops it with `release_status`. */
typedef struct patchbay_status patchbay_status;

/* patchbay_code */
enum {
  PATCHBAY_INVALID_ARGUMENT = 1,
  PATCHBAY_OUT_OF_MEMORY = 2,
  PATCHBAY_UNSUPPORTED = 3,   /* this plugin or device can't; the message says why */
  PATCHBAY_NO_DRIVER = 4,     /* from open: the vendor's driver is not on this machine */
  PATCHBAY_NO_DEVICE = 5,     /* from open: the driver runs and sees no device */
  PATCHBAY_TIMED_OUT = 6,     /* a deadline passed; nothing is lost */
  PATCHBAY_LAUNCH_FAILED = 7, /* a submission failed, or an earlier one did */
  PATCHBAY_BUILD_FAILED = 8,  /* source was refused; the message holds the compiler's log */
  PATCHBAY_DRIVER_ERROR = 9,  /* any other failure that the driver reported */
  PATCHBAY_INTERNAL = 10,
  PATCHBAY_IO_FAILED = 11 /* a file can't be read or written */
};

/* patchbay_status_flags, bits */
enum {
  PATCHBAY_STATUS_RETRYABLE = 1,
  PATCHBAY_STATUS_DEVICE_LOST = 2 /* the device and all its streams are gone for good */
};

typedef struct patchbay_status_info {
  uint64_t size;
  int32_t code;
  uint32_t flags;
  int64_t native_code; /* the driver's own number, 0 if there is none */
  patchbay_string message;
  patchbay_string origin; /* the launch that failed, by its name; empty if that is not known */
} patchbay_status_info;

/* patchbay_log_level */
enum {
  PATCHBAY_LOG_ERROR = 1,
  PATCHBAY_LOG_WARNING = 2,
  PATCHBAY_LOG_INFO = 3,
  PATCHBAY_LOG_DEBUG = 4
};

/* patchbay_trace_phase */
enum { PATCHBAY_TRACE_BEGIN = 1, PATCHBAY_TRACE_END = 2, PATCHBAY_TRACE_INSTANT = 3 };

typedef struct patchbay_host_context patchbay_host_context;
typedef void (*patchbay_bytes_callback)(void* user, const void* data, uint64_t size_bytes);

typedef struct patchbay_host {
  uint64_t size;
  uint32_t abi_major;
  uint32_t abi_minor; /* the smaller of both sides' */
  uint64_t features;  /* the bits that both sides offer */
  patchbay_host_context* context;

  /* Never null: when there is no memory for a new object, the static out-of-memory status. */
  patchbay_status* (*make_status)(patchbay_host_context*, const patchbay_status_info*);
  void (*release_status)(patchbay_host_context*, patchbay_status*);
  /* The static status for 'no memory'; making it allocates nothing. */
  patchbay_status* out_of_memory;

  void (*log)(patchbay_host_context*, int32_t level, patchbay_string message);
  void (*trace)(patchbay_host_context*, int32_t phase, patchbay_string name);
  /* Monotonic nanoseconds; the clock of every deadline. */
  uint64_t (*now_ns)(patchbay_host_context*);

  /* A user's setting by lower-case name ("cpu_devices"), from the program, else PATCHBAY_<NAME>,
   * not with raised privileges: 1 and one call back if set. PATCHBAY_PLUGIN_SETTINGS has its name.
   */
  uint32_t (*option)(patchbay_host_context*, patchbay_string name, patchbay_bytes_callback,
                     void* user);

  /* Blobs that survive the process, such as compiled kernels. get: 1 and one call back if found.
   * put: best effort, atomic. Keys are at most 128 bytes of [A-Za-z0-9._-]. */
  uint32_t (*cache_get)(patchbay_host_context*, patchbay_string key, patchbay_bytes_callback,
                        void* user);
  void (*cache_put)(patchbay_host_context*, patchbay_string key, const void* data,
                    uint64_t size_bytes);

  /* Device memory from the core's allocator, for what a library keeps beyond one launch.
   * `device_index` is the plugin's own number. */
  patchbay_status* (*scratch_allocate)(patchbay_host_context*, uint32_t device_index,
                                       uint64_t size_bytes, patchbay_memory* memory);
  void (*scratch_release)(patchbay_host_context*, uint32_t device_index, patchbay_memory memory,
                          uint64_t size_bytes);

  /* The application's threads, if it lends them: how many share a job, the caller included, or 0.
   * parallel_for calls body(user, i) once for each i below n, on any threads, and returns when all
   * are done; also from several threads at once and from within a body. */
  uint32_t lent_threads;
  void (*parallel_for)(patchbay_host_context*, uint64_t n, void (*body)(void* user, uint64_t i),
                       void* user);
} patchbay_host;

#endif /* PATCHBAY_PLUGIN_HOST_H_ */
