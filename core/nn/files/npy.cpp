// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/nn/files/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "patchbay/nn/arrays.h"

#include "core/base/error.h"

namespace patchbay::nn {
namespace files {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
/// Those of arrays are below 200 bytes.
constexpr std::size_t kMostHeaderBytes = 65535;

struct DTypeCode {
  DType dtype;
  std::string_view code;
};
constexpr std::array kCodes = {
    DTypeCode{DType::f32, "f4"}, DTypeCode{DType::f64, "f8"},   DTypeCode{DType::f16, "f2"},
    DTypeCode{DType::i8, "i1"},  DTypeCode{DType::i16, "i2"},   DTypeCode{DType::i32, "i4"},
    DTypeCode{DType::i64, "i8"}, DTypeCode{DType::u8, "u1"},    DTypeCode{DType::u16, "u2"},
    DTypeCode{DType::u32, "u4"}, DTypeCode{DType::u64, "u8"},   DTypeCode{DType::boolean, "b1"},
    DTypeCode{DType::c64, "c8"}, DTypeCode{DType::c128, "c16"},
};

/// Other texts of NumPy's for these dtypes, which it reads and does not write.
constexpr std::array kLetters = {
    DTypeCode{DType::f32, "f"},  DTypeCode{DType::f64, "d"},     DTypeCode{DType::f16, "e"},
    DTypeCode{DType::i8, "b"},   DTypeCode{DType::i16, "h"},     DTypeCode{DType::i32, "i"},
    DTypeCode{DType::i64, "l"},  DTypeCode{DType::i64, "q"},     DTypeCode{DType::u8, "B"},
    DTypeCode{DType::u16, "H"},  DTypeCode{DType::u32, "I"},     DTypeCode{DType::u64, "L"},
    DTypeCode{DType::u64, "Q"},  DTypeCode{DType::boolean, "?"}, DTypeCode{DType::c64, "F"},
    DTypeCode{DType::c128, "D"},
};
constexpr std::array kNames = {
    DTypeCode{DType::f32, "float32"},   DTypeCode{DType::f64, "float64"},
    DTypeCode{DType::f16, "float16"},   DTypeCode{DType::i8, "int8"},
    DTypeCode{DType::i16, "int16"},     DTypeCode{DType::i32, "int32"},
    DTypeCode{DType::i64, "int64"},     DTypeCode{DType::u8, "uint8"},
    DTypeCode{DType::u16, "uint16"},    DTypeCode{DType::u32, "uint32"},
    DTypeCode{DType::u64, "uint64"},    DTypeCode{DType::boolean, "bool"},
    DTypeCode{DType::c64, "complex64"}, DTypeCode{DType::c128, "complex128"},
};

const DTypeCode* find(std::span<const DTypeCode> codes, std::string_view text) {
  const auto found = std::ranges::find(codes, text, &DTypeCode::code);
  return found == codes.end() ? nullptr : &*found;
}

/// "<f4" or "<f": the order of the bytes, the kind and the size. "f4", "=f4", "|f4" and "float32"
/// are in the order of the machine, as NumPy reads them.
void set_dtype(Elements& elements, const std::string& text, const Subject& subject) {
  constexpr std::string_view kOrders = "<>=|";
  const bool has_order = !text.empty() && kOrders.find(text[0]) != kOrders.npos;
  const char order = has_order ? text[0] : '=';
  const std::string_view code = std::string_view(text).substr(has_order ? 1 : 0);
  const DTypeCode* known = find(kCodes, code);
  if (known == nullptr) known = find(kLetters, code);
  if (known == nullptr && !has_order) known = find(kNames, code);
  if (known == nullptr) {
    subject.refuse("Patchbay has no dtype for {}. Save it with another dtype.", base::quote(text));
  }
  elements.dtype = known->dtype;
  elements.is_big_endian =
      order == '>' || (order != '<' && std::endian::native == std::endian::big);
}

/// Reads a dictionary of Python with the three keys of the format, and nothing else.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const Subject& subject)
      : text_(text), subject_(subject) {}

  Elements read() {
    expect('{');
    while (!accept('}')) {
      read_field();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (at_ != text_.size()) fail("nothing behind the dictionary");
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (!has_[i]) subject_.fail("its header has no {}", base::quote(kKeys[i]));
    }
    return elements_;
  }

