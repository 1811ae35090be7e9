// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Empty: this library provides the precompiled headers of the standard library.
