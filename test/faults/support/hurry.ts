import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/* Loaded by `--import` before the program, only in tests: pauses of ten seconds or more take a hundredth of that. */
const pause = timers.setTimeout;
timers.setTimeout = (ms = 0, ...rest) => pause(ms < 10_000 ? ms : ms / 100, ...rest);
syncBuiltinESMExports();
