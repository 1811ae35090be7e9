// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "patchbay/nn/arrays.h"

#include "core/base/element.h"
#include "core/base/error.h"
#include "core/nn/files/source.h"
#include "core/nn/files/tensor_bytes.h"

namespace patchbay::nn {
namespace {

using files::Subject;

constexpr std::size_t kMostFieldBytes = 65536;

/// The characters of a file. Lines end with \n or \r\n.
class Characters {
 public:
  explicit Characters(files::Source& source) : source_(source) { skip_mark(); }

  static constexpr int kEnd = -1;
  /// The current one, or kEnd.
  int peek() {
    if (at_ == size_ && !fill()) return kEnd;
    return static_cast<unsigned char>(block_[at_]);
  }
  void advance() { ++at_; }
  bool accept(char c) {
    if (peek() != static_cast<unsigned char>(c)) return false;
    advance();
    return true;
  }

 private:
  bool fill() {
    size_ = source_.read(block_.data(), block_.size());
    at_ = 0;
    return size_ > 0;
  }
  /// The mark of UTF-8 that some programs write first.
  void skip_mark() {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (fill() && std::string_view(block_.data(), size_).starts_with(kMark)) at_ = kMark.size();
  }

  files::Source& source_;
  std::array<char, 16384> block_;
  std::size_t at_ = 0, size_ = 0;
};

enum class After { kField, kLine, kFile };

/// Splits the characters into fields and lines.
class FieldReader {
 public:
  FieldReader(files::Source& source, char delimiter)
      : characters_(source), subject_(source.subject()), delimiter_(delimiter) {}

