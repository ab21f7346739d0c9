import { createApp, type Pulsekeep } from '../../src/app/app.js';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { SecretRotation } from '../../src/operations/probes/secret-rotation.js';
import { readRereadable } from '../../src/platform/config/environment.js';
import type { SecretFiles } from '../../src/platform/config/secret-files.js';

/** In production, rounds of background work are seconds apart; tests do not wait for that. */
const ROUNDS_EVERY_MS = 200;

/** Pulsekeep in this process as run by `npm start`: with the system clock and running background work. */
export class ServingPulsekeep {
  private constructor(
    readonly url: string,
    /** All log lines. */
    readonly output: readonly string[],
    private readonly pulsekeep: Pulsekeep,
    private readonly files: SecretFiles,
    private readonly rounds: NodeJS.Timeout,
  ) {}

  static async start(env: Readonly<Record<string, string>>): Promise<ServingPulsekeep> {
    const output: string[] = [];
    const logDestination = { write: (line: string) => void output.push(line) };
    const files = readRereadable(env, pulledResources);
    const pulsekeep = await createApp(files.config, { logDestination });
    const url = await pulsekeep.start().catch(async (error: unknown) => {
      await pulsekeep.stop();
      throw error;
    });
    const rounds = setInterval(() => pulsekeep.workers.all().forEach((loop) => void loop.wake()), ROUNDS_EVERY_MS);
    return new ServingPulsekeep(url, output, pulsekeep, files, rounds);
  }

  /** Does what SIGHUP does. */
  reread(): void {
    this.pulsekeep.app.get(SecretRotation).reread(this.files);
  }

  stop(): Promise<void> {
    clearInterval(this.rounds);
    return this.pulsekeep.stop();
  }
}
