// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A process that calls chroot after a plugin was opened takes no code from its new root.
#ifndef PATCHBAY_KIT_LIBRARY_ROOT_FOLDER_HPP_
#define PATCHBAY_KIT_LIBRARY_ROOT_FOLDER_HPP_

#include <string>

namespace patchbay {

/// The root directory of the process, as it was when the plugin first opened a library or called
/// `keep`.
class RootFolder {
 public:
  /// A driver that opens its libraries later calls this when it is made.
  static void keep();
  /// Why no library is opened and no compiler started now; empty if the root is still the same.
  static std::string why_not();
  /// Throws PATCHBAY_UNSUPPORTED with that reason. `what` is refused: "kernels are compiled".
  static void check(const std::string& what);
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_LIBRARY_ROOT_FOLDER_HPP_
