// A Slurm of one machine for tests: controller, node and authentication in a folder of their own,
// on ports of their own, without services, accounts or cgroups.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const programs = [
  'slurmctld',
  'slurmd',
  'sbatch',
  'squeue',
  'scontrol',
  'scancel',
  'sinfo',
  'munged',
];
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;

/** Why no Slurm can run here; false when one can. */
export function withoutSlurm() {
  if (process.platform !== 'linux') return 'Slurm runs on Linux';
  if (process.getuid() !== 0) return 'Slurm wants to be started as root';
  const missing = programs.filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status !== 0,
  );
  if (missing.length > 0) return `not installed: ${missing.join(', ')} (apt: slurm-wlm, munge)`;
  return false;
}

/** A port that is free now. */
async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `done()`; a generous limit ends a hang. */
export async function until(what, done, limitMs = 120_000) {
  for (const end = Date.now() + limitMs; Date.now() < end; await pause(100)) {
    if (await done()) return;
  }
  throw new Error(`waited in vain: ${what}`);
}

export async function startSlurm() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'emberline-slurm-'));
  const at = (name) => path.join(folder, name);
  for (const name of ['state', 'spool', 'log']) fs.mkdirSync(at(name));
  fs.chmodSync(folder, 0o711);
  const host = os.hostname().split('.')[0];
  const settings = {
    ClusterName: 'ember',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmUser: 'root',
    SlurmdUser: 'root',
    AuthType: 'auth/munge',
    AuthInfo: `socket=${at('munge.socket')}`,
    CredType: 'cred/munge',
    SlurmctldPort: await freePort(),
    SlurmdPort: await freePort(),
    SlurmctldPidFile: at('slurmctld.pid'),
    SlurmdPidFile: at('slurmd.pid'),
    StateSaveLocation: at('state'),
    SlurmdSpoolDir: at('spool'),
    SlurmctldLogFile: at('log/slurmctld.log'),
    SlurmdLogFile: at('log/slurmd.log'),
    MailProg: '/bin/true',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    JobAcctGatherType: 'jobacct_gather/none',
    AccountingStorageType: 'accounting_storage/none',
    SwitchType: 'switch/none',
    MpiDefault: 'none',
    ReturnToService: 2,
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_Core',
    SchedulerType: 'sched/backfill',
    SchedulerParameters: 'sched_interval=1,batch_sched_delay=0',
    SlurmdParameters: 'config_overrides',
    MinJobAge: 300,
    InactiveLimit: 0,
    KillWait: 2,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  lines.push(
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=512 State=UNKNOWN`,
    `PartitionName=main Nodes=${host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES`,
  );
  fs.writeFileSync(at('slurm.conf'), `${lines.join('\n')}\n`);
  fs.writeFileSync(at('munge.key'), randomBytes(1024), { mode: 0o400 });
  const env = { ...process.env, PATH, SLURM_CONF: at('slurm.conf') };
  const run = (program, ...args) =>
    execFileSync(program, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run(
    'munged',
    '--force',
    `--key-file=${at('munge.key')}`,
    `--socket=${at('munge.socket')}`,
    `--pid-file=${at('munged.pid')}`,
    `--log-file=${at('log/munged.log')}`,
    `--seed-file=${at('munge.seed')}`,
  );
  const stop = async () => {
    for (const name of ['slurmd.pid', 'slurmctld.pid', 'munged.pid']) {
      if (!fs.existsSync(at(name))) continue;
      const pid = Number(fs.readFileSync(at(name), 'utf8'));
      try {
        process.kill(pid);
        await until(`${name} ends`, () => !fs.existsSync(`/proc/${pid}`), 20_000);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    run('slurmctld', '-c', '-f', at('slurm.conf'));
    run('slurmd', '-c', '-f', at('slurm.conf'));
    await until('the node is idle', () => {
      try {
        return run('sinfo', '-h', '-o', '%T').trim() === 'idle';
      } catch {
        return false; // the controller is still starting
      }
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const queued = () => run('squeue', '-h', '-o', '%i').trim();
  return { env, run, stop, drained: () => until('the queue is empty', () => queued() === '') };
}
