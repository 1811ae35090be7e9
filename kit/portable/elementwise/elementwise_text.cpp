// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/elementwise/elementwise_text.hpp"

#include <algorithm>
#include <set>

#include "kElementwiseText.text.h"
#include "kGeluText.text.h"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/base/text.hpp"
#include "kit/portable/elementwise/expressions.hpp"

namespace patchbay::portable {
namespace {

using expression::Program;
using expression::Source;
using expression::Value;

std::string numbered(const char* prefix, std::size_t number) {
  return prefix + std::to_string(number);
}

/// The dtype of an operator's operands, ignoring a condition in front.
std::uint8_t dtype_of_operands(const Program& program, const Value& value) {
  return program.values[value.operands[value.num_operands - 1U]].dtype;
}

/// These are computed one by one: the vector forms of an OpenCL library were found to be wrong for
/// tiny angles that share a vector with one above 2^20.
bool is_of_angles(std::string_view op) { return op == "sin.1" || op == "cos.1" || op == "tan.1"; }

class Writer {
 public:
  Writer(const Program& program, const Traits& traits)
      : program_(program),
        traits_(traits),
        vector_(vector_of(program, traits)),
        is_operand_(program.values.size()) {
    for (const Value& value : program.values) {
      for (std::size_t i = 0; i < value.num_operands; ++i) is_operand_[value.operands[i]] = true;
    }
  }

  /// What the kernel `groups` needs before the text.
  std::string group_definitions(std::int64_t count) const {
    std::int64_t step = 1;
    while (2 * step < count) step *= 2;
    std::string parameters, bind;
    std::size_t number = 0;
    for_tensors([&](const std::string& tensor, const std::string& type, bool is_output) {
      const std::string element = (is_output ? "" : "const ") + type;
      std::string chosen;
      for (std::int64_t g = 0; g < count && !traits_.has_addresses; ++g) {
        const std::string mine = tensor + "_" + std::to_string(g);
        const std::string arguments = "(" + type + ", " + mine + ")";
        parameters += (is_output ? "PATCHBAY_OUTPUT_OF" : "PATCHBAY_INPUT_OF") + arguments + ", ";
        bind += (is_output ? "PATCHBAY_BIND_OF" : "PATCHBAY_BIND_INPUT_OF") + arguments + "; ";
        chosen += g + 1 < count ? "(g) == " + std::to_string(g) + " ? " + mine + " : " : mine;
      }
      if (traits_.has_addresses) {
        chosen = "PATCHBAY_POINTER_OF(" + element + ", addresses, " + std::to_string(number) +
                 " * GROUPS + (g))";
      }
      bind += "PATCHBAY_GLOBAL " + element + " *const " + tensor + " = " + chosen + "; ";
      ++number;
    });
    if (traits_.has_addresses) {
      parameters = "PATCHBAY_ADDRESSES_OF(" + std::to_string(number) + " * GROUPS, addresses), ";
    }
    for_scalars([&](const std::string& parameter) { parameters += parameter + ", "; });
    parameters.resize(parameters.size() - 2);
    return define("GROUPS", count) + define("GROUP_STEP", step) +
           define("GROUP_PARAMETERS", parameters) + define("BIND_GROUP(g)", bind);
  }

  std::string run() {
    write_conversions();
    if (vector_ > 1) write_vectors();
    for (const Value& value : program_.values) {
      if (value.source == Source::kOperator) define_function(value);
    }
    write_parameters();
    write_element();
    if (can_turn(program_, traits_)) {
      text_ += define("TURNED_TYPE", element_type(program_.inputs[0]));
    }
    return text_ + define("VECTOR", vector_) + define("PACK", pack_of(program_, traits_)) +
           kElementwiseText;
  }

 private:
  void write_conversions() {
    const auto small = std::find_if(program_.values.begin(), program_.values.end(),
                                    [](const Value& value) { return is_small_float(value.dtype); });
    if (small != program_.values.end()) text_ += conversions_of(small->dtype, traits_);
  }

  // ------------------------------------------------------------------------------- types

  /// All values of a program with vectors have one dtype.
  void write_vectors() {
    const std::uint8_t dtype = program_.values[0].dtype;
    const std::string width = std::to_string(vector_);
    text_ += alias("T", value_type(dtype)) + alias("STORED", element_type(dtype)) +
             alias("V", (dtype == PATCHBAY_F64 ? "double" : "float") + width) +
             define("IS_STORED_PLAIN", is_small_float(dtype) ? 0 : 1) +
             define("OF(element)", loaded(dtype, "element")) +
             define("TO(value)", stored(dtype, "(value)")) + define("VLOAD", "vload" + width) +
             define("VSTORE", "vstore" + width);
    if (!is_small_float(dtype)) return;
    text_ +=
        "PATCHBAY_FUNCTION V rounded(const V v) {\n"
        "  T values[" +
        width + "];\n  VSTORE(v, 0, values);\n  for (i32 c = 0; c < " + width +
        "; ++c) values[c] = OF(TO(values[c]));\n  return VLOAD(0, values);\n}\n";
  }

