// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Which operators take the time: docs/profiling.md.
#ifndef PATCHBAY_PROFILE_H_
#define PATCHBAY_PROFILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/runtime.h"

namespace patchbay {

/// All launches of one name, or all copies between two places, on one device.
struct ProfileRow {
  std::string name;               // "add", the name of a fused function, "copy cpu:0 -> opencl:0"
  std::string device;             // whose stream ran it; "host" for copies that the host made
  std::uint64_t calls = 0;        // launches or copies
  std::uint64_t timed_calls = 0;  // those whose time is known
  double seconds = 0;             // on the stream, of the timed calls
  std::uint64_t bytes = 0;        // of copies, or read and written by launches
  double share = 0;               // of the seconds of all rows
};

/// Counts the launches and copies that any thread submits to a runtime's devices, and measures
/// their times on the streams, until `stop` or the end of the scope. Several profiles may run at
/// once, also beside a trace. The first submission to a stream that measures no times waits for the
/// stream's work. Thread-safe.
class PATCHBAY_API Profile {
 public:
  explicit Profile(const Runtime& runtime = Runtime::get_default());
  /// Does not wait for work.
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Ends the profile. Blocks until all work of the open devices is done, and ignores its failures.
  /// Errors: kDeviceLost in a forked process.
  void stop();
  /// The rows so far, those that took longest first. Times of work that has not ended are missing.
  /// Errors: kDeviceLost in a forked process.
  std::vector<ProfileRow> rows() const;
  /// The rows as lines of text, which also name the devices of calls without a time.
  std::string table() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay

#endif  // PATCHBAY_PROFILE_H_
