#!/bin/bash
# Slurm with one node on this machine, for a test: FOLDER starts it, FOLDER stop ends it.
set -euo pipefail
folder=$1
mkdir -p "$folder"/{state,spool,munge}
if [ "${2:-start}" = stop ]; then
  for name in slurmctld slurmd munged; do
    [ -f "$folder/$name.pid" ] || continue
    pid=$(cat "$folder/$name.pid")
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 100); do  # it writes into the folder until it ends
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
  exit 0
fi
head -c 1024 /dev/urandom > "$folder/munge.key"; chmod 400 "$folder/munge.key"; chmod 711 "$folder/munge"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed"
cat > "$folder/slurm.conf" <<C
ClusterName=test
SlurmctldHost=$(hostname -s)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
SlurmctldPort=17817
SlurmdPort=17818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
NodeName=$(hostname -s) CPUs=$(nproc) State=UNKNOWN
PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=cpu Nodes=ALL MaxTime=INFINITE State=UP
C
export SLURM_CONF="$folder/slurm.conf"
slurmctld
slurmd
for _ in $(seq 50); do
  scontrol show node 2>/dev/null | grep -q "State=IDLE" && exit 0
  sleep 0.2
done
cat "$folder"/*.log >&2
exit 1
