// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_RUNTIME_H_
#define PATCHBAY_RUNTIME_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/export.h"
#include "patchbay/handle.h"
#include "patchbay/log.h"

namespace patchbay {

class Ledger;
namespace runtime {
struct RuntimeState;
}

enum class PluginStatus : std::uint8_t {
  kFound,  // not opened yet: no device of its backend was asked for, and devices were not listed
  kLoaded,
  kShadowed,    // another plugin of the same backend is loaded, or this is a second name of a file
  kFiltered,    // not among the plugins asked for
  kRefused,     // failed a check before it was opened
  kFailed,      // failed when or after it was opened
  kNoDriver,    // the vendor's driver is not on this machine
  kNoDevice,    // the driver sees no device
  kUnloaded,    // by Runtime::unload
  kQuarantined  // did harm in the probe, and was not opened here
};
PATCHBAY_API std::string_view to_string(PluginStatus status);

/// Whether plugins are opened in a process of their own first, where a crash, an exit or a hang
/// harms nobody else: docs/loading.md.
enum class ProbeMode : std::uint8_t {
  kOff,
  kOn,    // unless an earlier probe has judged the same plugin, driver and environment
  kAgain  // whatever earlier probes found
};

/// Where the judgement of a plugin comes from.
enum class ProbeOrigin : std::uint8_t {
  kNone,  // it was not probed
  kNew,   // this runtime has probed it
  kKept   // an earlier probe
};
PATCHBAY_API std::string_view to_string(ProbeOrigin origin);

/// One candidate file, and what became of it.
struct PluginInfo {
  std::filesystem::path path;  // as found; symlinks not resolved
  std::string name, backend, version;
  PluginStatus status = PluginStatus::kFailed;
  std::string reason;                // one line; for kLoaded a summary
  std::vector<std::string> devices;  // names; empty until it is loaded
  ProbeOrigin probe = ProbeOrigin::kNone;
  /// Settings of the process that opening the plugin changes ("umask"), as its probe saw.
  std::vector<std::string> changes;
  /// The minor version of the plugin boundary that it was built for; -1 until it is loaded.
  int abi_minor = -1;
};

/// The application's threads, lent to plugins that compute on the host.
struct ThreadPool {
  /// The number of threads that share a job, including the caller. 0: no threads are lent.
  int num_threads = 0;
  /// Calls body(i) once for each i in [0, n), on any threads, and returns when all are done. The
  /// library calls it from several threads at once, and from inside a body. Bodies do not throw and
  /// do not wait for each other. This function must not throw.
  std::function<void(std::size_t n, const std::function<void(std::size_t)>& body)> parallel_for;
};

struct RuntimeOptions {
  /// Plugin files, tried first, in this order. If one does not load, the constructor throws, unless
  /// only its driver or device is missing.
  std::vector<std::filesystem::path> plugin_files;
  /// Directories searched after them and before PATCHBAY_PLUGIN_PATH.
  std::vector<std::filesystem::path> plugin_directories;
  /// Directories in which plugins and their libraries are trusted whoever owns or can write them,
  /// such as those of an install that a group writes; not those within. None with raised
  /// privileges.
  std::vector<std::filesystem::path> trusted_directories;
  /// False: neither PATCHBAY_PLUGIN_PATH nor patchbay/plugins beside the library is searched.
  bool search_default_directories = true;
  /// Names of plugins to load. Empty: PATCHBAY_PLUGINS, else all. An unknown name is an Error.
  std::vector<std::string> plugins;
  /// Names of visible devices. Empty: PATCHBAY_VISIBLE_DEVICES, else all. Never renumbers.
  std::vector<std::string> visible_devices;
  /// Settings by lower-case name ("cpu_devices"). They override PATCHBAY_<NAME>. A setting that
  /// neither the library nor a plugin declares is an Error: docs/loading.md.
  std::map<std::string, std::string> settings;
  /// True: all devices take subnormal numbers, operands and results alike, for zeros where they can
  /// (docs/performance.md), in our threads and, during an operation, in the caller's. False:
  /// PATCHBAY_FLUSH_SUBNORMALS decides, else they are values like others.
  bool flush_subnormals = false;
  /// False: no variable PATCHBAY_* is read. Always so with raised privileges (AT_SECURE).
  bool read_environment = true;
  /// Empty: PATCHBAY_PROBE (0, 1, again), else kOff. An Error if the probe is not installed.
  std::optional<ProbeMode> probe;
  /// Receives log lines. Empty: they go where PATCHBAY_LOG says, else nowhere.
  LogSink log;
  /// If given, plugins use these threads to share work and start none. It must outlive the
  /// runtime's work. Errors of the constructor: kInvalidArgument for a number without a function,
  /// or a function without a number.
  ThreadPool thread_pool;
};

/// Called when an allocation of `size_bytes` on `device` fails. Free whatever you can.
using OutOfMemoryCallback = std::function<void(const Device& device, std::size_t size_bytes)>;

/// Plugins, devices and the ledger of their copies. A shared handle; devices and tensors keep the
/// runtime alive. Tensors of two runtimes do not mix. Thread-safe.
/// A plugin's driver is opened when a device of its backend is asked for, or when devices are
/// listed (devices, gpus, try_gpu, explain, calibrate). Files named in code are opened at creation.
class PATCHBAY_API Runtime {
 public:
  /// Errors: kPluginFailed for a file named in `plugin_files` that does not load;
  /// kInvalidArgument for a bad PATCHBAY_PLUGIN_PATH, which is quoted, and for unknown names.
  explicit Runtime(const RuntimeOptions& options);

