// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Prints docs/operator-table.md, with --boundary the operators' table of docs/plugin-abi.md, or
// that of docs/adding-a-plugin.md (--required). The first two are made from the installed table,
// the third from what the conformance suite asks of a plugin.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <patchbay/operators.h>
#include <patchbay/plugin/abi.h>
#include <patchbay/plugin/kernels/signatures.hpp>

#include "conformance/kernels/launcher.h"

namespace {

using patchbay::DType;
using patchbay::ErrorBound;
using patchbay::OperatorInfo;

constexpr const char* kPreface =
    R"(# The table of operators

For authors of plugins. [operators.md](operators.md) describes the functions that programs call.

`tests/docs/check_operators.py --write` makes this page from the operators' records (`elementwise.h` and `operators.h` in
`include/patchbay/plugin/kernels/`). Dispatch, error messages, the kit's checks and the tests in `tests/operators` use the same
records. `patchbay ops` lists the operators and dtypes that a device supports. `patchbay ops --device NAME --json` also gives the
reason for each dtype that it does not support.

All operands have one dtype, which is also the result's unless the column 'result' names another. A result lies within the bound of
the exact result. The unit is one unit in the last place (ulp) of the result, or, where the bound says 'of the terms', of the sum of
the magnitudes of all terms, which does not shrink when terms cancel. A bound of 0 means the nearest value of the dtype. Integers,
bools and indices are exact. f16 and bf16 are computed in f32 and rounded once.

In derivatives `grad` is the gradient of the result `out`. The gradient of a broadcast operand is summed over the dimensions that
were broadcast. Gradients do not flow through an operator without a derivative.

'since' is the version of the plugin boundary that added the operator. A plugin for an earlier one may lack it; one for a later one
has it, or fails `patchbay check`, unless the operator is composite or a factorization: every plugin may leave these out.
)";

/// For a cell of a table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string dtypes_of(const OperatorInfo& record) {
  std::string text;
  for (const DType dtype : record.dtypes) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", to_string(dtype));
  }
  return text;
}

