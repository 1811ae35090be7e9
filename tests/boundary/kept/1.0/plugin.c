/* Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0 */
/* A plugin of version 1.0 that uses every entry, struct and note of that version: two devices in
 * host memory, whose work is done when the call returns. It is kept as it is, with the file that
 * was built from it (../../keep_plugin.sh). Every later 1.x must open that file and compile this
 * text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/extensions.h"

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

enum { kDevices = 2, kMemoryBytes = 1 << 24, kAlignmentBytes = 64, kMostRecorded = 16 };

/* "kept.counts", version 1: how often something was called. */
typedef struct kept_counts {
  uint64_t size;
  uint64_t copies, peer_copies, launches, callbacks, adoptions, replays, ranges_begun, ranges_ended,
      stops, scratch_bytes, cached, high_streams;
} kept_counts;
static kept_counts counts = {.size = sizeof(kept_counts)};
#define COUNT(what) __atomic_add_fetch(&counts.what, 1, __ATOMIC_RELAXED)

struct patchbay_driver {
  const patchbay_host* host;
  char greeting[32]; /* the setting kept_greeting */
};
struct patchbay_device {
  patchbay_driver* driver;
  uint32_t index;
  uint64_t context; /* of the application; 0 without */
  uint64_t used_bytes;
};
struct patchbay_event {
  patchbay_device* device;
  uint64_t at_ns;
};
struct patchbay_module {
  patchbay_device* device;
  float factor;
};
struct patchbay_kernel {
  patchbay_device* device;
  patchbay_status* (*run)(patchbay_kernel*, const patchbay_argument*, patchbay_memory workspace);
  uint64_t workspace_bytes;
  patchbay_memory scratch;
  double factor;
  int64_t shift;
};
typedef struct recorded_launch {
  patchbay_kernel* kernel;
  patchbay_argument arguments[4];
  patchbay_memory workspace;
} recorded_launch;
struct patchbay_stream {
  patchbay_device* device;
  patchbay_graph* graph; /* whose recording this stream is; null for others */
};
struct patchbay_graph {
  patchbay_stream stream;
  uint32_t num_launches;
  recorded_launch launches[kMostRecorded];
};

