import { createApp, type Pulsekeep } from '../../src/app.js';
import { pulledResources } from '../../src/catalogue/catalogue.js';
import { readConfig } from '../../src/config/environment.js';

/** Pulsekeep in this process as `npm start` runs it: at the time of the system, with its background work going on. */
export class ServingPulsekeep {
  private constructor(
    readonly url: string,
    /** Every line it has logged. */
    readonly output: readonly string[],
    private readonly pulsekeep: Pulsekeep,
  ) {}

  static async start(env: Readonly<Record<string, string>>): Promise<ServingPulsekeep> {
    const output: string[] = [];
    const logDestination = { write: (line: string) => void output.push(line) };
    const pulsekeep = await createApp(readConfig(env, pulledResources), { logDestination });
    return new ServingPulsekeep(await pulsekeep.start(), output, pulsekeep);
  }

  stop(): Promise<void> {
    return this.pulsekeep.stop();
  }
}
