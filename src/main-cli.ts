import './app/refuse-old-node.js';
import 'reflect-metadata';
import { allowSlowHandshakes } from './app/allow-slow-handshakes.js';
import { endOnCrash } from './app/crash.js';
import { measureResources, pulledResources } from './health/catalogue/catalogue.js';
import { worldOf } from './operations/cli/process-world.js';
import { runCli } from './operations/cli/program.js';
import { exitCodes } from './operations/cli/world.js';
import { ownEnvironment, readConfig, readOperatorKey } from './platform/config/environment.js';
import { SystemClock } from './platform/platform/clock.js';

const signals = ['SIGINT', 'SIGTERM'] as const;
/** npm forwards a Ctrl-C that the terminal already sent to all processes; only a later one means "immediately". */
const echoMs = 1_000;
/** Without a listener, a signal does nothing to process 1 of a container. */
let interrupt = (): void => process.exit(exitCodes.failed);
for (const signal of signals) process.on(signal, () => interrupt());

/** `npm run cli -- COMMAND`: ends with 0, 1 (failed, differences) or 2 (wrong usage). */
const world = worldOf({
  out: process.stdout,
  err: process.stderr,
  clock: new SystemClock(),
  config: () => readConfig(ownEnvironment(), pulledResources, measureResources),
  operatorKey: () => readOperatorKey(),
  async application() {
    const [{ createApp }, { reasonOf }, { entities, views }, { dailyDays }] = await Promise.all([
      import('./app/app.js'),
      import('./app/start-failure.js'),
      import('./app/rooms.js'),
      import('./app/daily-days.js'),
    ]);
    return { createApp, reasonOf, entities, views, dailyDays };
  },
  onInterrupt(react) {
    let first: number | null = null;
    const end = interrupt;
    interrupt = () => {
      first ??= performance.now();
      react();
      if (performance.now() - first > echoMs) end();
    };
    return () => {
      interrupt = end;
    };
  },
});

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early; the rest of the output is dropped.
    if (code === 'EPIPE') return;
    if (stream === process.stdout) process.stderr.write(`Standard output cannot be written (${code}).\n`);
    process.exit(exitCodes.failed);
  });
}

allowSlowHandshakes();
endOnCrash({ write: (line) => void process.stderr.write(line) });
process.exitCode = await runCli(process.argv.slice(2), world);
