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

# logged LOG WHAT COMMAND...: runs a command with its output in LOG; if the command fails, prints the end of LOG and
# ends the script: "cannot WHAT".
logged() {
  local log=$1 what=$2
  shift 2
  "$@" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "cannot $what (full log in $log)"
  }
}

# need COMMAND THING: ends the script where there is no such command, and says what its package is called
# here (ci/packages has the thing).
need() {
  command -v "$1" >/dev/null || die "no $1 here (expected the package $(ci/install-dependencies --name "$2"))"
}

# The Python of .venv, or of the system where there is none.
python=$root/.venv/bin/python
[[ -x $python ]] || python=python3

# need_python MODULES: ends the script with status 77, and the reason, where $python lacks one of the modules.
need_python() {
  local reason
  reason=$("$python" -c "import $1" 2>&1) || {
    echo "skipped: $python: ${reason##*$'\n'} (ci/venv --dev installs it)"
    exit 77
  }
}

# expect WHAT ACTUAL EXPECTED: a check of a test that is a script, which ends with `report_failures`.
failures=0
expect() {
  [[ $2 == "$3" ]] && return
  echo "FAILED: $1: '$2' (expected '$3')" >&2
  failures=$((failures + 1))
}
report_failures() {
  ((failures == 0)) || exit 1
  echo "all as expected"
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
    # What is not in the cache is not preprocessed only to be looked up.
    export CCACHE_DEPEND=${CCACHE_DEPEND:-1}
  fi
}

# build PRESET [TARGET...]: configures, with the options of the array configure_options, and builds; everything
# where no target is named.
configure_options=()
build() {
  local preset=$1
  shift
  need cmake CMake
  need ninja Ninja
  mkdir -p "$root/build"
  logged "$root/build/$preset-configure.log" "configure preset $preset" \
    cmake --preset "$preset" "${configure_options[@]}"
  cmake --build --preset "$preset" --parallel "$(jobs)" ${1+--target "$@"}
}
