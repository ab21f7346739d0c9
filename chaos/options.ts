import { parseArgs } from 'node:util';

/** How one run is made; everything random about it follows from `seed`. */
export interface Options {
  readonly seed: string;
  readonly minutes: number;
  /** Address of a PostgreSQL server, for a database of the run's own; null for a SQLite file. */
  readonly server: string | null;
  /** Deliveries a second that upstream aims at. */
  readonly rate: number;
  readonly people: number;
  /** How long everything may take to come to rest once the faults have stopped. */
  readonly restSeconds: number;
}

export const usage = [
  'npm run chaos -- --seed N --minutes M [--postgres] [--server URL] [--rate N] [--people N] [--rest SECONDS]',
  '',
  '  --seed N        what is injected and when; a number of its own unless given',
  '  --minutes M     how long faults are injected (1)',
  '  --postgres      three processes on a database of their own, on the server of TEST_DATABASE_URL or --server',
  '  --rate N        deliveries a second that upstream aims at (150)',
  '  --people N      accounts at the start (8); more sign up on the way',
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
      rest: { type: 'string', default: '300' },
    },
  });
  const server = values.server ?? environment['TEST_DATABASE_URL'] ?? null;
  if (values.postgres && server === null) throw new Error('--postgres needs TEST_DATABASE_URL or --server.');
  return {
    seed: values.seed,
    minutes: positive('minutes', values.minutes),
    server: values.postgres ? server : null,
    rate: positive('rate', values.rate),
    people: positive('people', values.people),
    restSeconds: positive('rest', values.rest),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`);
  return value;
}

/** The command that makes the same run again. */
export function commandOf({ seed, minutes, server, rate, people }: Options): string {
  const postgres = server === null ? '' : ' --postgres';
  return `npm run chaos -- --seed ${seed} --minutes ${minutes}${postgres} --rate ${rate} --people ${people}`;
}
