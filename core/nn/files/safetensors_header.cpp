// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/nn/files/safetensors.h"
#include "core/nn/files/subject.h"
#include "core/nn/files/tensor_bytes.h"

namespace patchbay::nn::files {
namespace {

using Json = nlohmann::json;

struct DTypeName {
  DType dtype;
  std::string_view name;
};
constexpr std::array kDTypeNames = {
    DTypeName{DType::f64, "F64"},      DTypeName{DType::f32, "F32"}, DTypeName{DType::f16, "F16"},
    DTypeName{DType::bf16, "BF16"},    DTypeName{DType::i64, "I64"}, DTypeName{DType::i32, "I32"},
    DTypeName{DType::i16, "I16"},      DTypeName{DType::i8, "I8"},   DTypeName{DType::u64, "U64"},
    DTypeName{DType::u32, "U32"},      DTypeName{DType::u16, "U16"}, DTypeName{DType::u8, "U8"},
    DTypeName{DType::boolean, "BOOL"}, DTypeName{DType::c64, "C64"},
};

std::optional<DType> dtype_of_name(std::string_view name) {
  for (const DTypeName& each : kDTypeNames) {
    if (each.name == name) return each.dtype;
  }
  return std::nullopt;
}

/// Takes the events of the parser. Everything that the format does not have is refused at once, so
/// that no depth and no length is believed.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(const ReadFile& file)
      : subject_{file.operation(), "safetensors", base::quote(file.path().native())} {}

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    subject_.fail(format, std::forward<Args>(args)...);
  }

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (state_ == ParseState::kStart) {
      state_ = ParseState::kFile;
    } else if (state_ == ParseState::kFile) {
      state_ = name_ == kMetadataName ? ParseState::kMetadata : ParseState::kTensor;
      tensor_ = {};
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool end_object() override {
    switch (state_) {
      case ParseState::kFile: state_ = ParseState::kEnd; break;
      case ParseState::kMetadata: state_ = ParseState::kFile; break;
      default: end_tensor(); state_ = ParseState::kFile;
    }
    return true;
  }

  bool key(string_t& text) override {
    check_text(text);
    if (state_ == ParseState::kFile) {
      name_ = text;
      if (!names_.insert(text).second) fail("{} occurs twice", base::quote(text));
    } else if (state_ == ParseState::kMetadata) {
      key_ = text;
      if (header_.metadata.contains(text)) fail("metadata: {} occurs twice", base::quote(text));
    } else {
      field_ = text == "dtype"          ? Field::kDtype
               : text == "shape"        ? Field::kShape
               : text == "data_offsets" ? Field::kOffsets
                                        : Field::kNone;
      if (field_ == Field::kNone)
        fail("tensor {}: no field {}", base::quote(name_), base::quote(text));
      bool& has_it = tensor_.has[static_cast<std::size_t>(field_)];
      if (std::exchange(has_it, true)) {
        fail("tensor {}: {} occurs twice", base::quote(name_), base::quote(text));
      }
    }
    return true;
  }

  bool string(string_t& text) override {
    check_text(text);
    if (state_ == ParseState::kMetadata) {
      header_.metadata.emplace(key_, text);
    } else if (state_ == ParseState::kTensor && field_ == Field::kDtype && !is_in_array_) {
      tensor_.dtype_name = text;
      field_ = Field::kNone;
    } else {
      unexpected("a text");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != ParseState::kTensor || is_in_array_ ||
        (field_ != Field::kShape && field_ != Field::kOffsets)) {
      unexpected("a list");
    }
    is_in_array_ = true;
    return true;
  }
  bool end_array() override {
    is_in_array_ = false;
    if (field_ == Field::kOffsets && tensor_.num_offsets != 2) {
      fail("tensor {}: expected 2 data_offsets, got {}", base::quote(name_), tensor_.num_offsets);
    }
    field_ = Field::kNone;
    return true;
  }

  bool number_unsigned(number_unsigned_t number) override {
    if (!is_in_array_) unexpected("a number");
    if (field_ == Field::kShape) {
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        fail("tensor {}: an extent is too large: expected at most 2^63 - 1, got {}",
             base::quote(name_), number);
      }
      if (tensor_.shape.rank() == kMaxRank) {
        fail("tensor {}: expected at most {} dimensions, got more. Reshape it before saving.",
             base::quote(name_), kMaxRank);
      }
      tensor_.shape.push_back(static_cast<std::int64_t>(number));
    } else {
      if (tensor_.num_offsets == 2)
        fail("tensor {}: expected 2 data_offsets, got more", base::quote(name_));
      tensor_.offsets[tensor_.num_offsets++] = number;
    }
    return true;
  }
  bool number_integer(number_integer_t number) override {
    fail("{}: expected a number of 0 or more, got -{}", where(),
         -static_cast<std::uint64_t>(number));
  }
  bool number_float(number_float_t, const string_t& text) override {
    fail("{}: no integer of 64 bits: {}", where(), base::quote(text));
  }
  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("true or false"); }
  bool binary(binary_t&) override { unexpected("bytes"); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    fail("the header is no JSON at byte {}", kLengthBytes + position);
  }

 private:
  enum class ParseState { kStart, kFile, kMetadata, kTensor, kEnd };
  enum class Field { kNone, kDtype, kShape, kOffsets };

  [[noreturn]] void unexpected(std::string_view what) const {
    fail("{}: expected {}, got {}", where(), expected(), what);
  }

  std::string_view expected() const {
    if (state_ == ParseState::kMetadata) return "a text";
    if (state_ != ParseState::kTensor) return "an object";
    if (is_in_array_) return "a number";
    return field_ == Field::kDtype ? "a text" : "a list of numbers";
  }

  std::string where() const {
    switch (state_) {
      case ParseState::kTensor: return "tensor " + base::quote(name_);
      case ParseState::kMetadata: return "metadata";
      case ParseState::kFile: return name_.empty() ? "the header" : base::quote(name_);
      default: return "the header";
    }
  }

  void check_text(const std::string& text) const {
    if (text.find('\0') != std::string::npos) fail("{}: a text contains NUL", where());
  }

  void end_tensor() {
    for (const Field field : {Field::kDtype, Field::kShape, Field::kOffsets}) {
      if (!tensor_.has[static_cast<std::size_t>(field)]) {
        fail("tensor {}: expected dtype, shape and data_offsets", base::quote(name_));
      }
    }
    if (tensor_.offsets[0] > tensor_.offsets[1]) {
      fail("tensor {}: it ends at {}, before it begins at {}", base::quote(name_),
           tensor_.offsets[1], tensor_.offsets[0]);
    }
    const std::uint64_t size = tensor_.offsets[1] - tensor_.offsets[0];
    const std::optional<DType> dtype = dtype_of_name(tensor_.dtype_name);
    if (!dtype) {  // nobody can tell how many bytes it should have
      header_.entries.push_back({name_, kNoDType, tensor_.shape, tensor_.offsets[0], size,
                                 tensor_.dtype_name, /*is_readable=*/false});
      return;
    }
    const std::optional<std::uint64_t> bytes = size_of_elements(*dtype, tensor_.shape);
    if (!bytes) {
      fail("tensor {}: shape {} has more than 2^63 - 1 bytes", base::quote(name_),
           patchbay::to_string(tensor_.shape));
    }
    if (*bytes != size) {
      fail("tensor {}: expected {} bytes for {} {}, got {}", base::quote(name_), *bytes,
           patchbay::to_string(*dtype), patchbay::to_string(tensor_.shape), size);
    }
    header_.entries.push_back(
        {name_, *dtype, tensor_.shape, tensor_.offsets[0], size, tensor_.dtype_name});
  }

  struct Tensor {
    std::string dtype_name;
    Shape shape;
    std::array<std::uint64_t, 2> offsets = {};
    std::size_t num_offsets = 0;
    std::array<bool, 4> has = {};  // by Field
  };

  const Subject subject_;
  SafetensorsHeader header_;
  ParseState state_ = ParseState::kStart;
  Field field_ = Field::kNone;
  bool is_in_array_ = false;
  std::string name_, key_;
  std::set<std::string> names_;
  Tensor tensor_;
};

