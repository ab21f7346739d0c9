import { Option } from 'commander';
import { integer, programOf } from '../harness/arguments.js';
import { type Figure, type Plan, tableOf } from './figures.js';
import { cores, pinned } from './process/child.js';
import { accept } from './scenarios/accept.js';
import { acceptAndApply } from './scenarios/accept-and-apply.js';
import { applying } from './scenarios/apply.js';
import { audits } from './scenarios/audits.js';
import { backfill } from './scenarios/backfill.js';
import { changes } from './scenarios/changes.js';
import { daily } from './scenarios/daily.js';
import { growth, growthPostgres } from './scenarios/growth.js';
import { latency } from './scenarios/latency.js';
import { move } from './scenarios/move.js';
import { oneCaller, oneCallerPostgres } from './scenarios/one-caller.js';
import { packing } from './scenarios/packing.js';
import { postgres } from './scenarios/postgres.js';
import { push } from './scenarios/push.js';
import { reads, readsPostgres } from './scenarios/reads.js';
import { start } from './scenarios/start.js';

/* `npm run bench`: measures Pulsekeep, raw limits and the ordinary design, in turns, on this machine. */

const scenarios: Readonly<Record<string, (plan: Plan) => Promise<Figure[]>>> = {
  accept,
  'accept-and-apply': acceptAndApply,
  apply: applying,
  audits,
  backfill,
  changes,
  daily,
  growth,
  'growth-postgres': growthPostgres,
  latency,
  move,
  'one-caller': oneCaller,
  'one-caller-postgres': oneCallerPostgres,
  packing,
  postgres,
  push,
  reads,
  'reads-postgres': readsPostgres,
  start,
};

interface Options {
  json?: true;
  quick?: true;
  only?: string[];
  sizes: number[];
  samples: number;
}

const amounts = {
  full: { rounds: 5, scale: 1 },
  /** For checking that everything runs; the figures mean little. */
  quick: { rounds: 1, scale: 0.1 },
};

async function run({ json, quick, only, sizes, samples }: Options): Promise<void> {
  const names = Object.keys(scenarios).filter((name) => only?.includes(name) ?? isPossible(name));
  const figures: Figure[] = [];
  for (const [index, name] of names.entries()) {
    process.stderr.write(`${index + 1}/${names.length} ${name}\n`);
    const step = (label: string) => process.stderr.write(`    ${label}\n`);
    const measured =
      (await scenarios[name]?.({
        ...(quick ? amounts.quick : amounts.full),
        sizes,
        samples,
        step,
      })) ?? [];
    figures.push(...measured);
    if (json) for (const figure of measured) process.stdout.write(`${JSON.stringify(figure)}\n`);
  }
  if (!json) process.stdout.write(`\n${tableOf(figures)}\n${conditions()}\n`);
}

function isPossible(name: string): boolean {
  return (
    !['growth-postgres', 'move', 'one-caller-postgres', 'postgres', 'reads-postgres'].includes(name) ||
    process.env['TEST_DATABASE_URL'] !== undefined
  );
}

function conditions(): string {
  const measured = cores.measured === null ? 'measured processes on any core' : 'measured processes on core 0';
  const where = pinned ? `${measured}, everything else on core 1` : 'not pinned to cores';
  return `Medians of interleaved rounds, synchronous=FULL, Node ${process.version}, ${where}.`;
}

await programOf('bench', 'Measures Pulsekeep against raw limits and the ordinary design.')
  .option('--json', 'print one JSON line for every figure')
  .option('--quick', 'run one short round, to check that everything works')
  .addOption(new Option('--only <scenarios...>', 'run only this scenario').choices(Object.keys(scenarios)))
  .addOption(
    new Option('--sizes <accounts>', 'numbers of accounts at which growth measures, such as 2000,200000')
      .default([2_000, 20_000])
      .argParser((text) => text.split(',').map(Number)),
  )
  .option('--samples <n>', 'samples that each of these accounts has', integer(1, 100_000), 50)
  .addHelpText(
    'after',
    '\nTEST_DATABASE_URL names a PostgreSQL for the scenarios postgres, growth-postgres, reads-postgres,\none-caller-postgres and move.' +
      '\nBENCH_CORES=both lets the measured process use every core, as in production.' +
      '\nBENCH_NODE_OPTIONS are given to Node in every process, such as "--cpu-prof --cpu-prof-dir=DIR".',
  )
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : 'The benchmark failed.'}\n`);
    process.exitCode = 1;
  });
