import type { Command } from 'commander';
import { numberFrom, positive, programOf } from '../harness/arguments.js';

/** Options of one run; all its randomness derives from `seed`. */
export interface Options {
  readonly seed: string;
  readonly minutes: number;
  /** URL of a PostgreSQL server, on which the run creates its own database; null for a SQLite file. */
  readonly server: string | null;
  /** Deliveries per second that upstream attempts. */
  readonly rate: number;
  readonly people: number;
  /** Mean seconds between kills or freezes of processes, and between database faults; 0 for none. */
  readonly strikeEvery: number | null;
  /** Seconds between scheduled pulls of the same data. */
  readonly pullEvery: number;
  /** Folder for the database and logs of the run. */
  readonly folder: string;
  /** Time limit for all work to finish after the faults have stopped. */
  readonly restSeconds: number;
}

interface Given extends Pick<Options, 'seed' | 'minutes' | 'rate' | 'people' | 'folder'> {
  readonly postgres?: true;
  readonly server?: string;
  readonly strikeEvery?: number;
  readonly pullEvery: number;
  readonly rest: number;
}

function program(): Command {
  return programOf('chaos', 'Injects faults for a while, then compares the store with upstream.')
    .option('--seed <n>', 'determines the faults and their times', String(Date.now() % 1_000_000))
    .option('--minutes <n>', 'how long faults are injected', positive, 1)
    .option('--postgres', 'three processes on a new database on the server of TEST_DATABASE_URL or --server')
    .option('--server <url>', 'the PostgreSQL server')
    .option('--rate <n>', 'deliveries per second that upstream attempts', positive, 150)
    .option('--people <n>', 'accounts at the start; more sign up during the run', positive, 8)
    .option(
      '--strike-every <seconds>',
      'mean time between kills or freezes, and between faults of the database; 0 for none (default: a process 2 s after it listens, the database 6 s)',
      numberFrom(0),
    )
    .option('--pull-every <seconds>', 'time between scheduled pulls of the same data', positive, 15)
    .option('--folder <path>', 'folder for the database and the logs', 'data')
    .option('--rest <seconds>', 'time limit for all work to finish afterwards', positive, 300);
}

/** Exits the process if an argument is invalid. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const command = program().parse(args, { from: 'user' });
  const { postgres, server, strikeEvery, rest, ...given } = command.opts<Given>();
  const address = server ?? environment['TEST_DATABASE_URL'];
  if (postgres && address === undefined) command.error('error: --postgres needs TEST_DATABASE_URL or --server');
  return {
    ...given,
    server: (postgres && address) ?? null,
    strikeEvery: strikeEvery ?? null,
    restSeconds: rest,
  };
}

/** The command that repeats the run. */
export function commandOf({ seed, minutes, server, rate, people, strikeEvery, pullEvery }: Options): string {
  const postgres = server === null ? '' : ' --postgres';
  const strike = strikeEvery === null ? '' : ` --strike-every ${strikeEvery}`;
  const pull = pullEvery === 15 ? '' : ` --pull-every ${pullEvery}`;
  return `npm run chaos -- --seed ${seed} --minutes ${minutes}${postgres} --rate ${rate} --people ${people}${strike}${pull}`;
}