  std::string type_of(std::uint8_t dtype) const { return vector_ > 1 ? "V" : value_type(dtype); }

  /// Small floats are copied as bits if no operator uses them.
  bool is_moved(std::size_t number) const {
    return program_.values[number].source != Source::kOperator && !is_operand_[number] &&
           is_small_float(program_.values[number].dtype);
  }

  // ------------------------------------------------------------------------------- functions

  std::string function_of(const Value& value) const {
    const std::string name(value.op.substr(0, value.op.find('.')));
    return "do_" + name + "_" + dtype_name(dtype_of_operands(program_, value)) + "_" +
           dtype_name(value.dtype);
  }

  /// Defines the table's expression for these dtypes as a function of the table's operand names.
  void define_function(const Value& value) {
    const std::string name = function_of(value);
    if (!functions_.insert(name).second) return;
    const std::uint8_t in = dtype_of_operands(program_, value);
    const Expression* const found = find_expression(value.op);
    std::string expression =
        found != nullptr ? expression_text(*found, value.dtype, in) : std::string();
    if (value.op == "gelu.1" && value_type(in) == "f32" && !traits_.is_cpu) {
      if (functions_.insert("gelu_f32").second) text_ += kGeluText;
      expression = "gelu_f32(a)";
    }
    // Some drivers' tanh never reaches 1. It is within half a unit of 1 from here on.
    if (value.op == "tanh.1") {
      const char* const bound = value_type(in) == "f32" ? "9.011" : "19.062";
      expression = "fabs(a) > (T)" + std::string(bound) + " ? copysign((T)1, a) : tanh(a)";
    }
    if (expression.empty()) {
      plugin::unsupported("a fused expression: " + std::string(value.op) + " has no kernel for " +
                          dtype_name(in));
    }
    const std::string wrapping = vector_ > 1 ? "V" : wrapping_type(in);
    text_ += define("OUT", type_of(value.dtype)) + define("T", type_of(in)) +
             define("W", wrapping) + define("SUM", traits_.has_f64 ? "f64" : "f32");
    text_ += "PATCHBAY_FUNCTION OUT " + name + "(" + parameters_of(value, *found);
    text_ += ") { return (OUT)(" + expression + "); }\n";
    text_ += "#undef OUT\n#undef T\n#undef W\n#undef SUM\n";
  }

  std::string parameters_of(const Value& value, const Expression& expression) const {
    std::string text;
    std::string_view names = expression.operands;  // "a, b, c", or fewer
    for (std::size_t i = 0; i < value.num_operands; ++i) {
      const std::size_t comma = std::min(names.find(','), names.size());
      text += (i == 0 ? "const " : ", const ") + type_of(program_.values[value.operands[i]].dtype) +
              " " + std::string(names.substr(0, comma));
      names.remove_prefix(std::min(comma + 2, names.size()));
    }
    return expression.uses_index ? text + ", const INDEX i" : text;
  }

  // ------------------------------------------------------------------------------- definitions

  template <class Each>
  void for_tensors(const Each& each) const {
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      each(numbered("y", o), element_type(program_.output_dtype(o)), true);
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      each(numbered("x", i), element_type(program_.inputs[i]), false);
    }
  }

  template <class Each>
  void for_scalars(const Each& each) const {
    for (std::size_t s = 0; s < program_.scalars.size(); ++s) {
      each("PATCHBAY_VALUE_OF(" + element_type(program_.scalars[s]) + ", " + numbered("s", s) +
           ")");
    }
  }

  void write_parameters() {
    std::string parameters, bind, each, each_output, each_input;
    std::size_t number = 0;
    for_tensors([&](const std::string& tensor, const std::string& type, bool is_output) {
      const std::string arguments = "(" + type + ", " + tensor + ")";
      if (number != 0) parameters += ", ";
      parameters += (is_output ? "PATCHBAY_OUTPUT_OF" : "PATCHBAY_INPUT_OF") + arguments;
      bind += (is_output ? "PATCHBAY_BIND_OF" : "PATCHBAY_BIND_INPUT_OF") + arguments + "; ";
      each += "DO(" + tensor + ", " + std::to_string(number++) + ") ";
      (is_output ? each_output : each_input) += "DO(" + tensor + ", " + type + ") ";
    });
    for_scalars([&](const std::string& parameter) { parameters += ", " + parameter; });
    text_ += define("PARAMETERS", parameters) + define("BIND", bind) +
             define("EACH_TENSOR(DO)", each) + define("EACH_OUTPUT(DO)", each_output) +
             define("EACH_INPUT(DO)", each_input) +
             define("NUM_TENSORS", static_cast<std::int64_t>(number));
  }

