# The long form of scripts/test, which sources this file. Each row of the table in docs/status.md is
# a check. A failed check does not stop the others.

all_rows=(release asan tsan format tidy patches fuzz mutants)

what_of() {
  case $1 in
    release) echo 'the suite with optimised kernels, and its long runs' ;;
    asan) echo 'the suite below the address and undefined sanitizers' ;;
    tsan) echo 'the suite below the thread sanitizer' ;;
    format) echo 'clang-format changes nothing' ;;
    tidy) echo 'clang-tidy on core/' ;;
    patches) echo 'three operators and a function added to a copy as docs/adding-an-operator.md says, on every backend' ;;
    fuzz) echo 'the readers of files under libFuzzer, ten minutes for each format' ;;
    mutants) echo 'a hundred small changes to core, kit and plugins, of which the suite notices 90' ;;
  esac
}

row_release() {
  configure release "${test_options[@]}" -DPATCHBAY_TEST_OPTIMISED_KERNELS=ON
  build release
  PATCHBAY_TEST_ALL=1 suite release
}
row_asan() { run_sanitized asan; }
row_tsan() { run_sanitized tsan; }

# Without the long runs, which would take hours, and what only reads sources and documents.
run_sanitized() {
  configure "$1" "${test_options[@]}" -DPATCHBAY_BUILD_BENCH=OFF
  build "$1"
  suite "$1" -LE '^(long|rules|docs)$'
}

row_format() {
  command -v clang-format >/dev/null || { echo 'no clang-format'; return 77; }
  our_sources | xargs -0 clang-format --dry-run -Werror
}

row_tidy() {
  command -v clang-tidy >/dev/null || { echo 'no clang-tidy'; return 77; }
  # For the compile commands, without what clang does not know: g++'s precompiled headers, an option,
  # and warnings.
  cmake --preset release -B build/tidy "${demo_options[@]}" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
  sed -i 's/ -fno-gnu-unique\b//g' build/tidy/compile_commands.json
  find core -name '*.cpp' -print0 |
    xargs -0 -P 2 -n 1 clang-tidy --quiet -p build/tidy --extra-arg=-Wno-unknown-warning-option
}

# Values, gradients and messages of the three, the conformance checks, and the function by its name, for
# all backends.
patched_targets=(operators_page operators_test autograd_test call_test conformance_test
                 conformance_opencl_pthread_test)
patched_suites='^(operators_test|autograd_test\.Gradient|call_test|conformance_(opencl_pthread_)?test\.|docs\.(interface|operators|plugin))'

row_patches() {
  command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1 || { echo 'no git repository'; return 77; }
  local copy=$PWD/build/patches/tree
  rm -rf "$copy"
  mkdir -p "$copy"
  # Files of the working tree; of those that were removed git knows the names alone.
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
  done | xargs -0 cp --parents -t "$copy"
  # Below a repository git would take the patches' paths for those of that repository.
  (cd "$copy" && GIT_CEILING_DIRECTORIES=${copy%/*} git apply \
    tests/patches/{elementwise,reduction,attributes,function}.patch)
  (cd "$copy" && . scripts/lib.sh && run_patched)
}

run_patched() {
  python3 tools/interface/interface.py . --write
  python3 -B tests/rules/check_rules.py 3_layers 3_rooms
  configure release "${test_options[@]}" -DPATCHBAY_BUILD_EXAMPLES=OFF -DPATCHBAY_BUILD_BENCH=OFF
  build release "${patched_targets[@]}"
  python3 tests/docs/check_operators.py . build/release/test-bin/operators_page --write
  suite release -R "$patched_suites"
}

row_fuzz() {
  command -v clang++-14 >/dev/null || { echo 'no clang++-14'; return 77; }
  configure release "${test_options[@]}"
  build release patchbay-fuzzers patchbay-plugins
  export -f fuzz_format
  printf '%s\n' csv idx npy npz plugin_file safetensors |
    xargs -P 2 -I {} bash -euo pipefail -c 'fuzz_format {} >build/all.fuzz.{}.log 2>&1 ||
      { tail -n 60 build/all.fuzz.{}.log; exit 1; }'
}

# fuzz_format FORMAT: keeps new inputs, and an input that fails, in build/fuzz.
fuzz_format() {
  local found=build/fuzz/$1
  mkdir -p "$found"
  PATCHBAY_PLUGINS=cpu-openblas "build/release/test-bin/fuzz-$1" -max_total_time=600 -max_len=4096 \
    -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found-" "$found" \
    "build/release/tests/fuzz/corpus/$1"
}

# PATCHBAY_MUTANTS: more arguments, such as --seed 2 or --count 20.
row_mutants() {
  local -a more
  read -ra more <<<"${PATCHBAY_MUTANTS:-}"
  python3 -B tests/mutants/mutants.py . build/mutants "${more[@]}"
}

# run_row NAME: fails as the check does. One that can't run here exits 77 and gives the reason in its
# last line.
run_row() {
  local name=$1 log=build/all.$1.log rc start=$SECONDS result
  say "$name: $(what_of "$name")"
  # A subshell, so that a failure ends only this check; as a plain command, because bash ignores
  # `set -e` on the left of || and &&.
  set +e
  (set -euo pipefail; "row_$name") >"$log" 2>&1
  rc=$?
  set -e
  case $rc in
    0) result=passed ;;
    77) result="skipped: $(tail -n 1 "$log")" ;;
    *) result=FAILED; tail -n 60 "$log" ;;
  esac
  result+=$(sed -n 's/.*, \([0-9]*\) tests* failed out of \([0-9]*\)$/, \1 of \2 suites failed/p' "$log" |
    tail -n 1)
  printf '   %s\n' "$result"
  scripts/status_row.py docs/status.md "$name" "$(what_of "$name")" "$result" \
    "$(date -u +%F), $(git rev-parse --short HEAD 2>/dev/null || echo 'no commit')" \
    "$((SECONDS - start))"
  [ "$rc" = 0 ] || [ "$rc" = 77 ]
}

# run_rows [NAME...]: runs all rows if no name is given.
run_rows() {
  local name failed=0
  need_packages "${all_packages[@]}"
  mkdir -p build
  for name in "${@:-${all_rows[@]}}"; do run_row "$name" || failed=1; done
  return "$failed"
}
