// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The functions that a plugin provides to the core: five tables of entries over opaque objects.
 *
 * Each table starts with its size. Both sides use the smaller of the two sizes they know, so a
 * larger table is valid. A null entry is not implemented; (R) marks required entries. Unless stated
 * otherwise, any thread may call an entry, but calls on one stream, and open and close of one
 * device, never overlap. docs/plugin-abi.md maps the entries to the vendors' calls. */
#ifndef PATCHBAY_PLUGIN_TABLES_H_
#define PATCHBAY_PLUGIN_TABLES_H_

#include "patchbay/plugin/host.h"
#include "patchbay/plugin/properties.h"
#include "patchbay/plugin/types.h"

typedef struct patchbay_driver patchbay_driver; /* given to each runtime that loads the plugin */
typedef struct patchbay_device patchbay_device;
typedef struct patchbay_stream patchbay_stream;
typedef struct patchbay_event patchbay_event;
typedef struct patchbay_kernel patchbay_kernel;
typedef struct patchbay_module patchbay_module;

/* (R) all but copy_to_peer, can_access_peer and wrap. Copies are queued on the stream; the core
 * keeps host memory valid until the copy is done. The plugin never receives a copy of 0 bytes. */
typedef struct patchbay_memory_table {
  uint64_t size;
  patchbay_status* (*allocate)(patchbay_device*, uint32_t memory_kind, uint64_t size_bytes,
                               uint64_t alignment_bytes, patchbay_memory* memory);
  void (*release)(patchbay_device*, uint32_t memory_kind, patchbay_memory memory);
  patchbay_status* (*info)(patchbay_device*, uint64_t* free_bytes, uint64_t* total_bytes);
  patchbay_status* (*copy_to_device)(patchbay_stream*, patchbay_memory to, const void* from,
                                     uint64_t size_bytes);
  patchbay_status* (*copy_to_host)(patchbay_stream*, void* to, patchbay_memory from,
                                   uint64_t size_bytes);
  patchbay_status* (*copy_on_device)(patchbay_stream*, patchbay_memory to, patchbay_memory from,
                                     uint64_t size_bytes);
  /* Optional, with can_access_peer. `to` is memory of `to_device`, a device of the same plugin. */
  patchbay_status* (*copy_to_peer)(patchbay_stream*, patchbay_device* to_device, patchbay_memory to,
                                   patchbay_memory from, uint64_t size_bytes);
  uint32_t (*can_access_peer)(patchbay_device* from, patchbay_device* to);
  /* Optional: wraps memory that the application allocated. The plugin never frees it. */
  patchbay_status* (*wrap)(patchbay_device*, uint64_t native_handle, uint64_t size_bytes,
                           patchbay_memory* memory);
} patchbay_memory_table;

/* patchbay_stream_flags, bits */
enum {
  PATCHBAY_STREAM_DEFAULT = 1, /* the device's only default stream; only it may complete inline */
  PATCHBAY_STREAM_TIMES = 2,   /* events with times will be recorded on it */
  /* At most one of the two, and only for devices with PATCHBAY_CAN_STREAM_PRIORITY. If several
   * streams have work that could start, the work of the stream with higher priority starts. */
  PATCHBAY_STREAM_LOW = 4,
  PATCHBAY_STREAM_HIGH = 8
};

/* (R) all but add_callback and wrap. A stream runs its work in the order of submission. */
typedef struct patchbay_stream_table {
  uint64_t size;
  patchbay_status* (*create)(patchbay_device*, uint32_t flags, patchbay_stream** stream);
  /* Waits until all submitted work is done. */
  void (*destroy)(patchbay_stream*);
  patchbay_status* (*flush)(patchbay_stream*);
  /* Blocks until all work is done; PATCHBAY_TIMED_OUT at the deadline. May overlap submissions. */
  patchbay_status* (*synchronize)(patchbay_stream*, uint64_t deadline_ns);
  /* Later work on this stream waits for the event, which belongs to the same plugin. */
  patchbay_status* (*wait_event)(patchbay_stream*, patchbay_event*);
  /* Optional: calls `call` on any thread when all earlier work is done. The callee owns the status
   * of that work. Later work does not wait for the call. */
  patchbay_status* (*add_callback)(patchbay_stream*, void (*call)(void* user, patchbay_status*),
                                   void* user);
  patchbay_status* (*wrap)(patchbay_device*, uint64_t native_handle, patchbay_stream** stream);
} patchbay_stream_table;

/* patchbay_event_flags, bits */
enum { PATCHBAY_EVENT_TIMES = 1 /* for `elapsed`, on a stream with times */ };

/* (R) all but elapsed. An event is a position on a stream. An event that was never recorded is
 * done. An event may be destroyed while streams still wait for it. */