  std::string source_of(const Value& value, bool is_moved) const {
    switch (value.source) {
      case Source::kInput: {
        const std::string element = "LOAD(" + numbered("x", value.bits) + ")";
        return vector_ > 1 || is_moved ? element : loaded(value.dtype, element);
      }
      case Source::kScalar: {
        const std::string scalar = numbered("s", value.bits);
        return is_moved ? scalar : loaded(value.dtype, scalar);
      }
      case Source::kConstant:
        return constant_text(is_moved ? std::uint8_t{PATCHBAY_U16} : value.dtype, value.bits);
      case Source::kOperator: break;
    }
    std::string call = function_of(value) + "(" + numbered("v", value.operands[0]);
    for (std::size_t i = 1; i < value.num_operands; ++i) {
      call += ", " + numbered("v", value.operands[i]);
    }
    return call + (find_expression(value.op)->uses_index ? ", NUMBER)" : ")");
  }

  /// Rounds an output that is also an operand; other outputs are rounded by the store.
  std::string rounded(std::size_t number, const std::string& result) const {
    const Value& value = program_.values[number];
    const bool is_exact = value.source != Source::kOperator || !is_small_float(value.dtype);
    if (is_exact || !is_operand_[number]) return result;
    return vector_ > 1 ? "rounded(" + result + ")"
                       : loaded(value.dtype, stored(value.dtype, result));
  }

  void write_element() {
    std::string element;
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      const Value& value = program_.values[i];
      const bool moved = is_moved(i) && vector_ == 1;
      const std::string type = moved ? element_type(value.dtype) : type_of(value.dtype);
      const std::string source = rounded(i, source_of(value, moved));
      element += "const " + type + " " + numbered("v", i) + " = " +
                 (vector_ > 1 ? "(V)(" + source + ")" : source) + "; ";
    }
    for (std::size_t o = 0; o < program_.outputs.size(); ++o) {
      const std::size_t number = program_.outputs[o];
      const bool as_it_is = vector_ > 1 || is_moved(number);
      const std::string value = numbered("v", number);
      element += "STORE(" + numbered("y", o) + ", " +
                 (as_it_is ? value : stored(program_.output_dtype(o), value)) + "); ";
    }
    text_ += define("ELEMENT", element);
  }

  const Program& program_;
  const Traits& traits_;
  const std::int64_t vector_;
  std::vector<bool> is_operand_;  // whether an operator uses the value
  std::string text_;
  std::set<std::string> functions_;
};

}  // namespace

std::int64_t vector_of(const expression::Program& program, const Traits& traits) {
  const bool rounds_twice = !traits.divides_exactly;  // not needed for vectors
  const std::uint8_t dtype = program.values[0].dtype;
  if (!traits.has_vectors || rounds_twice || !is_float(dtype)) return 1;
  bool has_function = false;
  for (const Value& value : program.values) {
    if (value.dtype != dtype) return 1;
    if (value.source != Source::kOperator) continue;
    const Expression* const found = find_expression(value.op);
    if (found == nullptr || found->rule != Rule::kSame || found->uses_index) return 1;
    if (is_of_angles(value.op)) return 1;
    has_function = has_function || found->is_function;
  }
  const std::int64_t bytes = dtype == PATCHBAY_F64 ? 8 : 4;  // of a value
  return has_function ? std::clamp<std::int64_t>(traits.vector_bytes / bytes, 2, 16) : 1;
}

std::int64_t pack_of(const expression::Program& program, const Traits& traits) {
  if (traits.is_cpu) return 1;
  std::size_t widest = 1;
  for (const std::uint8_t dtype : program.inputs) widest = std::max(widest, element_bytes(dtype));
  for (std::size_t o = 0; o < program.outputs.size(); ++o) {
    widest = std::max<std::size_t>(widest, element_bytes(program.output_dtype(o)));
  }
  return traits.pack_of(widest);
}

bool can_turn(const expression::Program& program, const Traits& traits) {
  return !traits.is_cpu && program.inputs.size() == 1 && program.outputs.size() == 1;
}

std::size_t num_groups_of(const expression::Program& program, const Traits& traits) {
  constexpr std::int64_t kBytes = 8;  // of an address, an offset or a scalar
  const auto num_tensors = static_cast<std::int64_t>(program.num_tensors());
  const auto num_scalars = static_cast<std::int64_t>(program.scalars.size());
  const std::int64_t group_bytes =
      (traits.has_addresses ? 1 : 2) * kBytes * num_tensors + 2 * sizeof(std::int32_t);
  const std::int64_t fitting = (traits.argument_bytes - kBytes * num_scalars) / group_bytes;
  const std::int64_t most =
      traits.has_addresses
          ? static_cast<std::int64_t>(Arguments::kMostAddresses) / num_tensors
          : (static_cast<std::int64_t>(Arguments::kMost) - num_scalars - 1) / num_tensors;
  return std::min(static_cast<std::size_t>(std::max<std::int64_t>(std::min(fitting, most), 0)),
                  kMostGroups);
}

std::string groups_text(const expression::Program& program, const Traits& traits,
                        std::size_t num_groups) {
  const Writer definitions(program, traits);
  return alias("INDEX", "i32") + define("CHUNK", 1) + define("TURNED", 0) +
         definitions.group_definitions(static_cast<std::int64_t>(num_groups)) +
         elementwise_text(program, traits);
}

std::string elementwise_text(const expression::Program& program, const Traits& traits) {
  return Writer(program, traits).run();
}

}  // namespace patchbay::portable
