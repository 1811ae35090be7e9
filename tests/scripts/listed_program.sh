#!/bin/sh
# Lists cases as a GoogleTest program does.
cat <<'LISTING'
Running main() from gtest_main.cc
Plain.
  IsOne
  IsAnother
OnDevices.
  Adds/cpu0  # GetParam() = "cpu:0; all [cores]"
  Adds/fake0  # GetParam() = "fake:0"
Large/OnDevices.
  Adds/0  # GetParam() = 4
OfType/0.  # TypeParam = float
  Sorts
OfType/1.  # TypeParam = int
  Sorts
LISTING
