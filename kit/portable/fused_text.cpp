// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <set>

#include "kit/portable/dtypes.hpp"
#include "kit/portable/expressions.hpp"
#include "kit/portable/fused.hpp"
#include "kit/portable/text.hpp"

namespace patchbay::portable {
namespace {

using expression::Program;
using expression::Source;
using expression::Value;

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string hexadecimal(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", number);
  return text;
}

/// A literal with exactly these bits.
std::string constant_text(std::uint8_t dtype, std::uint64_t bits) {
  if (dtype == PATCHBAY_F32) {
    return "PATCHBAY_FROM_BITS(" + hexadecimal(bits) + "u)";
  }
  if (dtype == PATCHBAY_F64) {
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) return "(f64)PATCHBAY_NAN";
    if (std::isinf(value)) return value > 0 ? "(f64)PATCHBAY_INFINITY" : "-(f64)PATCHBAY_INFINITY";
    return hexadecimal(value);
  }
  return "(" + element_type(dtype) + ")" + hexadecimal(bits);
}

std::string wrapping_type(std::uint8_t dtype) {
  if (is_float(dtype)) return element_type(dtype);
  return dtype == PATCHBAY_I64 ? "u64" : "u32";
}

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  std::string run() {
    for (const Value& value : program_.values) {
      if (value.source == Source::kOperator) define_function(value);
    }
    write_nest();
    write_dense();
    write_strided();
    return std::move(text_);
  }

 private:
  /// The dtype that an operator is for: the first operand may be a condition.
  std::uint8_t dtype_of_operands(const Value& value) const {
    return program_.values[value.operands[value.num_operands - 1U]].dtype;
  }

  // ------------------------------------------------------------------------------- functions

  std::string function_of(const Value& value) const {
    const std::string name(value.op.substr(0, value.op.find('.')));
    return "fused_" + name + "_" + dtype_name(dtype_of_operands(value)) + "_" +
           dtype_name(value.dtype);
  }

  /// The table's expression for these dtypes, under their names in the table.
  void define_function(const Value& value) {
    const std::string name = function_of(value);
    if (!functions_.insert(name).second) return;
    const std::uint8_t in = dtype_of_operands(value);
    const Expression* const found = find_expression(value.op);
    const std::string expression =
        found != nullptr ? expression_text(*found, value.dtype, in) : std::string();
    if (expression.empty()) {
      plugin::unsupported("a fused expression: " + std::string(value.op) + " has no kernel for " +
                          dtype_name(in));
    }
    text_ += define("OUT", element_type(value.dtype)) + define("T", element_type(in)) +
             define("W", wrapping_type(in));
    text_ += "PATCHBAY_FUNCTION OUT " + name + "(" + parameters_of(value, *found);
    text_ += ") { return (OUT)(" + expression + "); }\n#undef OUT\n#undef T\n#undef W\n";
  }

  std::string parameters_of(const Value& value, const Expression& expression) const {
    std::string text;
    std::string_view names = expression.operands;  // "a, b, c", of which there may be fewer
    for (std::size_t i = 0; i < value.num_operands; ++i) {
      const std::size_t comma = std::min(names.find(','), names.size());
      text += (i == 0 ? "const " : ", const ") +
              element_type(program_.values[value.operands[i]].dtype) + " " +
              std::string(names.substr(0, comma));
      names.remove_prefix(std::min(comma + 2, names.size()));
    }
    return text;
  }

  // ------------------------------------------------------------------------------- kernels

