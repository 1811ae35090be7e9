// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries that all vendors' run-time compilers have.
#include "rtc.h"

#include <cstring>

namespace patchbay::sim {

RtcResult build(ProgramObject& program, bool is_code, const std::string& architecture,
                bool flushes) {
  program.image = {is_code, architecture, program.text, flushes};
  try {
    load(program.text);
    return kRtcSuccess;
  } catch (const std::exception& error) {
    program.log = error.what();
    return kRtcErrorCompilation;
  }
}

RtcResult create(NativeProgram* program, const char* text, const char*, int, const char* const*,
                 const char* const*) {
  *program = new ProgramObject{without_dialect(text), {}, {}};
  return kRtcSuccess;
}

RtcResult destroy(NativeProgram* program) {
  delete *program;
  *program = nullptr;
  return kRtcSuccess;
}

RtcResult code_size(NativeProgram program, std::size_t* size) {
  *size = program->image.is_code ? program->image.to_bytes().size() + 1 : 0;
  return kRtcSuccess;
}

RtcResult code(NativeProgram program, char* image) {
  const std::string bytes = program->image.to_bytes();
  std::memcpy(image, bytes.c_str(), bytes.size() + 1);
  return kRtcSuccess;
}

RtcResult log_size(NativeProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return kRtcSuccess;
}

RtcResult log(NativeProgram program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return kRtcSuccess;
}

}  // namespace patchbay::sim
