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
#include "patchbay/log.h"

namespace patchbay {

class Ledger;
namespace runtime {
struct RuntimeState;
}

enum class PluginStatus : std::uint8_t {
  kFound,  // not opened yet: no device of it was asked for, and none were listed
  kLoaded,
  kShadowed,  // another plugin of the same backend came first
  kFiltered,  // not among the plugins asked for
  kRefused,   // found wanting before it was opened
  kFailed,    // found wanting after
  kNoDriver,  // the vendor's driver is not on this machine
  kNoDevice,  // the driver sees no device
  kUnloaded   // by Runtime::unload
};
PATCHBAY_API std::string_view to_string(PluginStatus status);

/// What became of one candidate file.
struct PluginInfo {
  std::filesystem::path path;  // as found; symlinks not resolved
  std::string name, backend, version;
  PluginStatus status = PluginStatus::kFailed;
  std::string reason;                // one line; for kLoaded what was found
  std::vector<std::string> devices;  // names; empty until it is loaded
};

/// The application's threads, lent to plugins that compute on the host.
struct ThreadPool {
  /// How many share a job, the caller included; 0: none are lent.
  int num_threads = 0;
  /// Calls body(i) once for each i in [0, n), on any threads, and returns when all are done. Called
  /// from several threads at once, and from within a body. The bodies do not throw, and must not
  /// wait for each other; this must not throw either.
  std::function<void(std::size_t n, const std::function<void(std::size_t)>& body)> parallel_for;
};

struct RuntimeOptions {
  /// Plugin files, tried first, in this order. One that does not load is an Error of creation,
  /// unless its driver or device is absent.
  std::vector<std::filesystem::path> plugin_files;
  /// Directories searched after them and before PATCHBAY_PLUGIN_PATH.
  std::vector<std::filesystem::path> plugin_directories;
  /// False: neither PATCHBAY_PLUGIN_PATH nor patchbay/plugins beside the library is searched.
  bool search_default_directories = true;
  /// Names of plugins to load; empty: PATCHBAY_PLUGINS, else all. One that is nowhere is an Error.
  std::vector<std::string> plugins;
  /// Names of devices to show; empty: PATCHBAY_VISIBLE_DEVICES, else all. Never renumbers.
  std::vector<std::string> visible_devices;
  /// Settings by lower-case name ("cpu_devices"); before PATCHBAY_<NAME>. One that neither the
  /// library nor a plugin found has is an Error: docs/loading.md.
  std::map<std::string, std::string> settings;
  /// False: no environment variable is read. Always so with raised privileges (AT_SECURE).
  bool read_environment = true;
  /// Receives log lines; empty: PATCHBAY_LOG, else nothing.
  LogSink log;
  /// Where given, plugins start no threads to share work among; it must outlive the runtime's work.
  /// Errors of creation: kInvalidArgument for a number without a function or the reverse.
  ThreadPool thread_pool;
};

/// Frees what it can of the device, of which so many bytes are wanted and not there.
using OutOfMemoryCallback = std::function<void(const Device& device, std::size_t size_bytes)>;

/// Plugins, devices and the ledger of their copies. A handle: copies share one runtime, and
/// devices and tensors keep it alive. Tensors of two runtimes do not mix. Thread-safe.
/// A plugin's driver is opened when a device of its backend is asked for, or when devices are
/// listed (devices, gpus, try_gpu, explain, calibrate). Files named in code are opened at creation.
class PATCHBAY_API Runtime {
 public:
  /// Errors: kPluginFailed for a file named in `plugin_files` that does not load;
  /// kInvalidArgument for a bad PATCHBAY_PLUGIN_PATH, which is quoted, and for unknown names.
  explicit Runtime(const RuntimeOptions& options);

  /// The process's own, made at the first call. Lives until the process ends.
  static Runtime& get_default();
  /// The options with which the default runtime is made; replaces those of an earlier call. Call it
  /// before anything uses that runtime. Errors: kInUse if it is there already.
  static void set_default_options(RuntimeOptions options);

  /// `backend[:index]` or `gpu[:i]`. Opens the backend's plugin if it is not open; if that fails or
  /// has no driver, the next file of the backend. Errors as Device's constructor.
  Device device(std::string_view name) const;
  /// All visible devices, backends in the order of loading.
  std::vector<Device> devices() const;
  /// Accelerators in a stable order, each physical card once.
  std::vector<Device> gpus() const;
  int num_gpus() const { return static_cast<int>(gpus().size()); }
  Device try_gpu(int i = 0) const;
  std::vector<Device> try_all_gpus() const;

  /// Every candidate file, in the order of the search. Opens none: see kFound.
  std::vector<PluginInfo> plugins() const;
  /// The directories that were searched.
  std::vector<std::filesystem::path> plugin_directories() const;
  /// For each plugin and device that could have been there: what was tried, and why it was not
  /// taken. Several lines of text.
  std::string explain() const;

  /// Opens one more plugin, checked as those of RuntimeOptions::plugin_files are. Devices that were
  /// there stay as they are. `settings` are for this plugin, before those of the runtime. Returns
  /// what became of it: with kNoDriver and kNoDevice it has no devices. Errors: kPluginFailed if it
  /// does not load, also for one whose backend is there already; kInvalidArgument for an unknown
  /// setting.
  PluginInfo load(const std::filesystem::path& file,
                  std::map<std::string, std::string> settings = {}) const;

  /// Closes a plugin's devices and its library; one that is only found is not opened any more.
  /// Errors: kInvalidArgument if none of that name is loaded; kInUse, which lists the holders.
  void unload(std::string_view plugin_name);

  /// Called on the thread that asked for memory, when there is none even with the cache trimmed;
  /// then the request is tried once more. An exception out of it goes to who asked. Within it a
  /// second want of memory is an error at once. Empty: none.
  void set_out_of_memory_callback(OutOfMemoryCallback callback) const;

  /// Writes what happens from now on to a file for Perfetto or chrome://tracing, until stop_trace
  /// or the end of the runtime: docs/tracing.md. PATCHBAY_TRACE does so from the start. Errors:
  /// kIo; kInUse if a trace is being written.
  void start_trace(const std::filesystem::path& file) const;
  /// Writes out what is missing. Errors: kIo if some of the trace could not be written.
  void stop_trace() const;

  /// Counts of the copies of this runtime's devices.
  Ledger& ledger() const;

  /// Measures the links of `device` to the host and to every other visible device, or all links of
  /// the runtime, as patchbay::calibrate does each of them. Blocks, about half a second a link.
  void calibrate(const Device& device) const;
  void calibrate() const;

  friend bool operator==(const Runtime& a, const Runtime& b) { return a.state_ == b.state_; }

  explicit Runtime(std::shared_ptr<runtime::RuntimeState> state) : state_(std::move(state)) {}
  runtime::RuntimeState& state() const { return *state_; }

 private:
  std::shared_ptr<runtime::RuntimeState> state_;
};

}  // namespace patchbay

#endif  // PATCHBAY_RUNTIME_H_
