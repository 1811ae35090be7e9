// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/blas_lt.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "cuda-cublas/api/toolkit.hpp"
#include "cuda-cublas/device/blas.hpp"

namespace patchbay::cuda {

BlasLtTable::BlasLtTable(plugin::Host host, int driver_version) {
  Library library = card::library_of(host, kSetting, toolkit_files("cublasLt", driver_version));
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_BLAS_LT_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  file = library.path();
  if (library.is_complete()) return;
  plugin::unsupported("no cuBLASLt: " + library.why() + ". " + card::remedy_of(host, kSetting));
}

BlasLt::~BlasLt() {
  if (handle_ != nullptr) context().call_quietly(table_->destroy, handle_);
}

void BlasLt::create_handle() {
  NativeBlasLt handle = nullptr;
  const BlasResult code = context().attempt(table_->create, &handle);
  // The library gives the first of these where a call of the driver fails, which a full device may
  // cause.
  if (code == kBlasNotInitialized || code == kBlasAllocationFailed) {
    throw_full(table_->create.name, code);
  }
  if (code != kBlasSuccess) {
    plugin::unsupported(std::string("cuBLASLt does not work here: ") + table_->create.name +
                        " gives status " + std::to_string(code) +
                        ". Install the one beside cuBLAS, or name it by the setting " +
                        BlasLtTable::kSetting);
  }
  handle_ = handle;
}

// ------------------------------------------------------------------------------------- plans

/// The product reads the operand as a matrix of `rows` and `columns`; a transposed one lies the
/// other way round.
BlasLt::Owned<LayoutObject> BlasLt::layout(int type, int rows, int columns,
                                           const Operand& operand) {
  if (operand.transposed) std::swap(rows, columns);
  return made(table_->create_layout, table_->destroy_layout, type, static_cast<std::uint64_t>(rows),
              static_cast<std::uint64_t>(columns), std::int64_t{operand.leading});
}

void BlasLt::set_bias(const Plan& plan, card::Address address, std::string_view name) {
  call(name, table_->set_matmul, plan.matmul.get(), kMatmulBias, &address, sizeof address);
}

std::optional<BlasLt::Plan> BlasLt::find_plan(const Problem& problem, plugin::Memory bias) {
  const int type = blas_type_of(problem.dtype);
  const bool is_tf32 = type == kBlasF32 && uses_tf32_;
  Plan plan;
  plan.matmul = made(table_->create_matmul, table_->destroy_matmul,
                     is_tf32 ? kBlasLtComputeTf32 : kBlasComputeF32, kBlasF32);
  const auto set = [&](int attribute, int value) {
    call({}, table_->set_matmul, plan.matmul.get(), attribute, &value, sizeof value);
  };
  set(kMatmulTransposeA, blas_operation(problem.a.transposed));
  set(kMatmulTransposeB, blas_operation(problem.b.transposed));
  set(kMatmulEpilogue, kBlasLtEpilogueBias);
  // The heuristics look at the address's alignment. It is that of all biases of this plan.
  constexpr card::Address kPage = 4096;
  const card::Address page = card::address_of(bias) / kPage * kPage;
  set_bias(plan, page | problem.bias.alignment_bytes, {});
  plan.a = layout(type, problem.m, problem.k, problem.a);
  plan.b = layout(type, problem.k, problem.n, problem.b);
  plan.c = layout(type, problem.m, problem.n, problem.c);
  if (!find_algorithm(problem, plan)) return std::nullopt;
  return plan;
}

bool BlasLt::find_algorithm(const Problem& problem, Plan& plan) {
  const auto preference = made(table_->create_preference, table_->destroy_preference);
  const auto set = [&](int attribute, auto value) {
    call({}, table_->set_preference, preference.get(), attribute, &value, sizeof value);
  };
  set(kPreferenceWorkspaceBytes, problem.workspace_bytes);
  // Other reductions round the parts of a sum to the result's type.
  set(kPreferenceReductions, std::uint32_t{kBlasLtSumsInComputeType});
  set(kPreferenceAlignmentA, problem.a.alignment_bytes);
  set(kPreferenceAlignmentB, problem.b.alignment_bytes);
  set(kPreferenceAlignmentC, problem.c.alignment_bytes);
  set(kPreferenceAlignmentD, problem.c.alignment_bytes);
  MatmulProposal proposal{};
  int count = 0;
  const BlasResult code =
      context().attempt(table_->propose, handle_, plan.matmul.get(), plan.a.get(), plan.b.get(),
                        plan.c.get(), plan.c.get(), preference.get(), 1, &proposal, &count);
  if (code == kBlasNotSupported || code == kBlasLtInvalidValue) return false;
  check({}, table_->propose.name, code);
  if (count == 0 || proposal.state != kBlasSuccess) return false;
  plan.algorithm = proposal.algorithm;
  plan.workspace_bytes = proposal.workspace_bytes;
  return plan.workspace_bytes <= problem.workspace_bytes;
}

bool BlasLt::run(card::Stream& stream, const Problem& problem, const Operands& operands,
                 std::string_view name) {
  const std::shared_ptr<const Plan> plan =
      plans_.get(problem, [&] { return find_plan(problem, operands.bias); });
  if (plan == nullptr) return false;
  set_bias(*plan, card::address_of(operands.bias), name);
  static constexpr float kOne = 1, kZero = 0;
  const auto* const a = card::pointer_to<const void>(operands.a);
  const auto* const b = card::pointer_to<const void>(operands.b);
  auto* const c = card::pointer_to<void>(operands.c);
  call(name, table_->multiply, handle_, plan->matmul.get(), &kOne, a, plan->a.get(), b,
       plan->b.get(), &kZero, c, plan->c.get(), c, plan->c.get(), &plan->algorithm,
       card::pointer_to<void>(operands.workspace), plan->workspace_bytes, stream.native());
  return true;
}

}  // namespace patchbay::cuda
