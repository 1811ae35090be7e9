// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/executor/executor.hpp"

#include <algorithm>

#include "kExecutorPrelude.text.h"
#include "kit/dialect_module.hpp"
#include "kit/executor/cache.hpp"
#include "kit/executor/child_process.hpp"
#include "kit/library/root_folder.hpp"
#include "kit/library/search.hpp"
#include "kit/text_hash.hpp"

namespace patchbay::executor {
namespace {

/// Whether the work-items of a group share memory, wait for each other or exchange values. Ignores
/// comments but not string literals: a kernel has no literal that contains //.
bool has_barriers(std::string_view text) {
  while (!text.empty()) {
    const std::size_t word = std::min({text.find("PATCHBAY_BARRIER"), text.find("PATCHBAY_SHARED"),
                                       text.find("PATCHBAY_SHUFFLE_DOWN")});
    const std::size_t comment = std::min(text.find("//"), text.find("/*"));
    if (word <= comment) return word != std::string_view::npos;
    const std::string_view end = text[comment + 1] == '/' ? "\n" : "*/";
    const std::size_t after = text.find(end, comment + 2);
    text.remove_prefix(after == std::string_view::npos ? text.size() : after);
  }
  return false;
}

/// The C++ source for the compiler: the user's text becomes the body of a struct.
std::string source_of(std::string_view text) {
  std::string source = has_barriers(text) ? "#define PATCHBAY_HAS_BARRIERS 1\n"
                                          : "#define PATCHBAY_HAS_BARRIERS 0\n";
  source += "#define PATCHBAY_MAX_GROUP_SIZE " + std::to_string(kMaxGroupSize) + "\n";
  source += kExecutorPrelude;
  source += "struct patchbay_text : patchbay_work_item {\n#line 1 \"kernel\"\n";
  source += text;
  source += "\n#line 1 \"after the text\"\n};\n";
  return source;
}

void build(const Compiler& compiler, const std::string& directory, const std::string& source,
           const std::string& key) {
  const WorkFolder work(directory, source);
  std::string log;
  const std::string fault = compiler.compile(work, log);
  if (!fault.empty()) {
    check_disk(directory, log);
    throw plugin::StatusError(PATCHBAY_BUILD_FAILED, fault);
  }
  keep_library(work.library(), directory, key);
}

}  // namespace

Executor::Executor(plugin::Host host) : host_(host), path_(environment("PATH")), cache_(host) {}

const Compiler& Executor::compiler(const std::string& directory) {
  const std::scoped_lock lock(mutex_);
  if (!compiler_) compiler_.emplace(host_, path_, directory);
  return *compiler_;
}

std::shared_ptr<const Module> Executor::load(std::string_view format, std::string_view text) {
  check_dialect(format);
  check_children_allowed();
  RootFolder::check("kernel text is compiled");
  const std::string directory = cache_.directory();
  const Compiler& compiler = this->compiler(directory);
  const std::string source = source_of(text);
  const std::string key = text_hash(compiler.identity() + '\0' + source);
  std::string path = find_library(directory, key);
  if (path.empty()) {
    build(compiler, directory, source, key);
    path = find_library(directory, key);
  }
  if (path.empty()) {
    throw plugin::StatusError(PATCHBAY_DRIVER_ERROR,
                              "a compiled kernel was removed from '" + directory + "'");
  }
  return std::make_shared<const Module>(path, stacks_, has_barriers(text));
}

}  // namespace patchbay::executor
