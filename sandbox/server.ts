import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { makeUsers } from './control/users.control.js';
import { SandboxControl } from './control-client.js';
import { completeOptions, type SandboxOptions } from './options.js';
import { restoreState, saveState } from './state.js';
import { createWorld } from './world.js';

export interface Sandbox {
  /** Base address without a trailing slash. */
  url: string;
  control: SandboxControl;
  /** Stops timers and cuts every connection. */
  close(): Promise<void>;
}

/** How often a state that a restart keeps is written, beside the end. */
const SAVE_MS = 10_000;

/** Starts a sandbox, by default on a loopback port. Its data is lost when it closes, unless it has a `statePath`. */
export async function startSandbox(given: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const options = completeOptions(given);
  const world = createWorld(options);
  if (options.users > 0) makeUsers(world, { count: options.users });
  const { statePath } = options;
  const save = (): void => (statePath === null ? undefined : saveState(world, statePath));
  if (statePath !== null) restoreState(world, statePath);
  const saving = statePath === null ? undefined : setInterval(save, SAVE_MS).unref();
  const app = await createApp(world, { header: options.apiKeyHeader.toLowerCase(), value: options.apiKey });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`;
  return {
    url,
    control: new SandboxControl(url),
    close: async () => {
      clearInterval(saving);
      world.timeline.close();
      await app.close();
      save();
    },
  };
}
