// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/tracer.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace patchbay::runtime {
namespace {

constexpr std::size_t kBatchBytes = 64 << 10;
constexpr std::uint64_t kBatchNs = 250'000'000;
constexpr std::string_view kEnd = "\n]\n";
constexpr std::size_t kPageBytes = 4096;

std::string_view way_out_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return "Name a file in a directory that exists.";
    case ENAMETOOLONG: return "Give it a shorter name.";
    case EISDIR: return "Name a file.";
    case ESPIPE: return "Name a regular file.";
    case EACCES:
    case EPERM: return "Check the permissions, or name another file.";
    case EROFS: return "Name a file on another disk.";
    case EFBIG: return "Raise the limit on the size of files, or name a file on another disk.";
    case ENOSPC:
    case EDQUOT: return "Make room on the disk, or name a file on another one.";
    case EMFILE:
    case ENFILE: return "Close files, or raise the limit (ulimit -n).";
    default: return "Name another file.";
  }
}

std::string reason_of(int error) {
  if (error == EBADF) {
    return "the program has closed its descriptor. Leave descriptors open that the program did not "
           "open.";
  }
  return std::generic_category().message(error);
}

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& path)
    : file_(path, output::OutputFile::OpenMode::kReplace) {
  if (file_.is_open() && write_at_end("[", kEnd)) return;
  const std::error_code why(errno, std::generic_category());
  base::raise(ErrorCode::kIo, "[trace] can't write {}: {}. {}", base::quote(path.string()),
              why.value() == ESPIPE ? "it is no regular file" : why.message(),
              way_out_of(why.value()));
}

TraceFile::~TraceFile() { flush(); }

void TraceFile::add(std::string_view event, std::uint64_t now_ns) noexcept {
  if (!failure_.empty()) return;
  try {
    sizes_.reserve(sizes_.size() + 1);
    batch_ += event;
    sizes_.push_back(event.size());
  } catch (const std::bad_alloc&) {
    failure_ = "no memory";
    return;
  }
  if (written_ns_ == 0) written_ns_ = now_ns;
  if (batch_.size() < kBatchBytes && now_ns - written_ns_ < kBatchNs) return;
  written_ns_ = now_ns;
  flush();
}

void TraceFile::flush() noexcept {
  if (sizes_.empty() || !failure_.empty()) return;
  try {
    write_batch();
  } catch (const std::bad_alloc&) {
    failure_ = "no memory";
  }
  batch_.clear();
  sizes_.clear();
}

std::size_t TraceFile::room_in_page() const noexcept {
  return kPageBytes - static_cast<std::size_t>(end_) % kPageBytes;
}

/// Writes page by page. An event longer than a page takes several.
void TraceFile::write_batch() {
  std::string page;
  const auto write = [&](std::string_view end) {
    if (!write_at_end(page, end)) failure_ = reason_of(errno);
    page.clear();
  };
  std::string_view rest = batch_;
  for (const std::size_t size : sizes_) {
    const std::string_view separator = needs_comma_ ? ",\n" : "\n";
    if (page.size() + separator.size() + size + kEnd.size() > room_in_page()) {
      write(kEnd);
      page = needs_comma_ ? "," : " ";
      page.resize(room_in_page(), ' ');
      write("");
      page += rest.substr(0, size);
    } else {
      page += separator;
      page += rest.substr(0, size);
    }
    needs_comma_ = true;
    rest.remove_prefix(size);
    if (!failure_.empty()) return;
  }
  write(kEnd);
}

bool TraceFile::write_at_end(std::string_view text, std::string_view end) {
  std::string whole(text);
  whole += end;
  if (!file_.write_at(whole, end_)) return false;
  end_ += static_cast<std::int64_t>(text.size());
  return true;
}

namespace {

/// The process number of the host's threads; devices have the next ones.
constexpr std::uint32_t kHostProcess = 1;

/// A trace that this process, or a parent of it, has opened. Never destroyed: threads may trace
/// until the process ends.
struct KnownTrace {
  const std::string path;
  const std::weak_ptr<Tracer> tracer;
  const KnownTrace* const earlier;
};
/// The last one. The list only grows, so that a child of fork finds it whole.
constinit std::atomic<const KnownTrace*> known_traces{nullptr};
constinit base::OfProcess<std::mutex> opening_mutex;

void flush_all() {
  for (const KnownTrace* one = known_traces.load(); one != nullptr; one = one->earlier) {
    if (const auto tracer = one->tracer.lock()) tracer->flush();
  }
}

/// A JSON string. Replaces invalid UTF-8.
std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The format counts microseconds; nanoseconds become decimals.
void append_time(std::string& out, std::string_view key, std::uint64_t ns) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":{}.{:03}", key, ns / 1000, ns % 1000);
}

void append_arguments(std::string& out, TraceArguments arguments) {
  if (arguments.size() == 0) return;
  out += ",\"args\":{";
  const char* separator = "";
  for (const TraceArgument& argument : arguments) {
    fmt::format_to(std::back_inserter(out), "{}\"{}\":", separator, argument.name);
    if (const auto* number = std::get_if<std::uint64_t>(&argument.value)) {
      fmt::format_to(std::back_inserter(out), "{}", *number);
    } else {
      out += quoted(std::get<std::string_view>(argument.value));
    }
    separator = ",";
  }
  out += '}';
}

