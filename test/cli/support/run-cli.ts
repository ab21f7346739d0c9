import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { operatorKey } from '../../support/child-env.js';
import { spawnProgram } from '../../support/child-pulsekeep.js';
import { until } from '../../support/until.js';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Standard output as the one JSON object it is with `--json`. */
  json<T>(): T;
}

/** The command line as a process of its own, without a terminal. */
export class RunningCli {
  private out = '';
  private err = '';
  private readonly exit: Promise<number | null>;

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on('data', (text: Buffer) => void (this.out += text.toString()));
    child.stderr.on('data', (text: Buffer) => void (this.err += text.toString()));
    this.exit = new Promise((resolve) => child.once('close', (code) => resolve(code)));
  }

  static start(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCli {
    return new RunningCli(spawnProgram('src/main-cli.js', env, args));
  }

  /** Resolves once it has said so on standard error. */
  says(text: string): Promise<void> {
    return until(async () => this.err.includes(text));
  }

  interrupt(): void {
    this.child.kill('SIGINT');
  }

  async ended(): Promise<Ended> {
    const code = await this.exit;
    const { out, err } = this;
    return { code, out, err, json: <T>() => JSON.parse(out) as T };
  }
}

export function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return RunningCli.start(args, env).ended();
}

/** Against a service that runs elsewhere. */
export function driveCli(url: string, args: readonly string[], key = operatorKey): Promise<Ended> {
  return runCli([...args, '--url', url], { PULSEKEEP_ADMIN_KEY: key });
}
