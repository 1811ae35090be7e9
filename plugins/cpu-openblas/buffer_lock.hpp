// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Makes the serial OpenBLAS safe for several threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_BUFFER_LOCK_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_BUFFER_LOCK_HPP_

namespace patchbay::cpu {

/// The serial build takes its packing buffers from a table that it searches without a lock
/// (0.3.21, when built without USE_LOCKING): two calls that start together may get one buffer, and
/// their results are wrong. The library calls its own allocator through its procedure linkage
/// table; this puts a lock around these two calls. False: no such calls were found, so calls of
/// the library must not overlap. The library is the process's, so calls are counted, and the last
/// removal puts back what was there: this plugin's code may be unmapped after it.
bool install_buffer_lock(void* library) noexcept;
void remove_buffer_lock(void* library) noexcept;

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_BUFFER_LOCK_HPP_
