// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/fused/fused.hpp"

#include <algorithm>
#include <vector>

#include "cpu-openblas/fused/fused_plan.hpp"
#include "cpu-openblas/fused/fused_run.hpp"
#include "cpu-openblas/operands/operand.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

class FusedKernel final : public plugin::Kernel {
 public:
  FusedKernel(const expression::Program& program, Workers& workers, const Libraries& libraries)
      : plan_(program, libraries.simd()), workers_(workers), libraries_(libraries) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    const expression::Groups checked(plan_.program, arguments);
    static_cast<Stream&>(stream).submit(
        arguments, name, [this](plugin::Arguments kept) { workers_.run([&] { compute(kept); }); });
  }

 private:
  void compute(plugin::Arguments arguments) const {
    const expression::Groups groups(plan_.program, arguments);
    std::int64_t bytes = 0;
    for (const patchbay_argument& argument : arguments) {
      if (argument.kind == PATCHBAY_TENSOR) {
        bytes += num_elements(argument) * element_bytes(argument.dtype);
      }
    }
    const bool in_caches = bytes <= libraries_.cache_bytes();
    if (groups.size() > 1) return compute(groups, in_caches);
    if (num_elements(groups.tensors(0)[0]) == 0) return;
    const FusedRun run = run_of(groups, 0, in_caches);
    workers_.split(run.num_tiles(), 1, run.work_bytes(),
                   [&](std::int64_t begin, std::int64_t end) { run.compute(begin, end); });
  }

  /// Divides the elements of all groups, so that the threads share large groups and small ones
  /// evenly.
  void compute(const expression::Groups& groups, bool in_caches) const {
    std::vector<std::int64_t> ends;  // of each group, in elements of all
    ends.reserve(groups.size());
    std::int64_t total = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      ends.push_back(total += num_elements(groups.tensors(g)[0]));
    }
    workers_.split(total, 1, total * plan_.work_bytes, [&](std::int64_t begin, std::int64_t end) {
      auto group = static_cast<std::size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
      for (; begin < end; begin = ends[group++]) {
        const std::int64_t first = group == 0 ? 0 : ends[group - 1], size = ends[group] - first;
        if (size == 0) continue;
        const FusedRun run = run_of(groups, group, in_caches);
        run.compute(share_of(run.num_tiles(), begin - first, size),
                    share_of(run.num_tiles(), std::min(end, ends[group]) - first, size));
      }
    });
  }

  /// The tiles that belong to the first `part` of `size` elements: all of them for all elements.
  static std::int64_t share_of(std::int64_t num_tiles, std::int64_t part, std::int64_t size) {
    if (part == size) return num_tiles;
    return static_cast<std::int64_t>(static_cast<double>(part) / static_cast<double>(size) *
                                     static_cast<double>(num_tiles));
  }

  FusedRun run_of(const expression::Groups& groups, std::size_t group, bool in_caches) const {
    return {plan_, libraries_.simd(), in_caches, groups.tensors(group), groups.scalars()};
  }

  const FusedPlan plan_;
  Workers& workers_;
  const Libraries& libraries_;
};

class FusedModule final : public plugin::Module {
 public:
  FusedModule(std::string_view code, Workers& workers, const Libraries& libraries)
      : program_(expression::parse(code)), workers_(workers), libraries_(libraries) {}

  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override {
    expression::check_kernel(program_, name, arguments);
    return std::make_unique<FusedKernel>(program_, workers_, libraries_);
  }

 private:
  const expression::Program program_;
  Workers& workers_;
  const Libraries& libraries_;
};

}  // namespace

std::unique_ptr<plugin::Module> load_fused(std::string_view code, Workers& workers,
                                           const Libraries& libraries) {
  return std::make_unique<FusedModule>(code, workers, libraries);
}

}  // namespace patchbay::cpu
