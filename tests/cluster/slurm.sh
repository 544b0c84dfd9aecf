#!/bin/sh
# The Slurm example on a real Slurm: its array of eight and the merge that depends on it end with the bytes of one
# run. Installs Slurm from Debian on this machine alone, where it is root, and leaves it stopped:
#
#   sh tests/cluster/slurm.sh                    # builds atelier, or
#   ATELIER=/usr/local/bin/atelier sh tests/cluster/slurm.sh
#
# No other test calls it: it installs packages, and starts services that belong to a cluster.

set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)

fail() {
  echo "slurm.sh: $*" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail "only root can install and start a scheduler"
command -v apt-get >/dev/null || fail "Slurm is installed by apt-get, which is not here"

if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
  echo "… apt-get install slurmctld slurmd slurm-client munge"
  # Its services would start with another configuration than this one's.
  policy=/usr/sbin/policy-rc.d
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && ours=$policy; }
  # A bare image has no lists of packages yet.
  apt-get -qq update >/dev/null || installed=no
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
    slurmctld slurmd slurm-client munge >/dev/null || installed=no
  [ -z "${ours:-}" ] || rm -f "$ours"
  [ "${installed:-yes}" = yes ] || fail "apt-get could not install Slurm: is there a network?"
fi

if [ -z "${ATELIER:-}" ]; then
  echo "… cargo build --release"
  (cd "$root" && cargo build --quiet --release --bin atelier)
  ATELIER=${CARGO_TARGET_DIR:-$root/target}/release/atelier
fi
[ -x "$ATELIER" ] || fail "there is no program $ATELIER"
export ATELIER

work=$(mktemp -d)
daemons=""
# shellcheck disable=SC2317,SC2329  # The trap calls it.
tidy() {
  status=$?
  for pid in $daemons; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  [ "$status" = 0 ] || tail -n 20 "$work"/*.log "$work"/*.out 2>/dev/null || true
  rm -rf "$work"
  exit "$status"
}
trap tidy EXIT
trap 'exit 130' INT TERM

# One node of eight processors, whatever is here, so that two parts run side by side.
node=$(hostname -s)
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<END
ClusterName=atelier
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPort=16817
SlurmdPort=16818
NodeName=$node NodeAddr=127.0.0.1 CPUs=8 RealMemory=65536 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"

# Munge takes only files and folders that nobody else may write.
chmod 755 "$work"
dd if=/dev/urandom of="$work/munge.key" bs=128 count=1 2>/dev/null
chmod 400 "$work/munge.key"
munged --foreground --force --key-file "$work/munge.key" --socket "$work/munge.socket" \
  --pid-file "$work/munged.pid" --log-file "$work/munged.log" --seed-file "$work/munged.seed" \
  >"$work/munged.out" 2>&1 &
daemons="$daemons $!"
slurmctld -D -c >"$work/slurmctld.log" 2>&1 &
daemons="$daemons $!"
slurmd -D -N "$node" >"$work/slurmd.log" 2>&1 &
daemons="$daemons $!"

tries=0
until [ "$(sinfo --noheader --format %t 2>/dev/null)" = idle ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || fail "the node does not come up"
  sleep 1
done
sinfo --version

# As the example's head says it, from a folder that all nodes see.
cd "$work"
job=$(MODELS=scholar-2,scholar-4 TASKS=sum,mood OUT=big sbatch --parsable "$root/examples/survey.slurm.sh")
echo "array $job, and its merge"
sbatch --wait --dependency="afterok:$job" --output "$work/merge.out" --wrap "$ATELIER survey merge big" >/dev/null ||
  fail "the array or the merge failed"

"$ATELIER" survey --models scholar-2,scholar-4 --tasks sum,mood --out one >/dev/null
count=0
for file in survey.atelier.json $(cd one && find rows -name '*.parquet'); do
  cmp "one/$file" "big/$file" || fail "$file differs"
  count=$((count + 1))
done
[ "$count" = 5 ] || fail "$count files were compared, not five"
parts=$(find . -name "slurm-${job}_*.out" | wc -l)
[ "$parts" = 8 ] || fail "$parts parts ran, not eight"
echo "eight parts and their merge are the bytes of one run: $count files"
