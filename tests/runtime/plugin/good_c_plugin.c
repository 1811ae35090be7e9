/* Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0 */
/* A whole plugin in plain C: one device in host memory, whose work is done when the call returns,
 * and one kernel, fill.1 for f32. */
#include <stdlib.h>
#include <string.h>

#include "patchbay/plugin/abi.h"

#ifndef PATCHBAY_C_PLUGIN_NAME
#define PATCHBAY_C_PLUGIN_NAME "plain-c"
#define PATCHBAY_C_PLUGIN_BACKEND "plainc"
#endif
#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

enum { kMemoryBytes = 1 << 20, kAlignmentBytes = 64 };

struct patchbay_driver {
  const patchbay_host* host;
};
struct patchbay_device {
  const patchbay_host* host;
  uint64_t used_bytes; /* the core calls from any thread */
};
struct patchbay_stream {
  patchbay_device* device;
};
struct patchbay_event {
  char unused;
};
struct patchbay_kernel {
  const patchbay_host* host;
};

static patchbay_status* status(const patchbay_host* host, int32_t code, const char* message) {
  patchbay_status_info info = {sizeof(info), code, 0, 0, {message, strlen(message)}, {0, 0}};
  return host->make_status(host->context, &info);
}

static char* address(patchbay_memory memory) { return (char*)memory.base + memory.offset_bytes; }

/* Memory. A block begins with its size. */
static patchbay_status* allocate(patchbay_device* device, uint32_t kind, uint64_t size_bytes,
                                 uint64_t alignment_bytes, patchbay_memory* memory) {
  char* block = NULL;
  (void)kind;
  if (alignment_bytes > kAlignmentBytes) {
    return status(device->host, PATCHBAY_INVALID_ARGUMENT, "alignment above 64 bytes");
  }
  if (__atomic_add_fetch(&device->used_bytes, size_bytes, __ATOMIC_RELAXED) <= kMemoryBytes) {
    /* A multiple of the alignment, with room for the size. */
    const uint64_t units = 1 + (size_bytes + kAlignmentBytes - 1) / kAlignmentBytes;
    block = aligned_alloc(kAlignmentBytes, units * kAlignmentBytes);
  }
  if (block == NULL) {
    __atomic_sub_fetch(&device->used_bytes, size_bytes, __ATOMIC_RELAXED);
    return status(device->host, PATCHBAY_OUT_OF_MEMORY, "no room");
  }
  memcpy(block, &size_bytes, sizeof(size_bytes));
  memory->base = block + kAlignmentBytes;
  memory->offset_bytes = 0;
  return NULL;
}
static void release(patchbay_device* device, uint32_t kind, patchbay_memory memory) {
  char* block = (char*)memory.base - kAlignmentBytes;
  uint64_t size_bytes = 0;
  (void)kind;
  memcpy(&size_bytes, block, sizeof(size_bytes));
  __atomic_sub_fetch(&device->used_bytes, size_bytes, __ATOMIC_RELAXED);
  free(block);
}
static patchbay_status* info(patchbay_device* device, uint64_t* free_bytes, uint64_t* total_bytes) {
  *total_bytes = kMemoryBytes;
  *free_bytes = kMemoryBytes - __atomic_load_n(&device->used_bytes, __ATOMIC_RELAXED);
  return NULL;
}
static patchbay_status* copy_to_device(patchbay_stream* stream, patchbay_memory to,
                                       const void* from, uint64_t size_bytes) {
  (void)stream;
  memmove(address(to), from, size_bytes);
  return NULL;
}
static patchbay_status* copy_to_host(patchbay_stream* stream, void* to, patchbay_memory from,
                                     uint64_t size_bytes) {
  (void)stream;
  memmove(to, address(from), size_bytes);
  return NULL;
}
static patchbay_status* copy_on_device(patchbay_stream* stream, patchbay_memory to,
                                       patchbay_memory from, uint64_t size_bytes) {
  return copy_to_device(stream, to, address(from), size_bytes);
}
static const patchbay_memory_table kMemory = {.size = sizeof(patchbay_memory_table),
                                              .allocate = allocate,
                                              .release = release,
                                              .info = info,
                                              .copy_to_device = copy_to_device,
                                              .copy_to_host = copy_to_host,
                                              .copy_on_device = copy_on_device};

/* Streams and events: there is never anything to wait for. */
static patchbay_status* create_stream(patchbay_device* device, uint32_t flags,
                                      patchbay_stream** stream) {
  if ((flags & ~(uint32_t)(PATCHBAY_STREAM_DEFAULT | PATCHBAY_STREAM_TIMES)) != 0) {
    return status(device->host, PATCHBAY_INVALID_ARGUMENT, "unknown flags");
  }
  *stream = malloc(sizeof(**stream));
  if (*stream == NULL) return device->host->out_of_memory;
  (*stream)->device = device;
  return NULL;
}
static void destroy_stream(patchbay_stream* stream) { free(stream); }
static patchbay_status* flush(patchbay_stream* stream) {
  (void)stream;
  return NULL;
}
static patchbay_status* synchronize(patchbay_stream* stream, uint64_t deadline_ns) {
  (void)stream, (void)deadline_ns;
  return NULL;
}
static patchbay_status* wait_event(patchbay_stream* stream, patchbay_event* event) {
  (void)stream, (void)event;
  return NULL;
}
static const patchbay_stream_table kStream = {.size = sizeof(patchbay_stream_table),
                                              .create = create_stream,
                                              .destroy = destroy_stream,
                                              .flush = flush,
                                              .synchronize = synchronize,
                                              .wait_event = wait_event};