std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> num_threads{0};
  thread_local const std::uint32_t own = num_threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return own;
}

}  // namespace

std::shared_ptr<Tracer> Tracer::open(const std::filesystem::path& path) {
  const std::scoped_lock lock(opening_mutex.get());
  std::error_code failure;  // reported when the file is opened
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, failure);
  std::string name = (failure ? path : whole).string();
  const KnownTrace* const last = known_traces.load();
  for (const KnownTrace* one = last; one != nullptr; one = one->earlier) {
    if (one->path != name) continue;
    if (auto tracer = one->tracer.lock()) return tracer;
  }
  static const int registered = std::atexit(flush_all);
  static_cast<void>(registered);
  auto tracer = std::make_shared<Tracer>(path);
  known_traces.store(new KnownTrace{std::move(name), tracer, last});
  return tracer;
}

Tracer::Tracer(const std::filesystem::path& path) : start_ns_(base::now_ns()), file_(path) {
  name_track("process_name", {kHostProcess, 0}, fmt::format("host (process {})", ::getpid()));
}

void Tracer::add(std::string_view phase, Track track, std::string_view name, std::uint64_t at_ns,
                 std::string_view more, TraceArguments arguments) noexcept {
  if (!home_.is_here()) return;
  try {
    std::string event =
        fmt::format(R"({{"ph":"{}","pid":{},"tid":{})", phase, track.process, track.thread);
    if (!name.empty()) event += ",\"name\":" + quoted(name);
    append_time(event, "ts", at_ns > start_ns_ ? at_ns - start_ns_ : 0);
    event += more;
    append_arguments(event, arguments);
    event += '}';
    const std::scoped_lock lock(mutex_);
    file_.add(event, base::now_ns());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no memory, no event
  }
}

void Tracer::name_track(std::string_view what, Track track, std::string_view name) noexcept {
  add("M", track, what, start_ns_, {}, std::array{TraceArgument{"name", name}});
}

Track Tracer::host_track() noexcept try {
  if (!home_.is_here()) return {};
  const Track track{kHostProcess, thread_number()};
  {
    const std::scoped_lock lock(mutex_);
    if (!named_threads_.insert({track.process, track.thread}).second) return track;
  }
  name_track("thread_name", track, fmt::format("thread {}", track.thread));
  return track;
} catch (const std::bad_alloc&) {
  return {kHostProcess, 0};
}

Track Tracer::device_track(const std::string& device_name, std::uint64_t stream_number) noexcept
    try {
  if (!home_.is_here()) return {};
  Track track{0, static_cast<std::uint32_t>(stream_number)};
  bool is_new_device = false, is_new_stream = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto next = static_cast<std::uint32_t>(processes_.size()) + kHostProcess + 1;
    const auto [device, inserted] = processes_.try_emplace(device_name, next);
    is_new_device = inserted;
    track.process = device->second;
    is_new_stream = named_threads_.insert({track.process, track.thread}).second;
  }
  if (is_new_device) name_track("process_name", track, device_name);
  if (is_new_stream) {
    name_track("thread_name", track,
               stream_number == 0 ? "default stream" : fmt::format("stream {}", stream_number));
  }
  return track;
} catch (const std::bad_alloc&) {
  return {kHostProcess, 0};
}

void Tracer::span(Track track, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns,
                  TraceArguments arguments) noexcept try {
  const std::uint64_t duration_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
  std::array<char, 64> duration{};
  const auto end = fmt::format_to_n(duration.data(), duration.size(), ",\"dur\":{}.{:03}",
                                    duration_ns / 1000, duration_ns % 1000);
  add("X", track, name, begin_ns, {duration.data(), end.size}, arguments);
} catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the event is dropped
}

void Tracer::instant(Track track, std::string_view name, TraceArguments arguments) noexcept {
  add("i", track, name, base::now_ns(), ",\"s\":\"t\"", arguments);
}

void Tracer::counter(Track track, std::string_view name, TraceArguments values) noexcept {
  add("C", track, name, base::now_ns(), {}, values);
}

void Tracer::arrow(Track from, std::uint64_t from_ns, Track to, std::uint64_t to_ns) noexcept try {
  const std::uint64_t number = num_arrows_.fetch_add(1, std::memory_order_relaxed) + 1;
  // Short enough not to allocate.
  std::array<char, 64> id{};
  const auto write = [&](std::string_view more) {
    const auto end =
        fmt::format_to_n(id.data(), id.size(), R"(,"cat":"flow","id":{}{})", number, more).size;
    return std::string_view(id.data(), end);
  };
  add("s", from, "flow", from_ns, write(""), {});
  add("f", to, "flow", to_ns, write(R"(,"bp":"e")"), {});
} catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the event is dropped
}

void Tracer::begin(Track track, std::string_view name) noexcept {
  add("B", track, name, base::now_ns(), {}, {});
}

void Tracer::end(Track track) noexcept { add("E", track, {}, base::now_ns(), {}, {}); }

void Tracer::flush() noexcept {
  if (!home_.is_here()) return;
  const std::scoped_lock lock(mutex_);
  file_.flush();
}

std::string Tracer::failure() const {
  if (!home_.is_here()) return {};
  const std::scoped_lock lock(mutex_);
  return file_.failure();
}

}  // namespace patchbay::runtime
