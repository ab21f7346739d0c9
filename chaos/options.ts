import { parseArgs } from 'node:util';

/** Options of one run; all its randomness derives from `seed`. */
export interface Options {
  readonly seed: string;
  readonly minutes: number;
  /** Address of a PostgreSQL server, for a database of the run's own; null for a SQLite file. */
  readonly server: string | null;
  /** Deliveries a second that upstream aims at. */
  readonly rate: number;
  readonly people: number;
  /** Mean seconds between kills or freezes of processes, and between faults of the database; 0 for none of them. */
  readonly strikeEvery: number | null;
  /** Seconds between scheduled pulls of the same data. */
  readonly pullEvery: number;
  /** Where database and logs of the run are. */
  readonly folder: string;
  /** Time limit for all work to finish after the faults have stopped. */
  readonly restSeconds: number;
}

export const usage = [
  'npm run chaos -- --seed N --minutes M [--postgres] [--server URL] [--rate N] [--people N] [--rest SECONDS]',
  '                   [--strike-every SECONDS] [--pull-every SECONDS] [--folder PATH]',
  '',
  '  --seed N        what is injected and when; a number of its own unless given',
  '  --minutes M     how long faults are injected (1)',
  '  --postgres      three processes on a database of their own, on the server of TEST_DATABASE_URL or --server',
  '  --rate N        deliveries a second that upstream aims at (150)',
  '  --people N      accounts at the start (8); more sign up on the way',
  '  --strike-every SECONDS  mean time between kills or freezes, and between faults of the database; 0 for none of them',
  '                  (a process: 2 after it listens; the database: 6)',
  '  --pull-every SECONDS  time between scheduled pulls of the same data (15)',
  '  --folder PATH   where database and logs are (data)',
  '  --rest SECONDS  how long everything may take to come to rest afterwards (300)',
].join('\n');

/** Throws with a sentence where an argument makes no sense. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      minutes: { type: 'string', default: '1' },
      postgres: { type: 'boolean', default: false },
      server: { type: 'string' },
      rate: { type: 'string', default: '150' },
      people: { type: 'string', default: '8' },
      'strike-every': { type: 'string' },
      'pull-every': { type: 'string', default: '15' },
      folder: { type: 'string', default: 'data' },
      rest: { type: 'string', default: '300' },
    },
  });
  const server = values.server ?? environment['TEST_DATABASE_URL'] ?? null;
  if (values.postgres && server === null) throw new Error('--postgres needs TEST_DATABASE_URL or --server.');
  const strikeEvery = values['strike-every'];
  return {
    seed: values.seed,
    minutes: positive('minutes', values.minutes),
    server: values.postgres ? server : null,
    rate: positive('rate', values.rate),
    people: positive('people', values.people),
    strikeEvery: strikeEvery === undefined ? null : numberFrom(0, 'strike-every', strikeEvery),
    pullEvery: positive('pull-every', values['pull-every']),
    folder: values.folder,
    restSeconds: positive('rest', values.rest),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`);
  return value;
}

function numberFrom(least: number, name: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= least && value < Infinity)) throw new Error(`--${name} must be a number from ${least} on.`);
  return value;
}

/** The command that makes the same run again. */
export function commandOf({ seed, minutes, server, rate, people, strikeEvery, pullEvery }: Options): string {
  const postgres = server === null ? '' : ' --postgres';
  const strike = strikeEvery === null ? '' : ` --strike-every ${strikeEvery}`;
  const pull = pullEvery === 15 ? '' : ` --pull-every ${pullEvery}`;
  return `npm run chaos -- --seed ${seed} --minutes ${minutes}${postgres} --rate ${rate} --people ${people}${strike}${pull}`;
}
