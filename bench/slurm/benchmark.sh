# Runs spex-bench in a batch job; sourced by gpu.sbatch and cpu.sbatch after settings.sh.
#
# Takes `default_plan` and `default_only`, entries of that plan, from them. spex-bench replaces the
# shell, so that its exit status is the job's, and the signal that Slurm sends before the time is up
# reaches it.
# shellcheck shell=bash disable=SC2154
plan=${SPEX_PLAN:-$default_plan}
only=${SPEX_ONLY:-}
[[ $only || ${SPEX_PLAN:-} ]] || only=$default_only
[[ $plan == */* ]] || plan=bench/plans/$plan.json
[[ -r $plan ]] || die "$plan: cannot be read (expected SPEX_PLAN to be a file, or a name in bench/plans)" 2
[[ -x $bin/spex-bench ]] || die "$bin/spex-bench: there is no such program (expected SPEX_BENCH=ON)" 2

out=${SPEX_OUT:-slurm-$SLURM_JOB_ID}
data=${SPEX_DATA:-${SCRATCH:+$SCRATCH/spexbench-data}}
if ((SLURM_JOB_NUM_NODES > 1)) && in_memory "$data"; then
  die "SPEX_DATA=$data is another folder on each node (expected one that all nodes share)" 2
fi

arguments=("$plan" --out "$out" --launcher srun --nodes "$SLURM_JOB_NUM_NODES"
  --system "${SPEX_SYSTEM:-$SLURM_CLUSTER_NAME}")
[[ ! $data ]] || arguments+=(--data "$data")
[[ ! $only ]] || arguments+=(--only "$only")
[[ ! ${SPEX_THRESHOLDS:-} ]] || arguments+=(--thresholds "$SPEX_THRESHOLDS")
# A job that is requeued, or sent with the SPEX_OUT of one that ended early, goes on where that was.
[[ ! -d $out ]] || arguments+=(--resume)
arguments+=("$@")

echo "spex-bench ${arguments[*]}"
exec "$bin/spex-bench" "${arguments[@]}"
