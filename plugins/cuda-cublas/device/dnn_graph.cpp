// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/dnn_graph.hpp"

#include "cuda-cublas/api/toolkit.hpp"
#include "kit/card/api/lazy.hpp"

namespace patchbay::cuda {

DnnTable::DnnTable(plugin::Host host, int driver_version) {
  Library library =
      card::library_of(host, "cuda_dnn_library", toolkit_files("cudnn", driver_version));
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_DNN_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  uses_tf32 = card::is_on(host, "cuda_tf32");
  if (library.is_complete()) return;
  plugin::unsupported("no cuDNN 9: " + library.why() +
                      ". Install it, or name it by the setting cuda_dnn_library");
}

DnnDescriptor::DnnDescriptor(card::DeviceLibrary& library, const DnnTable& table, int kind)
    : library_(&library), table_(&table) {
  library.call({}, table.create_descriptor, kind, &native_);
}

DnnDescriptor::~DnnDescriptor() {
  if (native_ == nullptr) return;
  library_->context().call_quietly(table_->destroy_descriptor, native_);
}

DnnDescriptor& DnnDescriptor::set(int attribute, int type, std::int64_t count, const void* values) {
  library_->call({}, table_->set_attribute, native_, attribute, type, count, values);
  return *this;
}

std::int64_t DnnDescriptor::get(int attribute, int type, std::int64_t most, void* values) const {
  std::int64_t count = 0;
  library_->call({}, table_->get_attribute, native_, attribute, type, most, &count, values);
  return count;
}

DnnDescriptor& DnnDescriptor::set_factors(int alpha, int beta, bool is_f64) {
  if (is_f64) return set(alpha, kDnnTypeDouble, 1.0).set(beta, kDnnTypeDouble, 0.0);
  return set(alpha, kDnnTypeFloat, 1.0F).set(beta, kDnnTypeFloat, 0.0F);
}

DnnDescriptor DnnDescriptor::finalized() {
  library_->call({}, table_->finalize, native_);
  return std::move(*this);
}

}  // namespace patchbay::cuda