/// The header's bytes, read from the file in blocks.
class HeaderBytes {
 public:
  HeaderBytes(const ReadFile& file, const Reader& reader, std::uint64_t begin, std::uint64_t end)
      : file_(file), reader_(reader), next_(begin), end_(end) {}

  bool is_over() const { return at_ == filled_ && next_ == end_; }
  char current() {
    if (at_ == filled_) fill();
    return block_[at_];
  }
  void advance() { ++at_; }

 private:
  void fill() {
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(block_.size(), end_ - next_));
    file_.read(next_, block_.data(), filled_);
    // JSON has none, and the parser takes one for the end.
    const char* const nul = std::find(block_.data(), block_.data() + filled_, '\0');
    if (nul != block_.data() + filled_) {
      reader_.fail("the header has NUL at byte {}",
                   next_ + static_cast<std::uint64_t>(nul - block_.data()));
    }
    next_ += filled_;
    at_ = 0;
  }

  const ReadFile& file_;
  const Reader& reader_;
  std::uint64_t next_, end_;
  std::size_t at_ = 0, filled_ = 0;
  std::array<char, 16384> block_;
};

/// What the JSON parser takes. All but the end share the bytes.
class HeaderIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  HeaderIterator() = default;
  explicit HeaderIterator(HeaderBytes& bytes) : bytes_(&bytes) {}
  char operator*() const { return bytes_->current(); }
  HeaderIterator& operator++() {
    bytes_->advance();
    return *this;
  }
  friend bool operator==(const HeaderIterator& a, const HeaderIterator& b) {
    return a.is_end() == b.is_end();
  }
  friend bool operator!=(const HeaderIterator& a, const HeaderIterator& b) { return !(a == b); }

 private:
  bool is_end() const { return bytes_ == nullptr || bytes_->is_over(); }

  HeaderBytes* bytes_ = nullptr;
};