  /// The default runtime, made at the first call. It lives until the process ends.
  static Runtime& get_default();
  /// Sets the options of the default runtime; replaces those of an earlier call. Errors: kInUse if
  /// the default runtime exists already.
  static void set_default_options(RuntimeOptions options);

  /// The device `backend[:index]` or `gpu[:i]`. Opens the backend's plugin if it is not open; if
  /// that fails or has no driver, the next file of the backend. Errors: as Device's constructor.
  Device device(std::string_view name) const;
  /// All visible devices, with backends in the order of loading. Opens all plugins.
  std::vector<Device> devices() const;
  /// All accelerators in a stable order, each physical card once. Opens all plugins.
  std::vector<Device> gpus() const;
  int num_gpus() const { return static_cast<int>(gpus().size()); }
  // What the functions of these names give for the default runtime.
  Device first_cpu() const;
  Device try_gpu(int i = 0) const;
  std::vector<Device> try_all_gpus() const;

  /// Every candidate file, in the order of the search. Opens none.
  std::vector<PluginInfo> plugins() const;
  /// The directories that were searched.
  std::vector<std::filesystem::path> plugin_directories() const;
  /// For each plugin and device that could exist: what was tried, and why it is not there. Several
  /// lines of text. Opens all plugins.
  std::string explain() const;

  /// Opens one more plugin, with the checks for RuntimeOptions::plugin_files. Existing devices are
  /// not affected. `settings` are for this plugin and override those of the runtime. A plugin
  /// without a driver or device gives a status (kNoDriver, kNoDevice) and no error. Errors:
  /// kPluginFailed if the plugin does not load, or if its backend is loaded already;
  /// kInvalidArgument for an unknown setting.
  PluginInfo load(const std::filesystem::path& file,
                  const std::map<std::string, std::string>& settings = {}) const;

  /// Closes a plugin's devices and its library. A plugin that is only found will not be opened.
  /// Files of the same backend that it shadowed are kFound again: the next use opens one of them.
  /// Waits for queued work, and up to 0.1 s for calls of other threads on these devices; calls that
  /// begin meanwhile wait. Errors: kInvalidArgument if there is no plugin of that name, and in a
  /// stream's callback; kInUse, which lists the holders; kInUse also if a call of another thread
  /// still runs, and in an out-of-memory function that the library has called.
  void unload(std::string_view plugin_name);

  /// Sets a function that is called, on the thread that allocates, when an allocation fails
  /// although the cache is trimmed; the allocation is then tried once more. An exception that the
  /// function throws leaves the allocating call. An allocation failure inside the function throws
  /// immediately. Empty: no function.
  void set_out_of_memory_callback(OutOfMemoryCallback callback) const;

  /// Starts a trace: a file for Perfetto or chrome://tracing, until stop_trace or the end of the
  /// runtime. docs/tracing.md. PATCHBAY_TRACE starts one with the runtime. Errors: kIo; kInUse if a
  /// trace is being written.
  void start_trace(const std::filesystem::path& file) const;
  /// Ends the trace and writes the rest of it. Errors: kIo if some of it could not be written.
  void stop_trace() const;

  /// The counts of the copies of this runtime's devices.
  Ledger& ledger() const;

  /// Measures the links of `device` to the host, to itself and to every other visible device, or
  /// all links of the runtime, with patchbay::calibrate. Blocks for about half a second for each
  /// link.
  void calibrate(const Device& device) const;
  void calibrate() const;

  friend bool operator==(const Runtime& a, const Runtime& b) { return a.state_ == b.state_; }

  explicit Runtime(std::shared_ptr<runtime::RuntimeState> state) : state_(std::move(state)) {}
  runtime::RuntimeState& state() const { return *state_; }

 private:
  runtime::ObjectHandle<runtime::RuntimeState, "Runtime"> state_;
};

}  // namespace patchbay

#endif  // PATCHBAY_RUNTIME_H_
