// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/portable/dtypes.hpp"

namespace patchbay::portable {
namespace {

std::string list(Specs specs) {
  std::string text = "(";
  for (const auto& spec : specs) {
    if (text.size() > 1) text += ", ";
    if (spec.kind == PATCHBAY_SCALAR) text += "scalar ";
    text += spec.kind == PATCHBAY_BYTES ? "bytes" : dtype_name(spec.dtype);
  }
  return text + ")";
}

bool fits(char kind, const patchbay_argument_spec& spec) {
  const bool writes = (spec.access & PATCHBAY_WRITE) != 0;
  const bool scalar = spec.kind == PATCHBAY_SCALAR;
  const bool tensor = spec.kind == PATCHBAY_TENSOR;
  switch (kind) {
    case 'o': return tensor && writes;
    case 't': return tensor && !writes;
    case 's': return scalar;
    default: return scalar || (tensor && !writes);
  }
}

}  // namespace

std::string dtype_name(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F32: return "f32";
    case PATCHBAY_F64: return "f64";
    case PATCHBAY_F16: return "f16";
    case PATCHBAY_BF16: return "bf16";
    case PATCHBAY_I32: return "i32";
    case PATCHBAY_I64: return "i64";
    case PATCHBAY_U8: return "u8";
    case PATCHBAY_BOOL: return "bool";
    default: return "dtype " + std::to_string(dtype);
  }
}

std::string element_type(std::uint8_t dtype) {
  return dtype == PATCHBAY_BOOL ? "u8" : dtype_name(dtype);
}

std::size_t element_bytes(std::uint8_t dtype) {
  switch (dtype) {
    case PATCHBAY_F64:
    case PATCHBAY_I64: return 8;
    case PATCHBAY_F32:
    case PATCHBAY_I32: return 4;
    default: return 1;
  }
}

void check_specs(std::string_view op, std::string_view kinds, Specs specs, const Traits& device) {
  if (specs.size() != kinds.size()) {
    plugin::unsupported(std::string(op) + ": expected " + std::to_string(kinds.size()) +
                        " arguments, got " + std::to_string(specs.size()));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!fits(kinds[i], specs[i])) {
      plugin::unsupported(std::string(op) + ": argument " + std::to_string(i) + " of " +
                          list(specs) + " is of the wrong kind");
    }
    const std::uint8_t dtype = specs[i].dtype;
    if (dtype == PATCHBAY_F64 && !device.has_f64) {
      plugin::unsupported(std::string(op) + ": this device (" + device.name + ") has no f64");
    }
    if (!is_known(dtype)) refuse(op, specs);
  }
}

void refuse(std::string_view op, Specs specs) {
  plugin::unsupported(std::string(op) + ": no kernel for " + list(specs));
}

}  // namespace patchbay::portable
