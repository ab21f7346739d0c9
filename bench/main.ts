import { Command, Option } from 'commander';
import { type Figure, tableOf } from './figures.js';
import { cores, pinned } from './process/child.js';
import { Progress } from './progress.js';
import { accept } from './scenarios/accept.js';
import { applyFigures } from './scenarios/apply.js';
import { backfill } from './scenarios/backfill.js';
import { byteFigures } from './scenarios/bytes.js';
import { callersOfOneAccount } from './scenarios/callers.js';
import { calls } from './scenarios/calls.js';
import { encryption } from './scenarios/encryption.js';
import { latency } from './scenarios/latency.js';
import { longBodies } from './scenarios/long-bodies.js';
import { loop } from './scenarios/loop.js';
import { memory } from './scenarios/memory.js';
import type { Plan } from './scenarios/plan.js';
import { postgres } from './scenarios/postgres.js';
import { scale } from './scenarios/scale.js';
import { tickFigures } from './scenarios/tick.js';
import { unknownUsers } from './scenarios/unknown-users.js';

/* `npm run bench`: Pulsekeep beside the raw limit and the ordinary design, in turns, on this machine, right now. */

const scenarios: Readonly<Record<string, (plan: Plan) => Promise<Figure[]>>> = {
  accept,
  apply: applyFigures,
  backfill,
  bytes: byteFigures,
  callers: callersOfOneAccount,
  calls,
  encryption,
  latency,
  'long-bodies': longBodies,
  loop,
  memory,
  postgres,
  scale,
  tick: tickFigures,
  'unknown-users': unknownUsers,
};

interface Options {
  json?: true;
  quick?: true;
  only?: string[];
}

const amounts = {
  full: { rounds: 5, scale: 1 },
  /** Shows that everything runs; its figures say little. */
  quick: { rounds: 1, scale: 0.1 },
};

async function run({ json, quick, only }: Options): Promise<void> {
  const names = Object.keys(scenarios).filter((name) => only?.includes(name) ?? isPossible(name));
  const progress = new Progress(names.length);
  const plan = { ...(quick ? amounts.quick : amounts.full), step: (label: string) => progress.step(label) };
  const figures: Figure[] = [];
  for (const [index, name] of names.entries()) {
    progress.begin(name, index);
    const measured = (await scenarios[name]?.(plan)) ?? [];
    figures.push(...measured);
    if (json) for (const figure of measured) process.stdout.write(`${JSON.stringify(figure)}\n`);
  }
  progress.end();
  if (!json) process.stdout.write(`\n${tableOf(figures)}\n${conditions(plan)}\n`);
}

/** Two need a PostgreSQL. */
function isPossible(name: string): boolean {
  return !['postgres', 'scale'].includes(name) || process.env['TEST_DATABASE_URL'] !== undefined;
}

function conditions({ rounds }: Plan): string {
  const measured = cores.measured === null ? 'measured processes on any core' : 'measured processes on core 0';
  const where = pinned() ? `${measured}, everything else on core 1` : 'not pinned to cores';
  return `Medians of ${rounds} interleaved rounds, synchronous=FULL, Node ${process.version}, ${where}.`;
}

await new Command('bench')
  .description('Measures Pulsekeep against the raw limit and the ordinary design.')
  .option('--json', 'one JSON line for every figure')
  .option('--quick', 'a minute at the most, to see that everything runs')
  .addOption(new Option('--only <scenarios...>', 'leave the others out').choices(Object.keys(scenarios)))
  .addHelpText(
    'after',
    '\nBENCH_NODE_OPTIONS are given to Node in every process, such as "--cpu-prof --cpu-prof-dir=DIR".' +
      '\nBENCH_CORES=both lets what is measured take every core, as in use.',
  )
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : 'The benchmark failed.'}\n`);
    process.exitCode = 1;
  });
