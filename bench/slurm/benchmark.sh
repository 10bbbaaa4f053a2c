# Runs spex-bench in a batch job. gpu.sbatch, cpu.sbatch and nodes.sbatch source it after settings.sh.
#
# They set `default_plan`, `default_only` (entries of that plan) and, for one run per node, `each_node`. Otherwise
# spex-bench replaces the shell, so that its exit status is the job's, and Slurm's signal before the time limit reaches
# it.
# shellcheck shell=bash disable=SC2154
plan=${SPEX_PLAN:-$default_plan}
only=${SPEX_ONLY:-}
[[ $only || ${SPEX_PLAN:-} ]] || only=$default_only
[[ $plan == */* ]] || plan=$root/bench/plans/$plan.json
[[ -r $plan ]] || die "$plan: cannot be read (expected SPEX_PLAN to be a file, or a name in bench/plans)" 2
[[ -x $bin/spex-bench ]] || die "$bin/spex-bench: no such program (expected SPEX_BENCH=ON)" 2

out=${SPEX_OUT:-slurm-$SLURM_JOB_ID}
# Named after the results, so that simultaneous jobs have different folders.
data=${SPEX_DATA:-${SCRATCH:+$SCRATCH/spexbench-data/$(basename "$out")}}
each_node=${each_node:-false}
if ! $each_node && ((SLURM_JOB_NUM_NODES > 1)) && in_memory "$data"; then
  die "SPEX_DATA=$data is another folder on each node (expected one that all nodes share)" 2
fi

system=${SPEX_SYSTEM:-${SLURM_CLUSTER_NAME:-}}
# Slurm 23.11 without accounting gives its jobs the cluster name "(null)".
if [[ ! $system || $system == "(null)" ]]; then
  system=$(scontrol show config | sed -n 's/^ClusterName *= *//p')
fi
options=(--system "$system")
if $each_node; then
  [[ ! $only ]] || options+=(--only "$only")
  [[ ! ${SPEX_THRESHOLDS:-} ]] || options+=(--thresholds "$(realpath "$SPEX_THRESHOLDS")")
  plan=$(realpath "$plan") out=$(realpath -m "$out")
  [[ ! $data ]] || data=$(realpath -m "$data")
  echo "on each of $SLURM_JOB_NUM_NODES node(s): spex-bench $plan ${options[*]} $*"
  mkdir -p "$out"
  scontrol show hostnames "$SLURM_JOB_NODELIST" >"$out/nodes.list"
  # A node that fails or ends early does not end the others. The steps themselves use no MPI.
  srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \
    --cpus-per-task="$SLURM_CPUS_ON_NODE" --cpu-bind=none --mpi=none --kill-on-bad-exit=0 --wait=0 \
    "$root/bench/slurm/one-node" "$bin/spex-bench" "$plan" "$out" "$data" "${options[@]}" "$@" || true
  "$bin/spex-reports" nodes "$out" --out "$out" --margin "${SPEX_MARGIN:-0.02}"
  exit
fi

[[ ! $data ]] || mkdir -p "$(dirname "$data")"
arguments=("$plan" --out "$out" --launcher srun --nodes "$SLURM_JOB_NUM_NODES" "${options[@]}")
[[ ! $data ]] || arguments+=(--data "$data")
[[ ! $only ]] || arguments+=(--only "$only")
[[ ! ${SPEX_THRESHOLDS:-} ]] || arguments+=(--thresholds "$SPEX_THRESHOLDS")
# A job that is requeued, or submitted with the SPEX_OUT of an earlier one, resumes there.
[[ ! -d $out ]] || arguments+=(--resume)
arguments+=("$@")

echo "spex-bench ${arguments[*]}"
exec "$bin/spex-bench" "${arguments[@]}"
