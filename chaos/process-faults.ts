import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A temporary fault of a running process, applied from outside. */
export interface ProcessFault {
  readonly name: string;
  /** Lasts until `over`. Number of strikes; 0 if this machine does not permit it. */
  readonly strike: (pid: number, over: Promise<unknown>) => Promise<number>;
}

/** Time limit for the tracer to exit after its signal. */
const MAX_TO_LET_GO_MS = 2000;

/** No file, socket or connection can be opened; open ones stay open. */
const noHandles: ProcessFault = {
  name: 'process.no_handles',
  strike: async (pid, over) => {
    const before = /^Max open files\s+(\d+)/m.exec(read(`/proc/${pid}/limits`))?.[1];
    const free = lowestFreeHandle(pid);
    if (before === undefined || free === 0 || !(await limitHandles(pid, String(free)))) return 0;
    await over;
    await limitHandles(pid, before);
    return 1;
  },
};

/** Faults of system calls, injected by strace: errors or delays. */
function injecting(name: string, calls: string, what: string): ProcessFault {
  return {
    name,
    strike: async (pid, over) => {
      const options = ['-f', '-p', String(pid), '-e', `trace=${calls}`, '-e', `inject=${calls}:${what}`];
      const tracer = spawn('strace', options, { stdio: ['ignore', 'ignore', 'pipe'] });
      let struck = 0;
      createInterface({ input: tracer.stderr }).on('line', (line) => (struck += /INJECTED|DELAYED/.test(line) ? 1 : 0));
      const ended = once(tracer, 'close').catch(() => undefined);
      await Promise.race([ended, over]);
      // Makes it detach and exit; a tracer that is just starting may miss the signal.
      tracer.kill('SIGINT');
      const late = setTimeout(() => tracer.kill('SIGKILL'), MAX_TO_LET_GO_MS);
      await ended;
      clearTimeout(late);
      return struck;
    },
  };
}

const handles: readonly ProcessFault[] = [noHandles];

/** Faults of the file: a process writes only its database with these calls; sockets use others. */
const disk: readonly ProcessFault[] = [
  injecting('disk.full', 'pwrite64,fallocate', 'error=ENOSPC'),
  injecting('disk.read_only', 'pwrite64,ftruncate,fallocate', 'error=EROFS'),
  injecting('disk.broken', 'pwrite64,fdatasync,fsync', 'error=EIO'),
  injecting('disk.slow', 'fdatasync,fsync', 'delay_enter=400000'),
];

export const processFaults = { handles, withFile: [...handles, ...disk] };

async function limitHandles(pid: number, soft: string): Promise<boolean> {
  const setter = spawn('prlimit', ['--pid', String(pid), `--nofile=${soft}:`], { stdio: 'ignore' });
  const [code] = (await once(setter, 'exit').catch(() => [null])) as [number | null];
  return code === 0;
}

/** Number that the next handle would get; 0 if unknown. */
function lowestFreeHandle(pid: number): number {
  try {
    const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
    let free = 0;
    while (open.has(free)) free += 1;
    return free;
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