  /// The next field, without the blanks around it. `after` is what follows it.
  const std::string& read(After& after) {
    ++column_;
    text_.clear();
    skip_blanks();
    if (characters_.accept('"')) {
      read_quoted();
      skip_blanks();
    } else {
      read_plain();
    }
    after = read_end();
    return text_;
  }
  bool is_over() { return characters_.peek() == Characters::kEnd; }
  /// Skips empty lines; false at the end of the file.
  bool begin_line() {
    line_ += 1 + std::exchange(num_breaks_, 0);
    column_ = 0;
    while (true) {
      if (characters_.accept('\r') && characters_.peek() != '\n')
        fail("a return without a line feed");
      if (!characters_.accept('\n')) return !is_over();
      ++line_;
    }
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    subject_.fail("line {}, column {}: {}", line_, column_,
                  fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  bool is_blank(int c) const { return (c == ' ' || c == '\t') && c != delimiter_; }
  void skip_blanks() {
    while (is_blank(characters_.peek())) characters_.advance();
  }
  void append(int c) {
    if (text_.size() == kMostFieldBytes) fail("a field of more than {} bytes", kMostFieldBytes);
    if (c == '\n') ++num_breaks_;
    text_ += static_cast<char>(c);
    characters_.advance();
  }

  void read_quoted() {
    for (;;) {
      const int c = characters_.peek();
      if (c == Characters::kEnd) fail("a quote without its end");
      if (c == '"') {
        characters_.advance();
        if (characters_.peek() != '"') return;
      }
      append(characters_.peek());
    }
  }
  void read_plain() {
    for (;;) {
      const int c = characters_.peek();
      if (c == Characters::kEnd || c == '\n' || c == '\r') break;
      if (c == static_cast<unsigned char>(delimiter_)) break;
      if (c == '"') fail("a quote within a field");
      append(c);
    }
    while (!text_.empty() && is_blank(static_cast<unsigned char>(text_.back()))) text_.pop_back();
  }
  After read_end() {
    if (characters_.accept(delimiter_)) return After::kField;
    if (is_over()) return After::kFile;
    if (characters_.accept('\r') && characters_.peek() != '\n')
      fail("a return without a line feed");
    if (!characters_.accept('\n')) fail("characters behind a quote");
    return is_over() ? After::kFile : After::kLine;
  }

  Characters characters_;
  const Subject& subject_;
  const char delimiter_;
  std::string text_;
  /// Of the field's beginning; line breaks in quotes count for the next line.
  std::uint64_t line_ = 0, column_ = 0, num_breaks_ = 0;
};

/// Whether a number that is out of range is so because it is near 0: by the power of ten of its
/// first digit that is not 0.
bool is_tiny(std::string_view text) {
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, mark);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  if (mark == text.size()) return point < first;
  std::string_view power = text.substr(mark + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (error != std::errc()) return power.starts_with('-');
  return exponent < first - point;
}

template <class T>
T number_of(const std::string& field, DType dtype, const FieldReader& reader) {
  std::string_view text = field;
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  // from_chars takes no sign for unsigned integers.
  const bool is_negative = std::is_unsigned_v<T> && text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto fail_to_fit = [&] {
    reader.fail("{} does not fit into {}. Read another dtype.", base::quote(field),
                patchbay::to_string(dtype));
  };
  if (error == std::errc::result_out_of_range) {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_tiny(text)) return text.starts_with('-') ? T{-0.0} : T{0};
    }
    fail_to_fit();
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    reader.fail("expected {}, got {}. Correct it, or set has_header or delimiter.",
                std::is_integral_v<T> ? "an integer of digits" : "a number", base::quote(field));
  }
  if (is_negative && value != 0) fail_to_fit();
  return value;
}

/// So that a file without line breaks is refused before all of it is kept.
void check_columns(std::uint64_t count, const FieldReader& reader) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  if (count > kMost) reader.fail("more than {} columns", kMost);
}

/// Rows of numbers, up to the end of the file.
template <class T>
Tensor read_rows(FieldReader& reader, std::uint64_t num_columns, DType dtype,
                 const Device& device) {
  std::vector<T> values;
  std::int64_t num_rows = 0;
  for (After after = After::kLine; after != After::kFile && reader.begin_line(); ++num_rows) {
    std::uint64_t count = 0;
    do {
      values.push_back(number_of<T>(reader.read(after), dtype, reader));
      if (++count == num_columns && after == After::kField) {
        reader.fail("expected {} columns, got more", num_columns);
      }
      check_columns(count, reader);
    } while (after == After::kField);
    if (num_columns == 0) num_columns = count;
    if (count != num_columns) reader.fail("expected {} columns, got {}", num_columns, count);
  }
  return files::tensor_of_bytes(values.data(), dtype, {num_rows, num_columns}, device);
}

std::vector<std::string> read_names(FieldReader& reader) {
  std::vector<std::string> names;
  After after = reader.begin_line() ? After::kField : After::kFile;
  while (after == After::kField) {
    names.push_back(reader.read(after));
    check_columns(names.size(), reader);
  }
  return names;
}

void check_options(const CsvOptions& options) {
  if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r') {
    base::raise(ErrorCode::kInvalidArgument,
                "[read_csv] a wrong delimiter: expected neither a quote nor the end of a line, "
                "got {}. Choose another character.",
                base::quote(std::string_view(&options.delimiter, 1)));
  }
  const DType dtype = options.dtype;
  if (dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::boolean || is_complex(dtype)) {
    base::raise(ErrorCode::kDtypeMismatch,
                "[read_csv] a dtype that is not read: expected f32, f64 or an integer, got {}. "
                "Read f32 and cast the tensor.",
                patchbay::to_string(dtype));
  }
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  check_options(options);
  const Device device = files::host_device(options.device, "read_csv");
  const files::ReadFile file(path, "read_csv");
  files::FileSource source({"read_csv", "csv", base::quote(path.string()), "Correct it there."},
                           file, 0, file.size_bytes());
  FieldReader reader(source, options.delimiter);
  CsvTable table;
  if (options.has_header) table.names = read_names(reader);
  table.values = with_element(options.dtype, [&](auto element) {
    return read_rows<decltype(element)>(reader, table.names.size(), options.dtype, device);
  });
  return table;
}

}  // namespace patchbay::nn
