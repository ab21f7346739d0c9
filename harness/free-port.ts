import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Systems give out ports above these themselves, to whoever asks for any: theirs would be taken before it is used. */
const FIRST_PORT = 10_000;
const PORT_AFTER_LAST = 32_000;

/** A free port on the loopback address, which also stays free while a program restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, PORT_AFTER_LAST);
    if (await isFree(port)) return port;
  }
}

/** True if a port of the loopback address is free. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
