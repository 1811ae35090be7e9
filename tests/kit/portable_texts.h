// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The texts of the portable operators, as a backend gets them.
#ifndef PATCHBAY_TESTS_KIT_PORTABLE_TEXTS_H_
#define PATCHBAY_TESTS_KIT_PORTABLE_TEXTS_H_

#include "patchbay/plugin/kernels/signatures.hpp"

#include "kit/expression/program.hpp"
#include "kit/portable/base/dtypes.hpp"
#include "kit/portable/elementwise/elementwise_text.hpp"
#include "kit/portable/lowering.hpp"
#include "kit/portable/operators.hpp"
#include "support/kernels.h"
#include "support/paths.h"

namespace patchbay::test {

struct PortableText {
  std::string name;  // operator and dtypes
  std::string text;
};

/// Keeps what it is to build. Its functions do nothing.
class RecordingBackend {
 public:
  explicit RecordingBackend(portable::Traits traits)
      : backend_(std::move(traits), [this](std::string_view text) -> portable::Program {
          built_.emplace_back(text);
          return [](std::string_view) { return std::make_unique<Function>(); };
        }) {}

  portable::Backend& backend() { return backend_; }
  /// What was built since the last call.
  std::vector<std::string> take() { return std::exchange(built_, {}); }

  /// The texts for a spec with the smallest attributes; none if it is refused.
  std::vector<std::string> texts_of(const kernels::Signature& op,
                                    std::vector<patchbay_argument_spec> specs) {
    patchbay_kernel_spec spec{};
    spec.size = sizeof spec;
    spec.op = plugin::to_abi(op.kernel);
    const std::vector<patchbay_attribute> attributes = required_attributes(op);
    spec.attributes = attributes.data();
    spec.num_attributes = static_cast<std::uint32_t>(attributes.size());
    spec.arguments = specs.data();
    spec.num_arguments = static_cast<std::uint32_t>(specs.size());
    spec.workspace_limit_bytes = UINT64_MAX;
    take();
    try {
      if (portable::prepare(backend_, spec) != nullptr) return take();
    } catch (const plugin::StatusError& error) {
    }
    return {};
  }

 private:
  /// All of them are integers.
  static std::vector<patchbay_attribute> required_attributes(const kernels::Signature& op) {
    std::vector<patchbay_attribute> all;
    for (const kernels::AttributeRule& rule : op.attributes) {
      if (!rule.is_required) continue;
      patchbay_attribute attribute{};
      attribute.name = plugin::to_abi(rule.name);
      attribute.type = PATCHBAY_ATTRIBUTE_I64;
      attribute.value.i64 = rule.i64_least;
      all.push_back(attribute);
    }
    return all;
  }

  struct Function : portable::Function {
    void launch(plugin::Stream&, std::string_view, const portable::Grid&,
                const portable::Arguments&) override {}
  };

