// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/fused/fused.hpp"

#include "cpu-openblas/fused/fused_plan.hpp"
#include "cpu-openblas/fused/fused_run.hpp"
#include "cpu-openblas/threads/stream.hpp"

namespace patchbay::cpu {
namespace {

class FusedKernel final : public plugin::Kernel {
 public:
  FusedKernel(const expression::Program& program, Workers& workers, const Libraries& libraries)
      : plan_(program, libraries.simd()), workers_(workers), libraries_(libraries) {}

  void launch(plugin::Stream& stream, plugin::Arguments arguments, plugin::Memory,
              std::string_view name) override {
    expression::check_arguments(plan_.program, arguments);
    static_cast<Stream&>(stream).submit(
        arguments, name, [this](plugin::Arguments kept) { workers_.run([&] { compute(kept); }); });
  }

 private:
  void compute(plugin::Arguments arguments) const {
    const FusedRun run(plan_, libraries_.simd(), libraries_.cache_bytes(), arguments);
    workers_.split(run.num_tiles(), 1, run.work_bytes(),
                   [&](std::int64_t begin, std::int64_t end) { run.compute(begin, end); });
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
