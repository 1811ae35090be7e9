// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
/* The handshake: one exported symbol, and an ELF note that is read before any plugin code runs.
 *
 * A C plugin uses PATCHBAY_PLUGIN_NOTE once and defines `patchbay_plugin_v1`. In C++,
 * PATCHBAY_DEFINE_PLUGIN in plugin/kit/kit.hpp does both. */
#ifndef PATCHBAY_PLUGIN_ABI_H_
#define PATCHBAY_PLUGIN_ABI_H_

#include "patchbay/plugin/tables.h"

#define PATCHBAY_ABI_MAJOR 1
#define PATCHBAY_ABI_MINOR 2

#ifdef __cplusplus
#define PATCHBAY_EXTERN_C extern "C"
#else
#define PATCHBAY_EXTERN_C
#endif
#define PATCHBAY_PLUGIN_EXPORT PATCHBAY_EXTERN_C __attribute__((visibility("default")))

/* The only exported symbol. It has no side effects: no driver call, thread or allocation. */
PATCHBAY_PLUGIN_EXPORT const patchbay_plugin* patchbay_plugin_v1(void);
#define PATCHBAY_PLUGIN_SYMBOL "patchbay_plugin_v1"

/* Feature bits. A host refuses a plugin that requires a bit which the host does not know. The error
 * contains the name that the plugin's `feature_name` returns for the bit. Bit 0 is reserved. */
enum {
  /* `open` works in a forked child even if the parent has called it; otherwise the host does not
   * call it there. Objects of the parent are never used in the child. */
  PATCHBAY_FEATURE_FORK = 1
};
#define PATCHBAY_KNOWN_FEATURES (UINT64_C(1) << PATCHBAY_FEATURE_FORK)

#define PATCHBAY_NOTE_OWNER "patchbay"
#define PATCHBAY_NOTE_TYPE 1u
#define PATCHBAY_NOTE_SETTINGS 2u
#define PATCHBAY_NOTE_REQUIRES 3u

/* The note's content; names are padded with zeros. */
typedef struct patchbay_note {
  uint32_t owner_size, content_size, type;
  char owner[12]; /* 9 bytes and padding to 4 */
  uint32_t abi_major, abi_minor;
  char plugin[32];
  char backend[32];
  char kind[16]; /* "device" */
} patchbay_note;

/* What a plugin is for. The library opens no other kind. */
#define PATCHBAY_KIND_DEVICE "device"
#define PATCHBAY_KIND_COLLECTIVE "collective" /* since 1.2: plugin/collective.h */

#define PATCHBAY_PLUGIN_NOTE(plugin_name, backend_name) \
  PATCHBAY_PLUGIN_NOTE_OF_KIND(PATCHBAY_KIND_DEVICE, plugin_name, backend_name)
#define PATCHBAY_PLUGIN_NOTE_OF_KIND(kind_name, plugin_name, backend_name)        \
  __attribute__((used, section(".note.patchbay"),                                 \
                 aligned(4))) static const patchbay_note patchbay_plugin_note = { \
      sizeof(PATCHBAY_NOTE_OWNER),                                                \
      8 + 32 + 32 + 16,                                                           \
      PATCHBAY_NOTE_TYPE,                                                         \
      PATCHBAY_NOTE_OWNER,                                                        \
      PATCHBAY_ABI_MAJOR,                                                         \
      PATCHBAY_ABI_MINOR,                                                         \
      plugin_name,                                                                \
      backend_name,                                                               \
      kind_name}

/* Use this once, beside the note above. `names` lists the settings that the plugin reads, separated
 * by blanks. A misspelt setting of the plugin is then an error. Without the list, settings that
 * begin with the plugin's or the backend's name and '_' are not checked. */
#define PATCHBAY_PLUGIN_SETTINGS(names)                                                           \
  __attribute__((used, section(".note.patchbay"), aligned(4))) static const struct {              \
    uint32_t owner_size, content_size, type;                                                      \
    char owner[12];                                                                               \
    char content[(sizeof(names) + 3) / 4 * 4];                                                    \
  } patchbay_settings_note = {sizeof(PATCHBAY_NOTE_OWNER), sizeof(names), PATCHBAY_NOTE_SETTINGS, \
                              PATCHBAY_NOTE_OWNER, names}

/* Use this once if the plugin can't work with a library of an earlier minor version. Such a library
 * refuses the plugin before it opens the file, and says that it lacks `feature` ("graph/1"). The
 * message shows at most 60 bytes of it. Without this note, a plugin works with every library of its
 * major version, and finds the library's minor version in the host table. */
#define PATCHBAY_PLUGIN_REQUIRES(minor_version, feature)                             \
  __attribute__((used, section(".note.patchbay"), aligned(4))) static const struct { \
    uint32_t owner_size, content_size, type;                                         \
    char owner[12];                                                                  \
    uint32_t minor;                                                                  \
    char content[(sizeof(feature) + 3) / 4 * 4];                                     \
  } patchbay_requires_note = {                                                       \
      sizeof(PATCHBAY_NOTE_OWNER), 4 + sizeof(feature), PATCHBAY_NOTE_REQUIRES,      \
      PATCHBAY_NOTE_OWNER,         minor_version,       feature}

#endif /* PATCHBAY_PLUGIN_ABI_H_ */
