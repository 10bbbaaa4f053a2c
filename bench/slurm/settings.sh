# What the batch files of bench/slurm share; sourced, not run. docs/slurm.md explains the variables.
#
# Sets `root`, the folder of plans and scripts, and `bin`, the programs. Slurm runs a copy of a batch file
# from elsewhere, so the root is where sbatch was called, or SPEX_ROOT: the repository's root, or
# share/spexbench of an installation.
# shellcheck shell=bash
die() { echo "${SLURM_JOB_NAME:-bench/slurm}: $1" >&2 && exit "${2:-1}"; }

[[ ${SLURM_JOB_ID:-} ]] || die "not within a job (expected: sbatch bench/slurm/FILE.sbatch)" 2
root=$(realpath "${SPEX_ROOT:-${SLURM_SUBMIT_DIR:-$PWD}}")
[[ -d $root ]] || die "SPEX_ROOT=$root: there is no such folder" 2

# Modules and the like, before programs are looked for.
if [[ ${SPEX_SETUP:-} ]]; then
  [[ -r $SPEX_SETUP ]] || die "$SPEX_SETUP: cannot be read (expected the shell commands of SPEX_SETUP)" 2
  set +u # scripts of environment modules use variables that are not set
  # shellcheck source=/dev/null
  source "$SPEX_SETUP"
  set -u
fi

bin=$(realpath -m "${SPEX_BUILD:-$root/build}")/bin
[[ -x $bin/spex-cpu ]] ||
  die "$bin/spex-cpu: there is no such program (expected SPEX_BUILD to be a build folder, or an installation)" 2

# How Slurm starts ranks depends on the MPI that the programs are linked with: Open MPI takes PMIx
# alone, MPICH PMI-2, and Cray's what the site's Slurm does by itself. A type that the caller has set
# stays, and so does the site's where Slurm has not the other.
if [[ -z ${SLURM_MPI_TYPE:-} ]]; then
  wire_up=
  case $(ldd "$bin/spex-cpu") in
    *libmpi_cray* | *libmpi_gnu* | *libmpi_nvidia* | *libmpi_intel* | */cray/*) ;;
    *libopen-pal* | *libmpi.so.40*) wire_up=pmix ;;
    *libmpich* | *libmpi.so.12*) wire_up=pmi2 ;;
  esac
  if [[ $wire_up && $(srun --mpi=list 2>&1) == *$wire_up* ]]; then export SLURM_MPI_TYPE=$wire_up; fi
fi
# hwloc in the launcher would start every GPU to describe it (docs/command-line.md).
export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--cuda,-nvml,-opencl,-gl}
# Ranks choose among all GPUs of their node, by their local rank.
export SLURM_GPU_BIND=none
# The programs' own threads work on patches.
export OMP_NUM_THREADS=1

# in_memory FOLDER: whether it is one that each node has for itself.
in_memory() { [[ $1 == /dev/shm/* || $1 == /tmp/* ]]; }

echo "job $SLURM_JOB_ID of $SLURM_JOB_NUM_NODES node(s): $SLURM_JOB_NODELIST," \
  "started again ${SLURM_RESTART_COUNT:-0} times, programs in $bin," \
  "srun --mpi=${SLURM_MPI_TYPE:-default}"