 private:
  static constexpr std::size_t kMostDigits = 40;  // in a message
  static constexpr std::array<std::string_view, 3> kKeys = {"descr", "fortran_order", "shape"};

  [[noreturn]] void fail(std::string_view expected) const {
    subject_.fail("its header is wrong at byte {}: expected {}, got {}", at_, expected,
                  at_ < text_.size() ? base::quote(text_.substr(at_, 20)) : "its end");
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(base::quote(std::string_view(&c, 1)));
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string read_text() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'' && !accept('\'')) fail("a text in quotes");
    const std::size_t end = text_.find(quote, at_);
    const std::string_view inside = text_.substr(at_, end == text_.npos ? end : end - at_);
    if (end == text_.npos || inside.find('\\') != inside.npos) fail("a text without escapes");
    at_ = end + 1;
    return std::string(inside);
  }

  void read_field() {
    const std::string key = read_text();
    std::size_t which = 0;
    while (which < kKeys.size() && kKeys[which] != key) ++which;
    if (which == kKeys.size()) subject_.fail("its header has an unknown key, {}", base::quote(key));
    if (has_[which]) subject_.fail("its header has {} twice", base::quote(key));
    has_[which] = true;
    expect(':');
    switch (which) {
      case 0:
        if (accept('['))
          subject_.refuse(
              "elements are structures, which Patchbay does not have. Save each field as an "
              "array.");
        set_dtype(elements_, read_text(), subject_);
        break;
      case 1:
        elements_.is_reversed = accept_word("True");
        if (!elements_.is_reversed && !accept_word("False")) fail("True or False");
        break;
      default: read_shape();
    }
  }

  void read_shape() {
    expect('(');
    bool needs_comma = false;
    while (!accept(')')) {
      if (needs_comma) fail("')'");
      if (elements_.shape.rank() == kMaxRank) fail_rank();
      elements_.shape.push_back(read_extent());
      needs_comma = !accept(',');
      // (3) is a number.
      if (needs_comma && elements_.shape.rank() == 1) fail("','");
    }
  }

  /// Counts the extents that are left.
  [[noreturn]] void fail_rank() {
    std::size_t rank = kMaxRank;
    for (bool is_inside = false; at_ < text_.size() && text_[at_] != ')'; ++at_) {
      const bool is_digit = text_[at_] >= '0' && text_[at_] <= '9';
      if (is_digit && !is_inside) ++rank;
      is_inside = is_digit;
    }
    subject_.fail("expected at most {} dimensions, got {}. Reshape it before saving.", kMaxRank,
                  rank);
  }

  std::int64_t read_extent() {
    skip_blanks();
    const std::size_t begin = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        const std::size_t end = text_.find_first_not_of("0123456789", begin);
        subject_.fail("an extent in its header is too large: expected at most 2^63 - 1, got {}",
                      base::quote(text_.substr(begin, std::min(end - begin, kMostDigits))));
      }
    }
    if (at_ == begin) fail("an extent");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long of Python 2
    return value;
  }

  const std::string_view text_;
  const Subject& subject_;
  std::size_t at_ = 0;
  std::array<bool, 3> has_ = {};
  Elements elements_;
};

}  // namespace

Elements parse_npy_dictionary(std::string_view text, const Subject& subject) {
  return DictionaryReader(text, subject).read();
}

Elements read_npy_header(Source& source) {
  const Subject& subject = source.subject();
  std::array<char, 8> start{};
  source.read_all(start.data(), start.size(), "its header");
  if (std::string_view(start.data(), kMagic.size()) != kMagic) {
    subject.fail("it does not begin as an array of NumPy. Save it with numpy.save.");
  }
  const unsigned major = static_cast<unsigned char>(start[6]),
                 minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    subject.fail("expected version 1.0, 2.0 or 3.0, got {}.{}. Save it with numpy.save.", major,
                 minor);
  }
  std::array<unsigned char, 4> bytes{};
  const std::size_t width = major == 1 ? 2 : 4;
  source.read_all(bytes.data(), width, "its header");
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8 | bytes[i];
  if (length > kMostHeaderBytes) {
    subject.fail("a header of {} bytes: expected at most {}", length, kMostHeaderBytes);
  }
  std::string text(length, '\0');
  source.read_all(text.data(), length, "its header");
  return parse_npy_dictionary(text, subject);
}