typedef struct patchbay_event_table {
  uint64_t size;
  patchbay_status* (*create)(patchbay_device*, uint32_t flags, patchbay_event** event);
  void (*destroy)(patchbay_event*);
  patchbay_status* (*record)(patchbay_event*, patchbay_stream*); /* also flushes the stream */
  patchbay_status* (*query)(patchbay_event*, uint32_t* done);
  patchbay_status* (*wait)(patchbay_event*, uint64_t deadline_ns);
  patchbay_status* (*elapsed)(patchbay_event* from, patchbay_event* to, uint64_t* nanoseconds);
} patchbay_event_table;

/* The format of a module in the portable dialect: the kernel text, to which the plugin prepends
 * plugin/kernels/dialect.h. */
#define PATCHBAY_FORMAT_DIALECT "patchbay-dialect/1"

/* (R) prepare, destroy, workspace_bytes, launch. */
typedef struct patchbay_kernel_table {
  uint64_t size;
  /* Returns PATCHBAY_UNSUPPORTED with the reason if the device does not have this kernel. */
  patchbay_status* (*prepare)(patchbay_device*, const patchbay_kernel_spec*, patchbay_kernel**);
  void (*destroy)(patchbay_kernel*);
  /* Constant: the core asks when it has prepared the kernel, and allocates as much each time. */
  uint64_t (*workspace_bytes)(patchbay_kernel*);
  /* Queues the kernel. The arguments match the spec; their values are read before the return. */
  patchbay_status* (*launch)(patchbay_stream*, patchbay_kernel*, const patchbay_argument*,
                             uint32_t num_arguments, patchbay_memory workspace,
                             patchbay_string name);
  /* Optional: users' kernels, from source or native code, launched with a grid. A kernel is
   * destroyed after its launches are done, and before its module. */
  patchbay_status* (*load_module)(patchbay_device*, patchbay_string format, patchbay_string code,
                                  patchbay_string options, patchbay_module**);
  void (*unload_module)(patchbay_module*);
  patchbay_status* (*module_kernel)(patchbay_module*, patchbay_string name,
                                    const patchbay_argument_spec*, uint32_t num_arguments,
                                    patchbay_kernel**);
  patchbay_status* (*launch_grid)(patchbay_stream*, patchbay_kernel*, const uint32_t groups[3],
                                  const uint32_t group_size[3], uint32_t shared_bytes,
                                  const patchbay_argument*, uint32_t num_arguments,
                                  patchbay_string name);
} patchbay_kernel_table;

/* patchbay_native_kind */
enum {
  PATCHBAY_NATIVE_DEVICE = 1,
  PATCHBAY_NATIVE_CONTEXT = 2,
  PATCHBAY_NATIVE_STREAM = 3, /* object: patchbay_stream* */
  PATCHBAY_NATIVE_MEMORY = 4, /* object: the memory's base */
  PATCHBAY_NATIVE_EVENT = 5   /* object: patchbay_event* */
};

/* The plugin itself. (R) identity, open, close, enumerate, open_device, close_device, tables. */
typedef struct patchbay_plugin {
  uint64_t size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint64_t required_features; /* bits that the host must know */
  uint64_t optional_features;
  patchbay_string name;    /* "cpu-..."; as in the note */
  patchbay_string backend; /* the device names' first part; as in the note */
  patchbay_string version; /* of the plugin, free form */
  patchbay_string (*feature_name)(uint32_t bit);

  /* Finds and initialises the driver. The host table stays valid until close. */
  patchbay_status* (*open)(const patchbay_host*, patchbay_driver**);
  void (*close)(patchbay_driver*);
  /* Optional. Returns null for an extension that the plugin does not have. */
  const void* (*get_extension)(patchbay_driver*, patchbay_string name, uint32_t version);

  /* Calls `found` for each device, index 0 first. Creates no context or device memory. */
  patchbay_status* (*enumerate)(patchbay_driver*,
                                void (*found)(void* user, const patchbay_device_properties*),
                                void* user);
  patchbay_status* (*open_device)(patchbay_driver*, uint32_t index, patchbay_device**);
  void (*close_device)(patchbay_device*);
  /* Optional: the vendor's handle of an object; `object` is null for the device and the context. */
  patchbay_status* (*native_handle)(patchbay_device*, uint32_t native_kind, void* object,
                                    uint64_t* handle);

  const patchbay_memory_table* memory;
  const patchbay_stream_table* stream;
  const patchbay_event_table* event;
  const patchbay_kernel_table* kernel;

  /* Optional: a table for that device alone, open or not; null for none. Asked before
   * `get_extension`. */
  const void* (*get_device_extension)(patchbay_driver*, uint32_t index, patchbay_string name,
                                      uint32_t version);
} patchbay_plugin;

#endif /* PATCHBAY_PLUGIN_TABLES_H_ */
