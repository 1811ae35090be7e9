# The long form of scripts/test, sourced by it. Goes through every check, also after a failure, and
# writes one line for each into docs/status.md.

need_packages "${all_packages[@]}"
export PATCHBAY_TEST_ALL=1
rows=()
failed=0

# check NAME COMMAND...: runs it, keeps its log, remembers a line for the table. A command that can't
# run here exits 77 and gives the reason in its last line.
check() {
  local name=$1 log rc start=$SECONDS result detail
  shift
  log=build/all.${name//[^a-z0-9]/-}.log
  say "$name"
  # A subshell, so that a failure inside ends this check and not the others; as a plain command, for
  # bash ignores `set -e` to the left of || and &&.
  set +e
  (set -euo pipefail; "$@") >"$log" 2>&1
  rc=$?
  set -e
  detail=$(grep -E 'tests passed|tests failed' "$log" | tail -n 1 || true)
  case $rc in
    0) result=passed ;;
    77) result=skipped detail=$(tail -n 1 "$log") ;;
    *) result=FAILED failed=1; tail -n 60 "$log" ;;
  esac
  printf '   %s: %s %s\n' "$name" "$result" "$detail"
  rows+=("| $name | $result | ${detail:--} | $((SECONDS - start)) |")
}

run_preset() {
  configure "$@"
  build "$1"
  ctest --test-dir "build/$1" --output-on-failure -j2
}

check_format() {
  command -v clang-format >/dev/null || { echo 'no clang-format'; return 77; }
  our_sources | xargs -0 clang-format --dry-run -Werror
}

check_tidy() {
  command -v clang-tidy >/dev/null || { echo 'no clang-tidy'; return 77; }
  # The compile commands are g++'s, which has warnings that clang does not know.
  find core -name '*.cpp' -print0 |
    xargs -0 -P 2 -n 1 clang-tidy --quiet -p build/release --extra-arg=-Wno-unknown-warning-option
}

write_status() {
  local status=docs/status.md begin='<!-- scripts/test --all: begin -->' table
  local end='<!-- scripts/test --all: end -->'
  [ -e "$status" ] || printf '# Status\n\n' >"$status"
  grep -qF "$begin" "$status" || printf '\n%s\n%s\n' "$begin" "$end" >>"$status"
  table=$(mktemp)
  {
    printf 'Last run of `scripts/test --all`: %s, commit %s, %s, %s cores.\n\n' \
      "$(date -u +%F)" "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" \
      "$(g++ --version | head -n 1)" "$(nproc)"
    printf '| check | result | detail | seconds |\n| --- | --- | --- | --- |\n'
    printf '%s\n' "${rows[@]}"
  } >"$table"
  sed -i -e "\\|$begin|,\\|$end|{\\|$begin|{p;r $table
};\\|$end|p;d}" "$status"
  rm -f "$table"
}

check 'release with long runs' run_preset release "${test_options[@]}" -DPATCHBAY_BUILD_BENCH=ON
check 'address and undefined' run_preset asan "${test_options[@]}"
check 'threads' run_preset tsan "${test_options[@]}"
check 'format' check_format
check 'tidy' check_tidy
write_status

printf '%s\n' "${rows[@]}"
exit "$failed"