static patchbay_status* status(const patchbay_host* host, int32_t code, const char* message) {
  patchbay_status_info info = {.size = sizeof(info),
                               .code = code,
                               .native_code = 1000 + code,
                               .message = {message, strlen(message)}};
  return host->make_status(host->context, &info);
}
static const patchbay_host* host_of(const patchbay_device* device) { return device->driver->host; }
static char* address(patchbay_memory memory) { return (char*)memory.base + memory.offset_bytes; }
static int is(patchbay_string text, const char* expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

/* Memory. A block begins with its size. */
static patchbay_status* allocate(patchbay_device* device, uint32_t kind, uint64_t size_bytes,
                                 uint64_t alignment_bytes, patchbay_memory* memory) {
  char* block = NULL;
  if (kind < PATCHBAY_MEMORY_DEVICE || kind > PATCHBAY_MEMORY_UNIFIED ||
      alignment_bytes > kAlignmentBytes) {
    return status(host_of(device), PATCHBAY_INVALID_ARGUMENT, "unknown kind or alignment");
  }
  if (__atomic_add_fetch(&device->used_bytes, size_bytes, __ATOMIC_RELAXED) <= kMemoryBytes) {
    const uint64_t units = 1 + (size_bytes + kAlignmentBytes - 1) / kAlignmentBytes;
    block = aligned_alloc(kAlignmentBytes, units * kAlignmentBytes);
  }
  if (block == NULL) {
    __atomic_sub_fetch(&device->used_bytes, size_bytes, __ATOMIC_RELAXED);
    return status(host_of(device), PATCHBAY_OUT_OF_MEMORY, "no room");
  }
  memcpy(block, &size_bytes, sizeof(size_bytes));
  /* The offset counts, too. */
  memory->base = block;
  memory->offset_bytes = kAlignmentBytes;
  return NULL;
}
static void release(patchbay_device* device, uint32_t kind, patchbay_memory memory) {
  uint64_t size_bytes = 0;
  (void)kind;
  memcpy(&size_bytes, memory.base, sizeof(size_bytes));
  __atomic_sub_fetch(&device->used_bytes, size_bytes, __ATOMIC_RELAXED);
  free(memory.base);
}
static patchbay_status* info(patchbay_device* device, uint64_t* free_bytes, uint64_t* total_bytes) {
  *total_bytes = kMemoryBytes;
  *free_bytes = kMemoryBytes - __atomic_load_n(&device->used_bytes, __ATOMIC_RELAXED);
  return NULL;
}
static patchbay_status* copy_to_device(patchbay_stream* stream, patchbay_memory to,
                                       const void* from, uint64_t size_bytes) {
  (void)stream;
  COUNT(copies);
  memmove(address(to), from, size_bytes);
  return NULL;
}
static patchbay_status* copy_to_host(patchbay_stream* stream, void* to, patchbay_memory from,
                                     uint64_t size_bytes) {
  (void)stream;
  COUNT(copies);
  memmove(to, address(from), size_bytes);
  return NULL;
}
static patchbay_status* copy_on_device(patchbay_stream* stream, patchbay_memory to,
                                       patchbay_memory from, uint64_t size_bytes) {
  return copy_to_device(stream, to, address(from), size_bytes);
}
static patchbay_status* copy_to_peer(patchbay_stream* stream, patchbay_device* to_device,
                                     patchbay_memory to, patchbay_memory from,
                                     uint64_t size_bytes) {
  if (to_device == stream->device) {
    return status(host_of(to_device), PATCHBAY_INVALID_ARGUMENT, "no peer");
  }
  COUNT(peer_copies);
  memmove(address(to), address(from), size_bytes);
  return NULL;
}
static uint32_t can_access_peer(patchbay_device* from, patchbay_device* to) { return from != to; }
static patchbay_status* wrap_memory(patchbay_device* device, uint64_t native_handle,
                                    uint64_t size_bytes, patchbay_memory* memory) {
  (void)device, (void)size_bytes;
  memory->base = (void*)(uintptr_t)native_handle;
  memory->offset_bytes = 0;
  return NULL;
}
static const patchbay_memory_table kMemory = {.size = sizeof(patchbay_memory_table),
                                              .allocate = allocate,
                                              .release = release,
                                              .info = info,
                                              .copy_to_device = copy_to_device,
                                              .copy_to_host = copy_to_host,
                                              .copy_on_device = copy_on_device,
                                              .copy_to_peer = copy_to_peer,
                                              .can_access_peer = can_access_peer,
                                              .wrap = wrap_memory};

/* Streams and events: there is never anything to wait for. */
static patchbay_status* create_stream(patchbay_device* device, uint32_t flags,
                                      patchbay_stream** stream) {
  const uint32_t known =
      PATCHBAY_STREAM_DEFAULT | PATCHBAY_STREAM_TIMES | PATCHBAY_STREAM_LOW | PATCHBAY_STREAM_HIGH;
  if ((flags & ~known) != 0) {
    return status(host_of(device), PATCHBAY_INVALID_ARGUMENT, "unknown flags");
  }
  *stream = calloc(1, sizeof(**stream));
  if (*stream == NULL) return host_of(device)->out_of_memory;
  (*stream)->device = device;
  if ((flags & PATCHBAY_STREAM_HIGH) != 0) COUNT(high_streams);
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
static patchbay_status* add_callback(patchbay_stream* stream,
                                     void (*call)(void* user, patchbay_status*), void* user) {
  (void)stream;
  COUNT(callbacks);
  call(user, NULL);
  return NULL;
}
static patchbay_status* wrap_stream(patchbay_device* device, uint64_t native_handle,
                                    patchbay_stream** stream) {
  if (native_handle != 77) {
    return status(host_of(device), PATCHBAY_INVALID_ARGUMENT, "no stream of mine");
  }
  return create_stream(device, 0, stream);
}
static const patchbay_stream_table kStream = {.size = sizeof(patchbay_stream_table),
                                              .create = create_stream,
                                              .destroy = destroy_stream,
                                              .flush = flush,
                                              .synchronize = synchronize,
                                              .wait_event = wait_event,
                                              .add_callback = add_callback,
                                              .wrap = wrap_stream};

static patchbay_status* create_event(patchbay_device* device, uint32_t flags,
                                     patchbay_event** event) {
  (void)flags;
  *event = calloc(1, sizeof(**event));
  if (*event == NULL) return host_of(device)->out_of_memory;
  (*event)->device = device;
  return NULL;
}
static void destroy_event(patchbay_event* event) { free(event); }
static patchbay_status* record(patchbay_event* event, patchbay_stream* stream) {
  const patchbay_host* host = host_of(event->device);
  (void)stream;
  __atomic_store_n(&event->at_ns, host->now_ns(host->context), __ATOMIC_RELAXED);
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
static patchbay_status* elapsed(patchbay_event* from, patchbay_event* to, uint64_t* nanoseconds) {
  *nanoseconds = to->at_ns - from->at_ns;
  return NULL;
}
static const patchbay_event_table kEvent = {.size = sizeof(patchbay_event_table),
                                            .create = create_event,
                                            .destroy = destroy_event,
                                            .record = record,
                                            .query = query,
                                            .wait = wait,
                                            .elapsed = elapsed};

/* Kernels. All tensors are of f32; those of one launch have one shape. */
static float* at(const patchbay_argument* argument, const int64_t* index) {
  float* element = (float*)(void*)address(argument->value.memory);
  for (uint32_t dim = 0; dim < argument->rank; ++dim) {
    element += index[dim] * argument->strides[dim];
  }
  return element;
}
/* Steps to the next index; 0 at the end. */
static int next(const patchbay_argument* argument, int64_t* index) {
  for (uint32_t dim = argument->rank; dim-- > 0;) {
    if (++index[dim] < argument->shape[dim]) return 1;
    index[dim] = 0;
  }
  return 0;
}
static patchbay_status* run_fill(patchbay_kernel* kernel, const patchbay_argument* arguments,
                                 patchbay_memory workspace) {
  int64_t index[PATCHBAY_MAX_RANK] = {0};
  float value = 0;
  (void)kernel, (void)workspace;
  memcpy(&value, &arguments[1].value.bits, sizeof(value));
  do *at(&arguments[0], index) = value;
  while (next(&arguments[0], index));
  return NULL;
}
static patchbay_status* run_add(patchbay_kernel* kernel, const patchbay_argument* arguments,
                                patchbay_memory workspace) {
  int64_t index[PATCHBAY_MAX_RANK] = {0};
  (void)kernel, (void)workspace;
  do *at(&arguments[0], index) = *at(&arguments[1], index) + *at(&arguments[2], index);
  while (next(&arguments[0], index));
  return NULL;
}

/* kept.scale.1(out, a, bytes), attributes factor, shift and mode: factor a + shift, by way of the
 * workspace, on the application's threads if it lends some. */
typedef struct scaling {
  const patchbay_kernel* kernel;
  const float* from;
  float* to;
} scaling;
static void scale_one(void* user, uint64_t i) {
  const scaling* const job = user;
  job->to[i] = (float)(job->kernel->factor * job->from[i] + (double)job->kernel->shift);
}
static patchbay_status* run_scale(patchbay_kernel* kernel, const patchbay_argument* arguments,
                                  patchbay_memory workspace) {
  const patchbay_host* const host = host_of(kernel->device);
  const uint64_t n = (uint64_t)arguments[0].shape[0];
  scaling job = {kernel, (const float*)(const void*)address(arguments[1].value.memory),
                 (float*)(void*)address(workspace)};
  if (arguments[2].kind != PATCHBAY_BYTES || !is(arguments[2].value.bytes, "exactly") ||
      n * sizeof(float) > kernel->workspace_bytes || arguments[0].strides[0] != 1) {
    return status(host, PATCHBAY_INVALID_ARGUMENT, "kept.scale.1: other arguments");
  }
  if (host->lent_threads > 0) {
    host->parallel_for(host->context, n, scale_one, &job);
  } else {
    for (uint64_t i = 0; i < n; ++i) scale_one(&job, i);
  }
  memcpy(address(arguments[0].value.memory), job.to, n * sizeof(float));
  return NULL;
}

static int are_floats(const patchbay_kernel_spec* spec, uint32_t num_tensors) {
  for (uint32_t i = 0; i < num_tensors; ++i) {
    const patchbay_argument_spec* const one = &spec->arguments[i];
    if (one->kind != PATCHBAY_TENSOR || one->dtype != PATCHBAY_F32) return 0;
    if (((one->access & PATCHBAY_WRITE) != 0) != (i == 0)) return 0;
  }
  return 1;
}
static const patchbay_attribute* attribute(const patchbay_kernel_spec* spec, const char* name,
                                           uint8_t type) {
  for (uint32_t i = 0; i < spec->num_attributes; ++i) {
    if (is(spec->attributes[i].name, name) && spec->attributes[i].type == type) {
      return &spec->attributes[i];
    }
  }
  return NULL;
}
static void note_cached(void* user, const void* data, uint64_t size_bytes) {
  if (size_bytes == 4 && memcmp(data, "kept", 4) == 0) *(int*)user = 1;
}
static patchbay_status* prepare_scale(const patchbay_kernel_spec* spec, patchbay_kernel* kernel) {
  const patchbay_host* const host = host_of(kernel->device);
  const patchbay_attribute* const factor = attribute(spec, "factor", PATCHBAY_ATTRIBUTE_F64);
  const patchbay_attribute* const shift = attribute(spec, "shift", PATCHBAY_ATTRIBUTE_I64);
  const patchbay_attribute* const mode = attribute(spec, "mode", PATCHBAY_ATTRIBUTE_STRING);
  const patchbay_string key = TEXT("kept.scale.1");
  int is_cached = 0;
  patchbay_status* failure;
  if (spec->num_arguments != 3 || !are_floats(spec, 2) || factor == NULL || shift == NULL ||
      mode == NULL || !is(mode->value.string, "exact")) {
    return status(host, PATCHBAY_UNSUPPORTED, "kept.scale.1: another spec");
  }
  kernel->run = run_scale;
  kernel->factor = factor->value.f64;
  kernel->shift = shift->value.i64;
  kernel->workspace_bytes = 4096 < spec->workspace_limit_bytes ? 4096 : spec->workspace_limit_bytes;
  if (host->cache_get(host->context, key, note_cached, &is_cached) && is_cached) COUNT(cached);
  host->cache_put(host->context, key, "kept", 4);
  failure = host->scratch_allocate(host->context, kernel->device->index, 256, &kernel->scratch);
  if (failure == NULL) __atomic_add_fetch(&counts.scratch_bytes, 256, __ATOMIC_RELAXED);
  return failure;
}

static patchbay_status* prepare(patchbay_device* device, const patchbay_kernel_spec* spec,
                                patchbay_kernel** kernel) {
  const patchbay_host* const host = host_of(device);
  patchbay_status* failure = NULL;
  *kernel = calloc(1, sizeof(**kernel));
  if (*kernel == NULL) return host->out_of_memory;
  (*kernel)->device = device;
  if (is(spec->op, "fill.1") && are_floats(spec, 1) && spec->arguments[1].kind == PATCHBAY_SCALAR &&
      spec->arguments[1].dtype == PATCHBAY_F32) {
    (*kernel)->run = run_fill;
  } else if (is(spec->op, "add.1") && are_floats(spec, 3)) {
    (*kernel)->run = run_add;
  } else if (is(spec->op, "kept.scale.1")) {
    failure = prepare_scale(spec, *kernel);
  } else {
    failure = status(host, PATCHBAY_UNSUPPORTED, "the kernels are fill.1, add.1 and kept.scale.1");
  }
  if (failure != NULL) free(*kernel);
  return failure;
}
static void destroy_kernel(patchbay_kernel* kernel) {
  const patchbay_host* const host = host_of(kernel->device);
  if (kernel->scratch.base != NULL) {
    host->scratch_release(host->context, kernel->device->index, kernel->scratch, 256);
  }
  free(kernel);
}
static uint64_t workspace_bytes(patchbay_kernel* kernel) { return kernel->workspace_bytes; }
static patchbay_status* launch(patchbay_stream* stream, patchbay_kernel* kernel,
                               const patchbay_argument* arguments, uint32_t num_arguments,
                               patchbay_memory workspace, patchbay_string name) {
  const patchbay_host* const host = host_of(kernel->device);
  patchbay_graph* const graph = stream->graph;
  patchbay_status* failure;
  if (graph != NULL) { /* Only recorded. */
    recorded_launch* const one = &graph->launches[graph->num_launches];
    if (graph->num_launches == kMostRecorded || num_arguments > 4) {
      return status(host, PATCHBAY_UNSUPPORTED, "no room in the graph");
    }
    one->kernel = kernel;
    one->workspace = workspace;
    memcpy(one->arguments, arguments, num_arguments * sizeof(*arguments));
    ++graph->num_launches;
    return NULL;
  }
  COUNT(launches);
  host->trace(host->context, PATCHBAY_TRACE_BEGIN, name);
  failure = kernel->run(kernel, arguments, workspace);
  host->trace(host->context, PATCHBAY_TRACE_END, name);
  return failure;
}

/* Modules. There is no compiler: a text tells its factor as "times 3". */
static patchbay_status* load_module(patchbay_device* device, patchbay_string format,
                                    patchbay_string code, patchbay_string options,
                                    patchbay_module** module) {
  const patchbay_host* const host = host_of(device);
  const char key[] = "times ";
  uint64_t at_byte = 0;
  (void)options;
  if (!is(format, PATCHBAY_FORMAT_DIALECT)) {
    return status(host, PATCHBAY_UNSUPPORTED, "the format is " PATCHBAY_FORMAT_DIALECT);
  }
  while (at_byte + sizeof(key) <= code.size &&
         memcmp(code.data + at_byte, key, sizeof(key) - 1) != 0) {
    ++at_byte;
  }
  if (at_byte + sizeof(key) > code.size) {
    return status(host, PATCHBAY_BUILD_FAILED, "1:1: expected a factor");
  }
  *module = calloc(1, sizeof(**module));
  if (*module == NULL) return host->out_of_memory;
  (*module)->device = device;
  (*module)->factor = (float)(code.data[at_byte + sizeof(key) - 1] - '0');
  return NULL;
}
static void unload_module(patchbay_module* module) { free(module); }
static patchbay_status* module_kernel(patchbay_module* module, patchbay_string name,
                                      const patchbay_argument_spec* arguments,
                                      uint32_t num_arguments, patchbay_kernel** kernel) {
  const patchbay_host* const host = host_of(module->device);
  if (!is(name, "multiply") || num_arguments != 1 || arguments[0].kind != PATCHBAY_TENSOR ||
      arguments[0].dtype != PATCHBAY_F32) {
    return status(host, PATCHBAY_INVALID_ARGUMENT, "the kernel is multiply(f32)");
  }
  *kernel = calloc(1, sizeof(**kernel));
  if (*kernel == NULL) return host->out_of_memory;
  (*kernel)->device = module->device;
  (*kernel)->factor = module->factor;
  return NULL;
}
static patchbay_status* launch_grid(patchbay_stream* stream, patchbay_kernel* kernel,
                                    const uint32_t groups[3], const uint32_t group_size[3],
                                    uint32_t shared_bytes, const patchbay_argument* arguments,
                                    uint32_t num_arguments, patchbay_string name) {
  float* const data = (float*)(void*)address(arguments[0].value.memory);
  (void)stream, (void)num_arguments, (void)name;
  if (shared_bytes != 0 || groups[1] != 1 || groups[2] != 1 || group_size[1] != 1) {
    return status(host_of(kernel->device), PATCHBAY_INVALID_ARGUMENT, "one axis, nothing shared");
  }
  COUNT(launches);
  for (uint32_t i = 0; i < groups[0] * group_size[0]; ++i) data[i] *= (float)kernel->factor;
  return NULL;
}
static const patchbay_kernel_table kKernel = {.size = sizeof(patchbay_kernel_table),
                                              .prepare = prepare,
                                              .destroy = destroy_kernel,
                                              .workspace_bytes = workspace_bytes,
                                              .launch = launch,
                                              .load_module = load_module,
                                              .unload_module = unload_module,
                                              .module_kernel = module_kernel,
                                              .launch_grid = launch_grid};

/* The plugin */
static void keep_greeting(void* user, const void* data, uint64_t size_bytes) {
  patchbay_driver* const driver = user;
  if (size_bytes < sizeof(driver->greeting)) memcpy(driver->greeting, data, size_bytes);
}
static patchbay_status* open_driver(const patchbay_host* host, patchbay_driver** driver) {
  const patchbay_string setting = TEXT("kept_greeting"), line = TEXT("the kept driver is open");
  if (host->abi_major != 1 || host->size < sizeof(patchbay_host)) {
    return status(host, PATCHBAY_INTERNAL, "a host of another version");
  }
  if ((host->features >> PATCHBAY_FEATURE_FORK & 1) == 0) {
    return status(host, PATCHBAY_INTERNAL, "no feature 'fork'");
  }
  *driver = calloc(1, sizeof(**driver));
  if (*driver == NULL) return host->out_of_memory;
  (*driver)->host = host;
  host->option(host->context, setting, keep_greeting, *driver);
  host->log(host->context, PATCHBAY_LOG_INFO, line);
  return NULL;
}
static void close_driver(patchbay_driver* driver) { free(driver); }

static patchbay_status* enumerate(patchbay_driver* driver,
                                  void (*found)(void*, const patchbay_device_properties*),
                                  void* user) {
  for (uint32_t index = 0; index < kDevices; ++index) {
    char pci_address[16];
    const int pci_size = snprintf(pci_address, sizeof(pci_address), "0000:17:%02x.0", index);
    const patchbay_device_properties properties = {
        .size = sizeof(properties),
        .index = index,
        .kind = PATCHBAY_DEVICE_ACCELERATOR,
        .name = {driver->greeting, strlen(driver->greeting)},
        .vendor = TEXT("Patchbay"),
        .driver_version = TEXT("1.0"),
        .pci_address = {pci_address, (uint64_t)pci_size},
        .uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, (uint8_t)(16 + index)},
        .capabilities = PATCHBAY_CAN_F64 | PATCHBAY_CAN_F16 | PATCHBAY_CAN_BF16 |
                        PATCHBAY_CAN_PEER_ACCESS | PATCHBAY_CAN_UNIFIED_MEMORY |
                        PATCHBAY_CAN_MODULES | PATCHBAY_CAN_ADDRESS |
                        PATCHBAY_PAGEABLE_COPIES_BLOCK | PATCHBAY_CAN_STREAM_PRIORITY |
                        (index == 0 ? PATCHBAY_CAN_INLINE_STREAM : 0),
        .host_addressable_kinds = 1u << PATCHBAY_MEMORY_PINNED | 1u << PATCHBAY_MEMORY_UNIFIED,
        .memory_total_bytes = kMemoryBytes,
        .memory_free_bytes = kMemoryBytes,
        .memory_alignment_bytes = kAlignmentBytes,
        .compute_units = 3,
        .preferred_vector_bytes = 16,
        .sub_group_width = 32,
        .max_group_size = 256,
        .dlpack_device_type = 12, /* kDLExtDev */
        .dlpack_device_id = (int32_t)index,
        .architecture = TEXT("kept_10"),
        .l2_cache_bytes = 4096,
        .shared_memory_bytes = 1024,
        .clock_khz = 1000,
        .memory_clock_khz = 2000};
    found(user, &properties);
  }
  return NULL;
}
static patchbay_status* open_device_in(patchbay_driver* driver, uint32_t index, uint64_t context,
                                       patchbay_device** device) {
  *device = calloc(1, sizeof(**device));
  if (*device == NULL) return driver->host->out_of_memory;
  (*device)->driver = driver;
  (*device)->index = index;
  (*device)->context = context;
  if (context != 0) COUNT(adoptions);
  return NULL;
}
static patchbay_status* open_device(patchbay_driver* driver, uint32_t index,
                                    patchbay_device** device) {
  return open_device_in(driver, index, 0, device);
}
static void close_device(patchbay_device* device) { free(device); }
static patchbay_status* native_handle(patchbay_device* device, uint32_t native_kind, void* object,
                                      uint64_t* handle) {
  switch (native_kind) {
    case PATCHBAY_NATIVE_DEVICE: *handle = 100 + device->index; return NULL;
    case PATCHBAY_NATIVE_CONTEXT: *handle = device->context; return NULL;
    case PATCHBAY_NATIVE_STREAM:
    case PATCHBAY_NATIVE_EVENT:
    case PATCHBAY_NATIVE_MEMORY: *handle = (uint64_t)(uintptr_t)object; return NULL;
    default: return status(host_of(device), PATCHBAY_UNSUPPORTED, "no such handle");
  }
}

/* Extensions */
static patchbay_status* info_unopened(patchbay_driver* driver, uint32_t index, uint64_t* free_bytes,
                                      uint64_t* total_bytes) {
  (void)driver;
  *total_bytes = kMemoryBytes;
  *free_bytes = kMemoryBytes - 1024 * (index + 1);
  return NULL;
}
static void stop(patchbay_driver* driver, uint64_t deadline_ns) {
  (void)driver, (void)deadline_ns;
  COUNT(stops);
}
static patchbay_status* create_graph(patchbay_device* device, patchbay_graph** graph) {
  *graph = calloc(1, sizeof(**graph));
  if (*graph == NULL) return host_of(device)->out_of_memory;
  (*graph)->stream.device = device;
  (*graph)->stream.graph = *graph;
  return NULL;
}
static void destroy_graph(patchbay_graph* graph) { free(graph); }
static patchbay_status* begin_graph(patchbay_graph* graph, patchbay_stream** stream) {
  graph->num_launches = 0;
  *stream = &graph->stream;
  return NULL;
}
static patchbay_status* end_graph(patchbay_graph* graph) {
  (void)graph;
  return NULL;
}
static patchbay_status* replay(patchbay_graph* graph, patchbay_stream* stream,
                               patchbay_string name) {
  (void)stream, (void)name;
  COUNT(replays);
  for (uint32_t i = 0; i < graph->num_launches; ++i) {
    recorded_launch* const one = &graph->launches[i];
    patchbay_status* const failure = one->kernel->run(one->kernel, one->arguments, one->workspace);
    if (failure != NULL) return failure;
  }
  return NULL;
}
static void begin_range(patchbay_driver* driver, patchbay_string name) {
  (void)driver, (void)name;
  COUNT(ranges_begun);
}
static void end_range(patchbay_driver* driver) {
  (void)driver;
  COUNT(ranges_ended);
}
static const void* get_extension(patchbay_driver* driver, patchbay_string name, uint32_t version) {
  static const patchbay_adopt_context_table adopt_context = {sizeof(adopt_context), open_device_in};
  static const patchbay_memory_info_table memory_info = {sizeof(memory_info), info_unopened};
  static const patchbay_exit_table at_exit = {sizeof(at_exit), stop};
  static const patchbay_graph_table graph = {sizeof(graph), create_graph, destroy_graph,
                                             begin_graph,   end_graph,    replay};
  static const patchbay_ranges_table ranges = {sizeof(ranges), begin_range, end_range};
  (void)driver;
  if (version != 1) return NULL;
  if (is(name, PATCHBAY_EXTENSION_ADOPT_CONTEXT)) return &adopt_context;
  if (is(name, PATCHBAY_EXTENSION_MEMORY_INFO)) return &memory_info;
  if (is(name, PATCHBAY_EXTENSION_EXIT)) return &at_exit;
  if (is(name, PATCHBAY_EXTENSION_GRAPH)) return &graph;
  if (is(name, PATCHBAY_EXTENSION_RANGES)) return &ranges;
  return is(name, "kept.counts") ? &counts : NULL;
}
static const void* get_device_extension(patchbay_driver* driver, uint32_t index,
                                        patchbay_string name, uint32_t version) {
  static const uint64_t tables[kDevices][2] = {{16, 4711}, {16, 4712}};
  (void)driver;
  return is(name, "kept.device") && version == 1 ? tables[index] : NULL;
}
static patchbay_string feature_name(uint32_t bit) {
  const patchbay_string fork = TEXT("fork"), none = {NULL, 0};
  return bit == PATCHBAY_FEATURE_FORK ? fork : none;
}

static const patchbay_plugin kPlugin = {.size = sizeof(patchbay_plugin),
                                        .abi_major = PATCHBAY_ABI_MAJOR,
                                        .abi_minor = PATCHBAY_ABI_MINOR,
                                        .optional_features = UINT64_C(1) << PATCHBAY_FEATURE_FORK,
                                        .name = TEXT("kept"),
                                        .backend = TEXT("kept"),
                                        .version = TEXT("1.0"),
                                        .feature_name = feature_name,
                                        .open = open_driver,
                                        .close = close_driver,
                                        .get_extension = get_extension,
                                        .enumerate = enumerate,
                                        .open_device = open_device,
                                        .close_device = close_device,
                                        .native_handle = native_handle,
                                        .memory = &kMemory,
                                        .stream = &kStream,
                                        .event = &kEvent,
                                        .kernel = &kKernel,
                                        .get_device_extension = get_device_extension};

PATCHBAY_PLUGIN_NOTE("kept", "kept");
PATCHBAY_PLUGIN_SETTINGS("kept_greeting");
PATCHBAY_PLUGIN_REQUIRES(0, "the first version");
const patchbay_plugin* patchbay_plugin_v1(void) { return &kPlugin; }
