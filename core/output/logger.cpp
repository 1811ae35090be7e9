// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/output/logger.h"

#include <cerrno>
#include <system_error>

#include "core/base/cancellation.h"
#include "core/base/error.h"

namespace patchbay {

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return "error";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kInfo: return "info";
    case LogLevel::kDebug: return "debug";
  }
  return "unknown";
}

namespace output {
namespace {

LogLevel parse_level(std::string_view text, std::string_view setting) {
  for (const LogLevel level :
       {LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug}) {
    if (text == to_string(level)) return level;
  }
  base::raise(
      ErrorCode::kInvalidArgument,
      "[Runtime] bad log setting {}: expected level[:file] with level error, warning, info or "
      "debug. Correct the setting 'log' (PATCHBAY_LOG).",
      base::quote(setting));
}

}  // namespace

Logger::Logger(LogSink sink, const base::Environment& environment) {
  if (sink) {
    sink_ = std::make_shared<const LogSink>(std::move(sink));
    deliver_at_process_end();
  }
  const auto setting = environment.get("log");
  if (!setting || setting->empty()) return;
  const std::size_t colon = setting->find(':');
  level_ = parse_level(setting->substr(0, colon), *setting);
  if (colon == std::string::npos) {
    if (sink_) return;
    base::raise(ErrorCode::kInvalidArgument,
                "[Runtime] log setting {}: there is no file, and the program gives no sink. Write "
                "level:file in the setting 'log' (PATCHBAY_LOG).",
                base::quote(*setting));
  }
  const std::string path = setting->substr(colon + 1);
  file_ = OutputFile(path, OutputFile::OpenMode::kAppend);
  if (!file_.is_open()) {
    base::raise(ErrorCode::kIo,
                "[Runtime] can't open log file {}: {}. Correct the setting 'log' (PATCHBAY_LOG).",
                base::quote(path),
                errno == ESPIPE ? "it is no regular file" : std::generic_category().message(errno));
  }
}

Logger::~Logger() {
  if (sink_ != nullptr) finish_delivery(sink_);
}

void Logger::write(LogLevel level, std::string_view line) noexcept {
  if (level > level_) return;
  const base::CancellationOff not_cancelled;
  try {
    if (file_.is_open()) {
      static_cast<void>(file_.append(fmt::format("patchbay {}: {}\n", to_string(level), line)));
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): logging must not fail
  }
  if (sink_ != nullptr) deliver(sink_, level, line);
}

}  // namespace output
}  // namespace patchbay