  static std::string numbered(const char* prefix, std::size_t number) {
    return prefix + std::to_string(number);
  }
  template <class Each>
  void for_tensors(const Each& each) const {
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      each(numbered("y", o), element_type(program_.output_dtype(o)), true);
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      each(numbered("x", i), element_type(program_.inputs[i]), false);
    }
  }

  void begin_kernel(const char* name, const char* last_parameter) {
    text_ += std::string("PATCHBAY_KERNEL(") + name + ")(";
    for_tensors([&](const std::string& tensor, const std::string& type, bool is_output) {
      text_ +=
          (is_output ? "PATCHBAY_OUTPUT_OF(" : "PATCHBAY_INPUT_OF(") + type + ", " + tensor + "), ";
    });
    for (std::size_t s = 0; s < program_.scalars.size(); ++s) {
      text_ += "PATCHBAY_VALUE_OF(" + element_type(program_.scalars[s]) + ", " + numbered("s", s) +
               "), ";
    }
    text_ += std::string(last_parameter) + ") {\n";
    for_tensors([&](const std::string& tensor, const std::string& type, bool is_output) {
      text_ += (is_output ? "  PATCHBAY_BIND_OF(" : "  PATCHBAY_BIND_INPUT_OF(") + type + ", " +
               tensor + ");\n";
    });
  }

  std::string source_of(const Value& value, const std::string& place) const {
    const auto argument = [&](std::size_t i) { return numbered("v", value.operands[i]); };
    switch (value.source) {
      case Source::kInput: {
        const std::string name = numbered("x", value.bits);
        const std::string element = name + "[" + (place.empty() ? "at_" + name : place) + "]";
        // Any byte but 0 is true.
        return value.dtype == PATCHBAY_BOOL ? "(u8)(" + element + " != 0 ? 1 : 0)" : element;
      }
      case Source::kScalar: return numbered("s", value.bits);
      case Source::kConstant: return constant_text(value.dtype, value.bits);
      case Source::kOperator: break;
    }
    std::string call = function_of(value) + "(" + argument(0);
    for (std::size_t i = 1; i < value.num_operands; ++i) call += ", " + argument(i);
    return call + ")";
  }

  /// All inputs are read before an output is written: they may be one.
  void write_body(const std::string& place) {
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      const Value& value = program_.values[i];
      text_ += "    const " + element_type(value.dtype) + " " + numbered("v", i) + " = " +
               source_of(value, place) + ";\n";
    }
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      const std::string name = numbered("y", o);
      text_ += "    " + name + "[" + (place.empty() ? "at_" + name : place) +
               "] = " + numbered("v", program_.outputs[o]) + ";\n";
    }
  }

  void write_dense() {
    begin_kernel("dense", "PATCHBAY_VALUE_OF(INDEX, n)");
    text_ += "  const INDEX i = (INDEX)PATCHBAY_GLOBAL_ID64(0);\n  if (i < n) {\n";
    write_body("i");
    text_ += "  }\n}\n";
  }

  void write_nest() {
    text_ +=
        "typedef struct {\n  INDEX rank, chunks, items, unused;\n  INDEX shape[8];\n"
        "  INDEX strides[" +
        std::to_string(program_.num_tensors()) + "][8];\n} Nest;\n";
  }

  void write_strided() {
    begin_kernel("strided", "PATCHBAY_STRUCT_OF(Nest, nest)");
    text_ +=
        "  PATCHBAY_BIND_STRUCT_OF(Nest, nest);\n"
        "  const INDEX item = (INDEX)PATCHBAY_GLOBAL_ID64(0);\n"
        "  if (item >= nest.items) return;\n"
        "  const INDEX last = nest.rank - 1;\n"
        "  INDEX rest = item / nest.chunks;\n"
        "  const INDEX begin = (item - rest * nest.chunks) * CHUNK;\n"
        "  const INDEX length = nest.shape[last];\n"
        "  const INDEX end = begin + CHUNK < length ? begin + CHUNK : length;\n";
    each_place([](const std::string& at, const std::string& strides) {
      return "  INDEX " + at + " = begin * " + strides + "[last];\n";
    });
    text_ +=
        "  for (INDEX d = last - 1; d >= 0; --d) {\n"
        "    const INDEX quotient = rest / nest.shape[d];\n"
        "    const INDEX index = rest - quotient * nest.shape[d];\n";
    each_place([](const std::string& at, const std::string& strides) {
      return "    " + at + " += index * " + strides + "[d];\n";
    });
    text_ += "    rest = quotient;\n  }\n  for (INDEX k = begin; k < end; ++k) {\n";
    write_body("");
    each_place([](const std::string& at, const std::string& strides) {
      return "    " + at + " += " + strides + "[last];\n";
    });
    text_ += "  }\n}\n";
  }

  template <class Line>
  void each_place(const Line& line) {
    std::size_t number = 0;
    for_tensors([&](const std::string& tensor, const std::string&, bool) {
      text_ += line("at_" + tensor, "nest.strides[" + std::to_string(number++) + "]");
    });
  }

  const Program& program_;
  std::string text_;
  std::set<std::string> functions_;
};

}  // namespace

std::string fused_text(const expression::Program& program) { return Writer(program).run(); }

}  // namespace patchbay::portable
