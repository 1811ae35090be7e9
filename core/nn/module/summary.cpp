// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "patchbay/nn/module.h"

#include "core/nn/module/parameter_state.h"
#include "core/nn/module/walk.h"

namespace patchbay::nn {
namespace {

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

struct Row {
  std::string name, type, parameters;
};

struct Totals {
  std::int64_t elements = 0, bytes = 0;
  bool is_complete = true;
  std::vector<std::string> devices;
};

/// The parameters of the module itself, each counted where it is met first.
Row row_of(const std::string& name, Module& module, std::set<const module::ParameterState*>& seen,
           Totals& totals) {
  std::int64_t elements = 0;
  bool is_lazy = false;
  module::walk_own(module, [&](std::string_view, Parameter& parameter, bool is_buffer) {
    const std::string device = parameter.device().name();
    if (std::ranges::find(totals.devices, device) == totals.devices.end()) {
      totals.devices.push_back(device);
    }
    if (!parameter.defined()) {
      is_lazy = true;
    } else if (!is_buffer && seen.insert(&parameter.state()).second) {
      elements += parameter->num_elements();
      totals.bytes += static_cast<std::int64_t>(parameter->size_bytes());
    }
  });
  totals.elements += elements;
  if (is_lazy) totals.is_complete = false;
  const std::string details = module.details();
  return {name.empty() ? "-" : name,
          module.type_name() + (details.empty() ? "" : '(' + details + ')'),
          is_lazy ? "after a batch" : grouped(elements)};
}

}  // namespace

std::string Module::summary() {
  std::vector<Row> rows = {{"module", "type", "parameters"}};
  std::set<const module::ParameterState*> seen;
  Totals totals;
  module::walk(*this, {[&](const std::string& name, Module& module) {
                         rows.push_back(row_of(name, module, seen, totals));
                       },
                       {}});
  std::size_t names = 0, types = 0, numbers = 0;
  for (const Row& row : rows) {
    names = std::max(names, row.name.size());
    types = std::max(types, row.type.size());
    numbers = std::max(numbers, row.parameters.size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}  {:<{}}  {:>{}}\n", row.name, names, row.type, types,
                        row.parameters, numbers);
  }
  std::string where;
  for (const std::string& device : totals.devices)
    where += (where.empty() ? " on " : ", ") + device;
  text += fmt::format("{}{} parameters, {} bytes{}\n", totals.is_complete ? "" : "at least ",
                      grouped(totals.elements), grouped(totals.bytes), where);
  return text;
}

std::ostream& operator<<(std::ostream& out, Module& module) { return out << module.summary(); }

}  // namespace patchbay::nn
