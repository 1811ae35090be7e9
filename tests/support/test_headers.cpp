// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Empty: this program provides the precompiled headers that the test programs share.