  portable::Backend backend_;
  std::vector<std::string> built_;
};

inline patchbay_argument_spec argument_spec(kernels::Role role, std::uint8_t out, std::uint8_t in) {
  using kernels::Role;
  patchbay_argument_spec spec{};
  const bool is_scalar = role == Role::kScalar || role == Role::kInteger;
  const bool is_result = role == Role::kWrite || role == Role::kUpdate;
  const bool is_i64 = role == Role::kInteger || role == Role::kIndex || role == Role::kPlaces;
  spec.kind = is_scalar ? PATCHBAY_SCALAR : PATCHBAY_TENSOR;
  spec.dtype = is_i64                ? std::uint8_t{PATCHBAY_I64}
               : role == Role::kMask ? std::uint8_t{PATCHBAY_BOOL}
               : is_scalar           ? kernels::scalar_dtype(in)
                                     : (is_result ? out : in);
  spec.access = role == Role::kUpdate                ? PATCHBAY_READ | PATCHBAY_WRITE
                : is_result || role == Role::kPlaces ? PATCHBAY_WRITE
                                                     : PATCHBAY_READ;
  spec.rank = PATCHBAY_ANY_RANK;
  return spec;
}

/// Of every operator, for each pair of dtypes that it has (of the result, of the
/// operands).
inline std::vector<PortableText> portable_texts(const portable::Traits& traits,
                                                const Bytes& dtypes) {
  RecordingBackend backend(traits);
  std::vector<PortableText> texts;
  for (const kernels::Signature& op : kernels::kSignatures) {
    for (const std::uint8_t out : dtypes) {
      for (const std::uint8_t in : dtypes) {
        const bool is_pair = op.result == kernels::Result::kChosen;
        if (!is_pair && out != kernels::result_dtype(op.result, in)) continue;
        std::vector<patchbay_argument_spec> specs;
        for (const kernels::Parameter& parameter : op.parameters) {
          specs.push_back(argument_spec(parameter.role, out, in));
        }
        for (std::string& text : backend.texts_of(op, specs)) {
          texts.push_back({std::string(op.kernel) + '_' + patchbay::dtype_name(out) + '_' +
                               patchbay::dtype_name(in),
                           std::move(text)});
        }
      }
    }
  }
  return texts;
}

/// The texts that a kernel compiles when a launch needs them, those of cards and of pairs: the
/// transposes, large products, sorted additions, groups of tensors, columns of images and
/// factorizations.
inline std::vector<PortableText> late_texts(const portable::Traits& traits) {
  std::vector<PortableText> texts;
  for (PortableText& one : portable_texts(traits, {PATCHBAY_F32, PATCHBAY_F16})) {
    const std::string first = "#define TURNED 0";
    const std::size_t at = one.text.find(first);
    if (at == std::string::npos || one.text.find("#define TURNED_TYPE ") == std::string::npos)
      continue;
    texts.push_back({"turned_" + one.name, one.text.replace(at, first.size(), "#define TURNED 1")});
  }
  for (PortableText& one :
       portable_texts(traits, {PATCHBAY_F32, PATCHBAY_F64, PATCHBAY_BF16, PATCHBAY_I64})) {
    const std::string single = "#define ITEM_ROWS 1\n#define ITEM_COLUMNS 1\n#define DEPTH 16\n";
    const std::size_t at = one.text.find(single);
    if (at == std::string::npos) continue;
    const bool is_wide = one.name.find("64") != std::string::npos;
    texts.push_back(
        {"large_" + one.name,
         one.text.replace(at, single.size(),
                          is_wide
                              ? "#define ITEM_ROWS 4\n#define ITEM_COLUMNS 4\n#define DEPTH 8\n"
                              : "#define ITEM_ROWS 8\n#define ITEM_COLUMNS 8\n#define DEPTH 8\n")});
  }
  for (PortableText& one : portable_texts(traits, {PATCHBAY_F32, PATCHBAY_F64})) {
    const std::string numbers = "#define PAIRS 0";
    const std::size_t at = one.text.find(numbers);
    if (at == std::string::npos) continue;
    texts.push_back({"pairs_" + one.name, one.text.replace(at, numbers.size(), "#define PAIRS 1")});
  }
  for (const char* types : {"typedef f32 T;\ntypedef f32 W;\ntypedef i32 INDEX;\n",
                            "typedef i64 T;\ntypedef u64 W;\ntypedef i64 INDEX;\n"}) {
    texts.push_back({"scatter_add_sorted",
                     types + read_text(source_path("kit/portable/texts/scatter_add_sorted.pbk"))});
  }
  for (const std::uint8_t dtype : {PATCHBAY_F32, PATCHBAY_F64, PATCHBAY_F16, PATCHBAY_BF16}) {
    RecordingBackend backend(traits);
    const portable::Lowering lowering(backend.backend(), dtype);
    for (std::string& text : backend.take()) {
      texts.push_back({std::string("lowering_") + patchbay::dtype_name(dtype), std::move(text)});
    }
  }
  for (const std::string dtype : {"f32", "f16", "i64"}) {
    const expression::Program program =
        expression::parse("patchbay-expr/1 input:" + dtype + " input:" + dtype +
                          " scalar:" + dtype + " x0 x1 mul.1 set t0 s0 add.1 out x0 t0 sub.1 out");
    texts.push_back(
        {"groups_" + dtype,
         portable::groups_text(program, traits, portable::num_groups_of(program, traits))});
  }
  return texts;
}

/// The elementwise text as it is compiled when places do not fit in 32 bits.
inline std::string with_wide_indices(std::string text) {
  const std::string narrow = "typedef i32 INDEX;";
  if (const std::size_t at = text.find(narrow); at != std::string::npos) {
    text.replace(at, narrow.size(), "typedef i64 INDEX;");
  }
  return text;
}

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_KIT_PORTABLE_TEXTS_H_
