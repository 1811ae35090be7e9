// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Nothing: this program holds the precompiled headers that the test programs share.
