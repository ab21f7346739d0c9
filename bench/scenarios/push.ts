import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { Child, cores } from '../process/child.js';
import { deadPort, environment, preparedDatabase } from '../process/pulsekeep.js';
import type { PushCommands } from '../process/push.process.js';
import { type Part, staged } from '../process/stage.js';
import { interleaved } from '../rounds.js';

const accounts = 500;
const alone = 'one endpoint';
const beside = 'beside one that hangs';

/** An endpoint in this process that responds immediately or never. */
class Endpoint implements Part {
  private left = 0;
  private complete: () => void = () => undefined;

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start({ answers }: { answers: boolean }): Promise<Endpoint> {
    const server = createServer();
    const endpoint = new Endpoint(server);
    server.on('request', (request, response) => {
      request.resume();
      if (!answers) return;
      response.writeHead(204).end();
      endpoint.left -= 1;
      if (endpoint.left === 0) endpoint.complete();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Resolves after this many more pushes. */
  received(count: number): Promise<void> {
    this.left = count;
    return new Promise((resolve) => (this.complete = resolve));
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Pushes per second to an endpoint that responds immediately, alone and while another one hangs. */
export function push({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const [fast, slow] = [
      keep(await Endpoint.start({ answers: true })),
      keep(await Endpoint.start({ answers: false })),
    ];
    const database = keep(await preparedDatabase(accounts));
    const child = keep(await Child.start<PushCommands>('process/push.process.js', cores.measured));
    await child.ask('open', {
      ...environment(database.path, deadPort),
      PUSH_SIGNING_KEYS: 'bench-key-of-at-least-32-bytes-in-length',
      PUSH_ALLOWED_NETWORKS: '127.0.0.1',
    });
    const count = Math.round(5_000 * scale);
    const measure = async (urls: string[]): Promise<{ rate: number; cpu: number }> => {
      await child.ask('prepare', { urls, count, accounts });
      const [begun, before] = [performance.now(), child.cpu()];
      const received = fast.received(count);
      await child.ask('begin');
      await received;
      const seconds = (performance.now() - begun) / 1_000;
      const cpu = ((child.cpu() - before) * 1_000) / count;
      await child.ask('stop');
      return { rate: count / seconds, cpu };
    };
    const sides = [
      { name: alone, run: () => measure([fast.url]) },
      { name: beside, run: () => measure([slow.url, fast.url]) },
    ];
    const of = await interleaved(rounds, sides, step);
    const unit = 'pushes/s';
    const note = `${accounts} accounts, each in order`;
    return [
      figureOf({ name: 'push', unit, values: of(alone, 'rate'), note }),
      figureOf({ name: 'push beside an endpoint that hangs', unit, values: of(beside, 'rate'), note }),
      figureOf({ name: 'push, processor time', unit: 'us/push', values: of(alone, 'cpu') }),
    ];
  });
}
