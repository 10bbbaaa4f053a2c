# What the scripts of ci/ share; sourced, not run. Prints the script's header comment where --help is asked for.
# Sets `root`, the repository's root, and goes there.
# shellcheck shell=bash
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }
[[ ${1:-} != --help && ${1:-} != -h ]] || { usage && exit 0; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit

# step TEXT...: a heading, with the seconds since the script began.
step() { printf '\n== %4d s  %s\n' "$SECONDS" "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# need COMMAND THING: ends the script where there is no such command, and says what its package is called
# here (ci/packages has the thing).
need() {
  command -v "$1" >/dev/null || die "no $1 here (expected the package $(ci/install-dependencies --name "$2"))"
}

# Parallel jobs: the CPUs that this process may use, and 1.5 GB of memory for each.
jobs() {
  local cpus memory_kb most
  cpus=$(nproc)
  memory_kb=$(awk '/MemAvailable/ {print $2}' /proc/meminfo)
  most=$((memory_kb / 1500000))
  ((most < 1)) && most=1
  echo $((cpus < most ? cpus : most))
}

# nvcc may be installed without being on the PATH.
find_cuda() {
  if ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
    PATH=/usr/local/cuda/bin:$PATH
    export PATH
  fi
  command -v nvcc >/dev/null
}

# Compilers' results are kept between runs where ccache is installed.
use_ccache() {
  if command -v ccache >/dev/null && [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]]; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    # With these, ccache keeps what was compiled with precompiled headers too.
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  fi
}

# The names of the tiny golden cases, a line each.
tiny_cases() { sed -n 's/^  "\(tiny-[a-z-]*\)": {$/\1/p' "$root/golden/cases.json" | sort -u; }

# build PRESET [TARGET...]: configures, with the options of the array configure_options, and builds; everything
# where no target is named.
configure_options=()
build() {
  local preset=$1
  shift
  need cmake CMake
  need ninja Ninja
  cmake --preset "$preset" "${configure_options[@]}" >"$root/build/$preset-configure.log" 2>&1 || {
    tail -n 30 "$root/build/$preset-configure.log" >&2
    die "cannot configure preset $preset (full log in build/$preset-configure.log)"
  }
  cmake --build --preset "$preset" --parallel "$(jobs)" ${1+--target "$@"}
}