std::string result_of(const OperatorInfo& record) {
  if (record.name == "cast") return "any";
  std::string text;
  for (const DType dtype : record.dtypes) {
    const DType result = record.result_dtype(dtype);
    if (result == dtype) continue;
    const std::string name(to_string(result));
    if (text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
  }
  if (text.empty()) return "the same";
  const bool keeps_some = record.result_dtype(record.dtypes.front()) == record.dtypes.front();
  return keeps_some ? "floats and u64 the same, others " + text : text;
}

std::string bound_of(const OperatorInfo& record) {
  const ErrorBound& bound = record.bound;
  if (bound.f32 == 0 && bound.f64 == 0) return "0";
  const char* const of = bound.scale == ErrorBound::Scale::kTerms ? " of the terms" : "";
  const std::string units = bound.f32 == bound.f64
                                ? fmt::format("{}", bound.f32)
                                : fmt::format("f32 {}, f64 {}", bound.f32, bound.f64);
  return units + of;
}

std::string shapes_of(const OperatorInfo& record) {
  if (record.attributes.empty()) return std::string(record.shapes);
  return fmt::format("{}; attribute {}", record.shapes, record.attributes);
}

void print_family(std::string_view family) {
  std::printf(
      "\n## %s%s\n\n| operator | since | shapes | dtypes | result | bound | derivative | formula "
      "and source |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      std::string(1, static_cast<char>(family[0] - 'a' + 'A')).c_str(),
      std::string(family.substr(1)).c_str());
  for (const OperatorInfo& record : patchbay::operators()) {
    if (record.family != family) continue;
    const std::string derivative =
        record.derivative.empty() ? "none" : "`" + cell(record.derivative) + "`";
    const std::string row =
        fmt::format("| `{}` | {}.{} | {} | {} | {} | {} | {} | {} |\n", record.kernel,
                    PATCHBAY_ABI_MAJOR, record.since, shapes_of(record), dtypes_of(record),
                    result_of(record), bound_of(record), derivative, cell(record.source));
    std::fputs(row.c_str(), stdout);
  }
}

// ------------------------------------------------------------------------------ the boundary ---

using patchbay::kernels::Parameter;
using patchbay::kernels::Result;
using patchbay::kernels::Role;
using patchbay::kernels::Signature;

std::string argument_of(const Parameter& parameter, Result result) {
  const std::string name(parameter.name);
  switch (parameter.role) {
    case Role::kWrite:
      if (result == Result::kBoolean) return name + " bool";
      if (result == Result::kTotal) {
        return name + " (floats and u64 keep their dtype, others give i64)";
      }
      if (result == Result::kIndex) return name + " i64";
      return result == Result::kChosen ? name + " of any dtype" : name;
    case Role::kUpdate: return name + " (read too)";
    case Role::kRead: return name;
    case Role::kOperand: return name + " or scalar";
    case Role::kMask: return name + " bool";
    case Role::kIndex: return name + " i64 or i32";
    case Role::kPlaces: return name + " i64";
    case Role::kScalar: return name + " scalar";
    case Role::kInteger: return name + " scalar i64";
  }
  return name;
}

std::string arguments_of(const Signature& signature) {
  std::string text;
  for (const Parameter& parameter : signature.parameters) {
    text += (text.empty() ? "" : ", ") + argument_of(parameter, signature.result);
  }
  return text;
}

std::string contract_of(const Signature& signature) {
  std::string text = fmt::format("{}; {}", signature.shapes, signature.source);
  if (*signature.contract != 0) text += fmt::format("; {}", signature.contract);
  return text;
}

std::string attributes_of(const Signature& signature) {
  const std::string& text = patchbay::find_operator(signature.name).attributes;
  return text.empty() ? "none" : text;
}

void print_boundary() {
  std::fputs(
      "| name | arguments | dtypes | attributes | contract |\n"
      "| --- | --- | --- | --- | --- |\n",
      stdout);
  for (const Signature& signature : patchbay::kernels::kSignatures) {
    const std::string row =
        fmt::format("| `{}` | {} | {} | {} | {} |\n", signature.kernel, arguments_of(signature),
                    patchbay::kernels::list_of(signature.dtypes, " "), attributes_of(signature),
                    cell(contract_of(signature)));
    std::fputs(row.c_str(), stdout);
  }
}

// ----------------------------------------------------------------- what the suite asks of whom ---

using patchbay::conformance::Demand;
using patchbay::conformance::demand_of;

/// The operators of a dtype that are required, and that are not.
using Lists = std::pair<std::vector<std::string_view>, std::vector<std::string_view>>;

/// Adds the dtype to the row of those with the same lists.
void add_dtype(std::vector<std::pair<std::string, Lists>>& rows, DType dtype) {
  Lists lists;
  bool is_reported = false;
  for (const OperatorInfo& record : patchbay::operators()) {
    if (std::find(record.dtypes.begin(), record.dtypes.end(), dtype) == record.dtypes.end()) {
      continue;
    }
    const Demand demand = demand_of(record.kernel, dtype);
    is_reported = is_reported || demand == Demand::kReported;
    (demand == Demand::kOptional ? lists.second : lists.first).push_back(record.kernel);
  }
  std::string label(to_string(dtype));
  if (is_reported) {
    std::string bit = label;
    for (char& c : bit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    label += fmt::format(" of devices that say `PATCHBAY_CAN_{}`", bit);
  }
  for (auto& [labels, others] : rows) {
    if (others == lists) {
      labels += "; " + label;
      return;
    }
  }
  rows.emplace_back(label, lists);
}

std::string code_of(const std::vector<std::string_view>& kernels) {
  return kernels.empty() ? "none" : fmt::format("`{}`", fmt::join(kernels, " "));
}

void print_required() {
  std::vector<std::pair<std::string, Lists>> rows;
  for (const DType dtype : patchbay::find_operator("copy").dtypes) add_dtype(rows, dtype);
  std::fputs("| dtype | required | checked where it is there |\n| --- | --- | --- |\n", stdout);
  for (const auto& [labels, lists] : rows) {
    const std::string row =
        fmt::format("| {} | {} | {} |\n", labels, code_of(lists.first), code_of(lists.second));
    std::fputs(row.c_str(), stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--boundary") {
    print_boundary();
    return 0;
  }
  if (argc > 1 && std::string_view(argv[1]) == "--required") {
    print_required();
    return 0;
  }
  std::fputs(kPreface, stdout);
  std::string_view family;
  std::string done;
  for (const OperatorInfo& record : patchbay::operators()) {
    if (record.family == family || done.find(record.family) != std::string::npos) continue;
    family = record.family;
    done += std::string(family) + ' ';
    print_family(family);
  }
  return 0;
}
