// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "common/elementwise_text.hpp"

#include <algorithm>

#include "patchbay/plugin/kernels/elementwise.h"
#include "patchbay/plugin/types.h"

namespace patchbay::elementwise {
namespace {

#define PATCHBAY_UNARY(name, dtypes, floats, integers, gradient) \
  Operator{#name, 1, false, #floats, for_##dtypes(#integers), {}},
#define PATCHBAY_BINARY(name, dtypes, floats, integers, gradient_a, gradient_b) \
  Operator{#name, 2, false, #floats, for_##dtypes(#integers), {}},
#define PATCHBAY_COMPARE(name, dtypes, expression) \
  Operator{#name, 2, true, #expression, #expression, #expression},
#define PATCHBAY_LOGIC(name, num_operands, expression) \
  Operator{#name, num_operands, true, {}, {}, #expression},

constexpr std::string_view for_FLOATS(std::string_view) { return {}; }
constexpr std::string_view for_NUMBERS(std::string_view expression) { return expression; }

constexpr Operator kOperators[] = {
    PATCHBAY_ELEMENTWISE_UNARY(PATCHBAY_UNARY) PATCHBAY_ELEMENTWISE_BINARY(PATCHBAY_BINARY)
        PATCHBAY_ELEMENTWISE_COMPARE(PATCHBAY_COMPARE) PATCHBAY_ELEMENTWISE_LOGIC(PATCHBAY_LOGIC)};

struct Type {
  std::string_view token, type, wrapping;
};

Type type_of(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F32: return {"f32", "f32", "f32"};
    case PATCHBAY_F64: return {"f64", "f64", "f64"};
    case PATCHBAY_I32: return {"i32", "i32", "u32"};
    case PATCHBAY_I64: return {"i64", "i64", "u64"};
    case PATCHBAY_U8: return {"u8", "u8", "u32"};
    case PATCHBAY_BOOL: return {"bool", "u8", "u32"};
    default: return {};
  }
}

std::string_view expression_of(const Operator& op, std::uint8_t dtype) {
  if (dtype == PATCHBAY_BOOL) return op.bools;
  return dtype == PATCHBAY_F32 || dtype == PATCHBAY_F64 ? op.floats : op.integers;
}

constexpr std::string_view kOperandNames[] = {"a", "b"};

class Writer {
 public:
  Writer(const TextSpec& spec, const Operator& op, std::string_view expression)
      : spec_(spec), type_(type_of(spec.dtype)), op_(op), expression_(expression) {
    tensors_.push_back("out");
    for (std::size_t i = 0; i < spec.is_value.size(); ++i) {
      if (!spec.is_value[i]) tensors_.push_back(std::string(kOperandNames[i]));
    }
  }

  std::string write() {
    line("typedef ", type_.type, " T;\ntypedef ", type_.wrapping, " W;");
    arguments();
    line("  PATCHBAY_BIND(", result_token(), ", out_at);");
    for (std::size_t i = 1; i < tensors_.size(); ++i) {
      line("  PATCHBAY_BIND_INPUT(", type_.token, ", ", tensors_[i], "_at);");
    }
    line("  const i64 i = PATCHBAY_GLOBAL_ID64(0);\n  if (i >= n) return;");
    places();
    for (std::size_t i = 0; i < spec_.is_value.size(); ++i) operand(i);
    const bool gives_bool = op_.gives_bool;
    line("  out_at[out_i] = ", gives_bool ? "(u8)((" : "(T)(", expression_,
         gives_bool ? ") ? 1 : 0);" : ");");
    line("}");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(const Parts&... parts) {
    (text_.append(parts), ...);
    text_ += '\n';
  }
  std::string_view result_token() const { return op_.gives_bool ? "bool" : type_.token; }

  void arguments() {
    line("PATCHBAY_KERNEL(", kKernelName, ")(PATCHBAY_OUTPUT(", result_token(), ", out_at)");
    for (std::size_t i = 0; i < spec_.is_value.size(); ++i) {
      if (spec_.is_value[i]) {
        line("  , PATCHBAY_VALUE(", type_.type, ", ", kOperandNames[i], "_value)");
      } else {
        line("  , PATCHBAY_INPUT(", type_.token, ", ", kOperandNames[i], "_at)");
      }
    }
    line("  , PATCHBAY_VALUE(i64, n)");
    if (!spec_.is_flat) {
      values("extent");
      for (const std::string& tensor : tensors_) values(tensor + "_stride");
    }
    line(") {");
  }
  void values(const std::string& name) {
    for (int d = 0; d < spec_.rank; ++d) {
      line("  , PATCHBAY_VALUE(i64, ", name, std::to_string(d), ")");
    }
  }

  /// Where in each tensor the element is.
  void places() {
    for (const std::string& tensor : tensors_) {
      line(spec_.is_flat ? "  const i64 " : "  i64 ", tensor,
           spec_.is_flat ? "_i = i;" : "_i = 0;");
    }
    if (spec_.is_flat) return;
    line("  i64 rest = i;");
    for (int d = spec_.rank - 1; d >= 0; --d) {
      const std::string number = std::to_string(d);
      const std::string index = "index" + number;
      line("  const i64 ", index, " = ", d == 0 ? "rest;" : "rest % extent" + number + ";");
      for (const std::string& tensor : tensors_) {
        line("  ", tensor, "_i += ", index, " * ", tensor, "_stride", number, ";");
      }
      if (d != 0) line("  rest /= extent", number, ";");
    }
  }

  void operand(std::size_t i) {
    const std::string name(kOperandNames[i]);
    const std::string read = spec_.is_value[i] ? name + "_value" : name + "_at[" + name + "_i]";
    const bool is_bool = spec_.dtype == PATCHBAY_BOOL;
    line("  const T ", name, " = ", is_bool ? "(T)(" + read + " != 0)" : read, ";");
  }

  const TextSpec& spec_;
  const Type type_;
  const Operator& op_;
  const std::string_view expression_;
  std::vector<std::string> tensors_;
  std::string text_;
};

}  // namespace

std::span<const Operator> operators() { return kOperators; }

std::string make_text(const TextSpec& spec) {
  const auto op = std::find_if(std::begin(kOperators), std::end(kOperators),
                               [&](const Operator& known) { return known.name == spec.op; });
  const bool rank_is_right = spec.is_flat || (spec.rank >= 1 && spec.rank <= PATCHBAY_MAX_RANK);
  if (op == std::end(kOperators) || type_of(spec.dtype).token.empty() || !rank_is_right ||
      spec.is_value.size() != static_cast<std::size_t>(op->num_operands)) {
    return {};
  }
  const std::string_view expression = expression_of(*op, spec.dtype);
  return expression.empty() ? std::string() : Writer(spec, *op, expression).write();
}

}  // namespace patchbay::elementwise
