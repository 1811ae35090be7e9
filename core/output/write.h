// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Writing all of a text, also where the system takes it in pieces or refuses it.
#ifndef PATCHBAY_CORE_OUTPUT_WRITE_H_
#define PATCHBAY_CORE_OUTPUT_WRITE_H_

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace patchbay::output {

/// While it lives, what this thread writes beyond RLIMIT_FSIZE fails with EFBIG, and the thread
/// gets no SIGXFSZ, which would end the process. Keeps errno.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() noexcept;
  ~WithoutFileSizeSignal();
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t mask_before_;
  bool was_pending_;
};

/// Writes all bytes to an open file. False if that fails, with the reason in errno, and never by
/// SIGXFSZ.
bool write_all(int file, const void* from, std::size_t size_bytes) noexcept;
/// Writes all bytes from that place of the file on. The descriptor's own place stays; with O_APPEND
/// the bytes go to the end.
bool write_all_at(int file, const void* from, std::size_t size_bytes,
                  std::int64_t offset_bytes) noexcept;

}  // namespace patchbay::output

#endif  // PATCHBAY_CORE_OUTPUT_WRITE_H_
