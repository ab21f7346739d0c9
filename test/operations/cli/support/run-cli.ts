import { Writable } from 'node:stream';
import { createApp } from '../../../../src/app/app.js';
import { dailyDays } from '../../../../src/app/daily-days.js';
import { entities, views } from '../../../../src/app/rooms.js';
import { reasonOf } from '../../../../src/app/start-failure.js';
import { pulledResources } from '../../../../src/health/catalogue/catalogue.js';
import { worldOf } from '../../../../src/operations/cli/process-world.js';
import { runCli as run } from '../../../../src/operations/cli/program.js';
import { readConfig, readOperatorKey } from '../../../../src/platform/config/environment.js';
import { SystemClock } from '../../../../src/platform/platform/clock.js';
import { operatorKey } from '../../../support/child-env.js';
import { spawnProgram } from '../../../support/child-pulsekeep.js';

type Variables = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Standard output as the one JSON object it is with `--json`. */
  json<T>(): T;
}

/** Both outputs of a command, without a terminal. */
class Outputs {
  private readonly texts = { out: '', err: '' };
  private readonly waiting = new Set<() => void>();

  add(name: 'out' | 'err', text: string): void {
    this.texts[name] += text;
    for (const look of this.waiting) look();
  }

  stream(name: 'out' | 'err'): Writable {
    return new Writable({ write: (text: Buffer, _, done) => (this.add(name, text.toString()), done()) });
  }

  /** Resolves once standard error holds it. */
  says(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.texts.err.includes(text)) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  ended(code: number | null): Ended {
    const { out, err } = this.texts;
    return { code, out, err, json: <T>() => JSON.parse(out) as T };
  }
}

/** A command while it runs: here, or as a process of its own. */
export class RunningCli {
  private constructor(
    private readonly outputs: Outputs,
    private readonly exit: Promise<number | null>,
    /** Ctrl-C. */
    readonly interrupt: () => void,
  ) {}

  /** In this process. */
  static start(args: readonly string[], env: Variables = {}): RunningCli {
    const outputs = new Outputs();
    const interrupted = new Set<() => void>();
    const world = worldOf({
      out: outputs.stream('out'),
      err: outputs.stream('err'),
      clock: new SystemClock(),
      config: () => readConfig(env, pulledResources),
      operatorKey: () => readOperatorKey(env),
      application: async () => ({ createApp, reasonOf, entities, views, dailyDays }),
      onInterrupt(react) {
        interrupted.add(react);
        return () => void interrupted.delete(react);
      },
    });
    return new RunningCli(outputs, run(args, world), () => interrupted.forEach((react) => void react()));
  }

  /** As a process of its own. */
  static spawn(args: readonly string[], env: Variables = {}): RunningCli {
    const outputs = new Outputs();
    const child = spawnProgram('src/main-cli.js', env, args);
    child.stdout.on('data', (text: Buffer) => outputs.add('out', text.toString()));
    child.stderr.on('data', (text: Buffer) => outputs.add('err', text.toString()));
    const exit = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    return new RunningCli(outputs, exit, () => child.kill('SIGINT'));
  }

  /** Resolves once it has said so on standard error. */
  says(text: string): Promise<void> {
    return this.outputs.says(text);
  }

  async ended(): Promise<Ended> {
    return this.outputs.ended(await this.exit);
  }
}

/** Runs a command to its end in this process. */
export function runCli(args: readonly string[], env: Variables = {}): Promise<Ended> {
  return RunningCli.start(args, env).ended();
}

/** Runs a command to its end as a process of its own. */
export function spawnCli(args: readonly string[], env: Variables = {}): Promise<Ended> {
  return RunningCli.spawn(args, env).ended();
}

/** Against a service that runs elsewhere. */
export function driveCli(url: string, args: readonly string[], key = operatorKey): Promise<Ended> {
  return runCli([...args, '--url', url], { PULSEKEEP_ADMIN_KEY: key });
}
