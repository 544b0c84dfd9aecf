#!/bin/sh
# A survey as a Slurm job array, a part of the rows a task:
#
#   job=$(MODELS=../Llama-3.2-1B TASKS=rte,sst2 DATA=../data OUT=big sbatch --parsable examples/survey.slurm.sh)
#   sbatch --dependency=afterok:$job --wrap "atelier survey merge big"
#
# A part that was killed or ran out of time goes on where it stopped when it is submitted again: all with the same
# line, or part 3 alone with `sbatch --array=3`. For another number of parts change both --array and PARTS.

#SBATCH --job-name=atelier-survey
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=04:00:00

set -eu
PARTS=8
exec "${ATELIER:-atelier}" survey \
  --models "$MODELS" --tasks "$TASKS" ${DATA:+--data "$DATA"} --out "$OUT" \
  --shard "$SLURM_ARRAY_TASK_ID/$PARTS" --resume