static patchbay_status* create_event(patchbay_device* device, uint32_t flags,
                                     patchbay_event** event) {
  (void)flags;
  *event = malloc(sizeof(**event));
  return *event != NULL ? NULL : device->host->out_of_memory;
}
static void destroy_event(patchbay_event* event) { free(event); }
static patchbay_status* record(patchbay_event* event, patchbay_stream* stream) {
  (void)event, (void)stream;
  return NULL;
}
static patchbay_status* query(patchbay_event* event, uint32_t* done) {
  (void)event;
  *done = 1;
  return NULL;
}
static patchbay_status* wait(patchbay_event* event, uint64_t deadline_ns) {
  (void)event, (void)deadline_ns;
  return NULL;
}
static const patchbay_event_table kEvent = {.size = sizeof(patchbay_event_table),
                                            .create = create_event,
                                            .destroy = destroy_event,
                                            .record = record,
                                            .query = query,
                                            .wait = wait};

/* Kernels */
static int is(patchbay_string text, const char* expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}
static patchbay_status* prepare(patchbay_device* device, const patchbay_kernel_spec* spec,
                                patchbay_kernel** kernel) {
  if (!is(spec->op, "fill.1") || spec->num_arguments != 2 ||
      spec->arguments[0].kind != PATCHBAY_TENSOR || spec->arguments[0].dtype != PATCHBAY_F32 ||
      spec->arguments[1].kind != PATCHBAY_SCALAR || spec->arguments[1].dtype != PATCHBAY_F32) {
    return status(device->host, PATCHBAY_UNSUPPORTED, "the one kernel is fill.1 for f32");
  }
  *kernel = malloc(sizeof(**kernel));
  if (*kernel == NULL) return device->host->out_of_memory;
  (*kernel)->host = device->host;
  return NULL;
}
static void destroy_kernel(patchbay_kernel* kernel) { free(kernel); }
static uint64_t workspace_bytes(patchbay_kernel* kernel) {
  (void)kernel;
  return 0;
}
static void fill(const patchbay_argument* out, uint32_t dim, float* at, float value) {
  if (dim == out->rank) {
    *at = value;
    return;
  }
  for (int64_t i = 0; i < out->shape[dim]; ++i) {
    fill(out, dim + 1, at + i * out->strides[dim], value);
  }
}
static patchbay_status* launch(patchbay_stream* stream, patchbay_kernel* kernel,
                               const patchbay_argument* arguments, uint32_t num_arguments,
                               patchbay_memory workspace, patchbay_string name) {
  float value = 0;
  (void)stream, (void)workspace, (void)name;
  if (num_arguments != 2) {
    return status(kernel->host, PATCHBAY_INVALID_ARGUMENT, "fill.1 takes two arguments");
  }
  memcpy(&value, &arguments[1].value.bits, sizeof(value));
  fill(&arguments[0], 0, (float*)(void*)address(arguments[0].value.memory), value);
  return NULL;
}
static const patchbay_kernel_table kKernel = {.size = sizeof(patchbay_kernel_table),
                                              .prepare = prepare,
                                              .destroy = destroy_kernel,
                                              .workspace_bytes = workspace_bytes,
                                              .launch = launch};

/* The plugin */
static patchbay_status* open_driver(const patchbay_host* host, patchbay_driver** driver) {
  *driver = malloc(sizeof(**driver));
  if (*driver == NULL) return host->out_of_memory;
  (*driver)->host = host;
  return NULL;
}
static void close_driver(patchbay_driver* driver) { free(driver); }
static patchbay_status* enumerate(patchbay_driver* driver,
                                  void (*found)(void*, const patchbay_device_properties*),
                                  void* user) {
  const patchbay_device_properties properties = {
      .size = sizeof(properties),
      .kind = PATCHBAY_DEVICE_CPU,
      .name = TEXT("Plain C"),
      .vendor = TEXT("Patchbay"),
      .capabilities = PATCHBAY_CAN_INLINE_STREAM,
      .host_addressable_kinds = 1u << PATCHBAY_MEMORY_DEVICE | 1u << PATCHBAY_MEMORY_PINNED,
      .memory_total_bytes = kMemoryBytes,
      .memory_alignment_bytes = kAlignmentBytes,
      .compute_units = 1};
  (void)driver;
  found(user, &properties);
  return NULL;
}
static patchbay_status* open_device(patchbay_driver* driver, uint32_t index,
                                    patchbay_device** device) {
  (void)index;
  *device = calloc(1, sizeof(**device));
  if (*device == NULL) return driver->host->out_of_memory;
  (*device)->host = driver->host;
  return NULL;
}
static void close_device(patchbay_device* device) { free(device); }

static const patchbay_plugin kPlugin = {.size = sizeof(patchbay_plugin),
                                        .abi_major = PATCHBAY_ABI_MAJOR,
                                        .abi_minor = PATCHBAY_ABI_MINOR,
                                        .name = TEXT(PATCHBAY_C_PLUGIN_NAME),
                                        .backend = TEXT(PATCHBAY_C_PLUGIN_BACKEND),
                                        .version = TEXT("0.1"),
                                        .open = open_driver,
                                        .close = close_driver,
                                        .enumerate = enumerate,
                                        .open_device = open_device,
                                        .close_device = close_device,
                                        .memory = &kMemory,
                                        .stream = &kStream,
                                        .event = &kEvent,
                                        .kernel = &kKernel};

PATCHBAY_PLUGIN_NOTE(PATCHBAY_C_PLUGIN_NAME, PATCHBAY_C_PLUGIN_BACKEND);
const patchbay_plugin* patchbay_plugin_v1(void) { return &kPlugin; }
