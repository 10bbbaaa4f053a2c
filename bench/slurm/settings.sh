# Settings of the batch files in bench/slurm; source it. docs/slurm.md explains the variables.
#
# Sets `root`, the folder of plans and scripts, and `bin`, the folder of programs. Slurm runs a copy of the batch file
# from another folder. The root is therefore SPEX_ROOT or the folder where sbatch was called: the repository's root, or
# share/spexbench of an installation.
# shellcheck shell=bash
die() { echo "${SLURM_JOB_NAME:-bench/slurm}: $1" >&2 && exit "${2:-1}"; }

[[ ${SLURM_JOB_ID:-} ]] || die "not within a job (expected: sbatch bench/slurm/FILE.sbatch)" 2
root=$(realpath "${SPEX_ROOT:-${SLURM_SUBMIT_DIR:-$PWD}}")
[[ -d $root ]] || die "SPEX_ROOT=$root: no such folder" 2

# Load modules and the like before programs are searched.
if [[ ${SPEX_SETUP:-} ]]; then
  [[ -r $SPEX_SETUP ]] || die "$SPEX_SETUP: cannot be read (expected the shell commands of SPEX_SETUP)" 2
  set +u # environment modules use unset variables
  # shellcheck source=/dev/null
  source "$SPEX_SETUP"
  set -u
fi

bin=$(realpath -m "${SPEX_BUILD:-$root/build}")/bin
[[ -x $bin/spex-cpu ]] ||
  die "$bin/spex-cpu: no such program (expected SPEX_BUILD to be a build folder, or an installation)" 2

# The PMI type with which Slurm starts ranks depends on the MPI: Open MPI needs PMIx, MPICH PMI-2, and Cray MPICH the
# site's default. A type set by the caller is kept, and the site's default is used if Slurm lacks the type.
if [[ -z ${SLURM_MPI_TYPE:-} ]]; then
  pmi=
  case $(ldd "$bin/spex-cpu") in
    *libmpi_cray* | *libmpi_gnu* | *libmpi_nvidia* | *libmpi_intel* | */cray/*) ;;
    *libopen-pal* | *libmpi.so.40*) pmi=pmix ;;
    *libmpich* | *libmpi.so.12*) pmi=pmi2 ;;
  esac
  if [[ $pmi && $(srun --mpi=list 2>&1) == *$pmi* ]]; then export SLURM_MPI_TYPE=$pmi; fi
fi
# hwloc in the launcher would otherwise initialize every GPU (docs/command-line.md).
export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--cuda,-nvml,-opencl,-gl}
# Ranks choose among all GPUs of their node by their local rank.
export SLURM_GPU_BIND=none
# The programs use their own threads.
export OMP_NUM_THREADS=1

# in_memory FOLDER: whether each node has its own FOLDER.
in_memory() { [[ $1 == /dev/shm/* || $1 == /tmp/* ]]; }

echo "job $SLURM_JOB_ID of $SLURM_JOB_NUM_NODES node(s): $SLURM_JOB_NODELIST," \
  "started again ${SLURM_RESTART_COUNT:-0} times, programs in $bin," \
  "srun --mpi=${SLURM_MPI_TYPE:-default}"