bool begins_as_npy(const ReadFile& file, std::uint64_t at, std::uint64_t skipped) {
  std::array<char, kMagic.size()> start{};
  const std::uint64_t left = file.size_bytes() - at;
  if (skipped > left || left - skipped < start.size()) return false;
  file.read(at + skipped, start.data(), start.size());
  return std::string_view(start.data(), start.size()) == kMagic;
}

std::string npy_header_of(DType dtype, const Shape& shape) {
  std::string_view code;
  for (const DTypeCode& each : kCodes) {
    if (each.dtype == dtype) code = each.code;
  }
  if (code.empty()) return {};
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': (",
                                 size_bytes(dtype) == 1 ? '|' : '<', code);
  for (int i = 0; i < shape.rank(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  }
  text += shape.rank() == 1 ? ",), }" : "), }";
  const std::size_t before = kMagic.size() + 4, used = before + text.size() + 1;
  text.append((used + kAlignment - 1) / kAlignment * kAlignment - used, ' ');
  text += '\n';
  std::string result(kMagic);
  result += {'\1', '\0', static_cast<char>(text.size() & 0xff),
             static_cast<char>(text.size() >> 8 & 0xff)};
  return result + text;
}

}  // namespace files

namespace {

/// Reads the array at that place of the file, and moves the place behind it.
Tensor read_array_at(std::uint64_t& at, const files::ReadFile& file, const files::Subject& subject,
                     const ReadOptions& options, const Device& device) {
  files::FileSource source(subject, file, at, file.size_bytes());
  const files::Elements elements = files::read_npy_header(source);
  const std::uint64_t left = file.size_bytes() - source.position();
  const std::optional<std::uint64_t> size = files::size_of_elements(elements.dtype, elements.shape);
  at = source.position() + std::min(left, size.value_or(left));
  files::FileSource own(subject, file, source.position(), at);
  return files::read_elements(own, elements, options.most_bytes, device);
}

}  // namespace

Tensor read_npy(const std::filesystem::path& path, const ReadOptions& options) {
  const Device device = files::host_device(options.device, "read_npy");
  const files::ReadFile file(path, "read_npy");
  const files::Subject subject = {"read_npy", "npy", base::quote(path.string())};
  files::FileSource source(subject, file, 0, file.size_bytes());
  const files::Elements elements = files::read_npy_header(source);
  const std::optional<std::uint64_t> size = files::size_of_elements(elements.dtype, elements.shape);
  if (size && files::begins_as_npy(file, source.position(), *size)) {
    subject.fail("another array follows the first one. Call read_npy_all, which reads all.");
  }
  return files::read_elements(source, elements, options.most_bytes, device);
}

std::vector<Tensor> read_npy_all(const std::filesystem::path& path, const ReadOptions& options) {
  const Device device = files::host_device(options.device, "read_npy_all");
  const files::ReadFile file(path, "read_npy_all");
  const files::Subject subject = {"read_npy_all", "npy", base::quote(path.string())};
  std::vector<Tensor> arrays;
  std::uint64_t at = 0;
  do {
    files::Subject here = subject;
    here.place += fmt::format(": array {}", arrays.size());
    arrays.push_back(read_array_at(at, file, here, options, device));
  } while (at < file.size_bytes());
  return arrays;
}

void save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  if (!tensor.defined()) {
    base::raise(ErrorCode::kInvalidArgument,
                "[save_npy] the tensor is undefined: expected one with a value. Compute it first.");
  }
  const std::string header = files::npy_header_of(tensor.dtype(), tensor.shape());
  if (header.empty()) {
    base::raise(
        ErrorCode::kDtypeMismatch,
        "[save_npy] NumPy does not have the dtype {}. Cast the tensor: tensor.cast(DType::f32).",
        patchbay::to_string(tensor.dtype()));
  }
  files::AtomicFile out(path, "save_npy");
  out.write(header.data(), header.size());
  files::write_tensor(out, tensor);
  out.commit();
}

}  // namespace patchbay::nn