/// That the tensors follow each other from the first byte to the last.
void place(SafetensorsHeader& header, std::uint64_t data_at, std::uint64_t data_bytes,
           const Reader& reader) {
  std::ranges::sort(header.entries, [](const auto& a, const auto& b) {
    return std::pair(a.offset_bytes, a.size_bytes) < std::pair(b.offset_bytes, b.size_bytes);
  });
  std::uint64_t end = 0;
  for (Safetensors::Entry& entry : header.entries) {
    if (entry.offset_bytes != end) {
      reader.fail(
          "tensor {} begins at byte {} of the data: expected {}, where the one before ends{}",
          base::quote(entry.name), entry.offset_bytes, end,
          entry.offset_bytes < end ? " (they overlap)" : " (a hole)");
    }
    end += entry.size_bytes;
    if (end > data_bytes) {
      reader.fail("it is cut off at byte {}: expected {} bytes of data up to tensor {}, got {}",
                  data_at + data_bytes, end, base::quote(entry.name), data_bytes);
    }
    entry.offset_bytes += data_at;
  }
  if (end != data_bytes) {
    reader.fail("{} bytes behind the last tensor", data_bytes - end);
  }
}

}  // namespace

SafetensorsHeader read_header(const ReadFile& file) {
  Reader reader(file);
  if (file.size_bytes() < kLengthBytes) {
    reader.fail("expected 8 bytes with the length of the header, got {}", file.size_bytes());
  }
  std::array<unsigned char, kLengthBytes> bytes{};
  file.read(0, bytes.data(), bytes.size());
  std::uint64_t length = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) length = length << 8 | bytes[i];
  const std::uint64_t rest = file.size_bytes() - kLengthBytes;
  if (length > kMostHeaderBytes) {
    reader.fail(
        "a header of {} bytes: expected at most {}. Check that it is a file of safetensors.",
        length, kMostHeaderBytes);
  }
  if (length > rest) {
    reader.fail("it is cut off at byte {}: expected a header of {} bytes, got {}",
                file.size_bytes(), length, rest);
  }
  char first = 0;
  if (length > 0) file.read(kLengthBytes, &first, 1);
  if (first != '{')
    reader.fail(
        "the header does not begin with an object. Check that it is a file of safetensors.");
  HeaderBytes text(file, reader, kLengthBytes, kLengthBytes + length);
  Json::sax_parse(HeaderIterator(text), HeaderIterator(), &reader);
  SafetensorsHeader header = reader.take();
  place(header, kLengthBytes + length, rest - length, reader);
  return header;
}

std::string_view format_name_of(DType dtype) {
  for (const DTypeName& each : kDTypeNames) {
    if (each.dtype == dtype) return each.name;
  }
  return {};
}

namespace {

std::string json_text(const std::string& text, std::string_view operation) {
  try {
    if (text.find('\0') == std::string::npos) return Json(text).dump();
  } catch (const Json::exception&) {  // NOLINT(bugprone-empty-catch): said below
  }
  base::raise(ErrorCode::kInvalidArgument,
              "[{}] a wrong text: expected UTF-8 without NUL, got {}. Rename or convert it.",
              operation, base::quote(text));
}

}  // namespace

std::string header_of(const std::vector<Safetensors::Entry>& entries,
                      const std::map<std::string, std::string>& metadata,
                      std::string_view operation) {
  std::string text = "{";
  const auto separate = [&] {
    if (text.back() != '{') text += ',';
  };
  if (!metadata.empty()) {
    text += fmt::format("\"{}\":{{", kMetadataName);
    for (const auto& [key, value] : metadata) {
      separate();
      text += json_text(key, operation) + ':' + json_text(value, operation);
    }
    text += '}';
  }
  std::uint64_t at = 0;
  for (const Safetensors::Entry& entry : entries) {
    separate();
    text += json_text(entry.name, operation);
    text += fmt::format(":{{\"dtype\":\"{}\",\"shape\":[", format_name_of(entry.dtype));
    for (int d = 0; d < entry.shape.rank(); ++d) {
      text += (d == 0 ? "" : ",") + std::to_string(entry.shape[d]);
    }
    text += fmt::format("],\"data_offsets\":[{},{}]}}", at, at + entry.size_bytes);
    at += entry.size_bytes;
  }
  text += '}';
  // The data begins at a multiple of 8.
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  if (text.size() > kMostHeaderBytes) {
    base::raise(ErrorCode::kInvalidArgument,
                "[{}] names and metadata are too long: expected a header of at most {} bytes, "
                "got {}. Keep long texts in another file.",
                operation, kMostHeaderBytes, text.size());
  }
  std::string result;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    result += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  return result + text;
}

}  // namespace patchbay::nn::files
