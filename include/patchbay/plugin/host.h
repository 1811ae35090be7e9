// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The functions that the core provides to a plugin: statuses, log, trace, clock, options, cache,
 * scratch memory. All may be called from any thread, from `open` until `close` returns. */
#ifndef PATCHBAY_PLUGIN_HOST_H_
#define PATCHBAY_PLUGIN_HOST_H_

#include "patchbay/plugin/types.h"

/* Null means success. Otherwise the host owns the memory, so a status may outlive the plugin. The
 * receiver of a status returns it to its caller or drops it with `release_status`. */
typedef struct patchbay_status patchbay_status;

/* patchbay_code */
enum {
  PATCHBAY_INVALID_ARGUMENT = 1,
  PATCHBAY_OUT_OF_MEMORY = 2,
  PATCHBAY_UNSUPPORTED = 3,   /* not possible on this plugin or device; the message says why */
  PATCHBAY_NO_DRIVER = 4,     /* from open: the vendor's driver is not installed */
  PATCHBAY_NO_DEVICE = 5,     /* from open: the driver works but finds no device */
  PATCHBAY_TIMED_OUT = 6,     /* a deadline passed; nothing is lost */
  PATCHBAY_LAUNCH_FAILED = 7, /* a submission failed, or an earlier one did */
  PATCHBAY_BUILD_FAILED = 8,  /* source does not compile; the message holds the compiler's log */
  PATCHBAY_DRIVER_ERROR = 9,  /* any other failure that the driver reported */
  PATCHBAY_INTERNAL = 10,
  PATCHBAY_IO_FAILED = 11 /* a file can't be read or written */
};

/* patchbay_status_flags, bits */
enum {
  PATCHBAY_STATUS_RETRYABLE = 1,
  PATCHBAY_STATUS_DEVICE_LOST = 2 /* the device and all its streams are lost permanently */
};

typedef struct patchbay_status_info {
  uint64_t size;
  int32_t code;
  uint32_t flags;
  int64_t native_code; /* the driver's own number, 0 if there is none */
  patchbay_string message;
  patchbay_string origin; /* the name of the launch that failed; empty if it is not known */
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

  /* Never returns null: if memory is exhausted, it returns `out_of_memory`. */
  patchbay_status* (*make_status)(patchbay_host_context*, const patchbay_status_info*);
  void (*release_status)(patchbay_host_context*, patchbay_status*);
  /* The static out-of-memory status, which needs no allocation. */
  patchbay_status* out_of_memory;

  void (*log)(patchbay_host_context*, int32_t level, patchbay_string message);
  void (*trace)(patchbay_host_context*, int32_t phase, patchbay_string name);
  /* Monotonic nanoseconds; the clock of every deadline. */
  uint64_t (*now_ns)(patchbay_host_context*);

  /* Reads a user's setting by its lower-case name ("cpu_devices"), which PATCHBAY_PLUGIN_SETTINGS
   * lists: the program's value, else, without raised privileges, the variable PATCHBAY_<NAME>,
   * unless it is empty. If it is set, passes the value to the callback and returns 1. */
  uint32_t (*option)(patchbay_host_context*, patchbay_string name, patchbay_bytes_callback,
                     void* user);

  /* A disk cache, e.g. for compiled kernels. cache_get passes the data to the callback and
   * returns 1 if it has the key. cache_put is atomic, best effort. Keys: <= 128 bytes of
   * [A-Za-z0-9._-]. */
  uint32_t (*cache_get)(patchbay_host_context*, patchbay_string key, patchbay_bytes_callback,
                        void* user);
  void (*cache_put)(patchbay_host_context*, patchbay_string key, const void* data,
                    uint64_t size_bytes);

  /* Device memory from the core's allocator, for libraries that keep memory between launches.
   * `device_index` is the plugin's index of the device. Refused to all threads while the host opens
   * the device, and to new memory while it closes it. `close_device` may release what is left. */
  patchbay_status* (*scratch_allocate)(patchbay_host_context*, uint32_t device_index,
                                       uint64_t size_bytes, patchbay_memory* memory);
  void (*scratch_release)(patchbay_host_context*, uint32_t device_index, patchbay_memory memory,
                          uint64_t size_bytes);

  /* The number of the application's threads that share a job, including the caller; 0 if the
   * application lends none. parallel_for calls body(user, i) once for each i below n, on any of
   * them, and returns when all calls are done. It may be called concurrently and from a body. */
  uint32_t lent_threads;
  void (*parallel_for)(patchbay_host_context*, uint64_t n, void (*body)(void* user, uint64_t i),
                       void* user);
} patchbay_host;

#endif /* PATCHBAY_PLUGIN_HOST_H_ */
