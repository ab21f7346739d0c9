import { type ClientUnderTest, clientFor } from './client.js';
import { ScriptedServer } from './scripted-server.js';

export const userId = '00000000-0000-4000-8000-000000000001';
export const user = { user_id: userId, client_user_id: 'cust-42' };
export const person = { priority: 'interactive' } as const;
export const bulk = { priority: 'bulk' } as const;

/** Of the test under way, in a spec that called `serveEachTest`. */
export let server: ScriptedServer;
let made: ClientUnderTest[] = [];

/** A client that ends with the test. */
export const make: typeof clientFor = (...args) => {
  const underTest = clientFor(...args);
  made.push(underTest);
  return underTest;
};

/** A scripted server, one per test. */
export function serveEachTest(): void {
  beforeEach(async () => {
    server = await ScriptedServer.start();
  });

  afterEach(async () => {
    for (const { transport } of made) transport.onApplicationShutdown();
    made = [];
    await server.close();
  });
}
