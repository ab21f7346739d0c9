import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Sandbox, startSandbox } from '../../../sandbox/server.js';
import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { OrderSyncWorker } from '../../../src/labs/upstream-orders/order-sync.worker.js';
import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

describe('the list of orders of an upstream that returns smaller pages than requested', () => {
  let sandbox: Sandbox;
  let upstream: Server;
  let app: TestApp;
  let namesSize: boolean;

  /** The simulated upstream with two orders on a page. */
  beforeEach(async () => {
    namesSize = true;
    sandbox = await startSandbox({ timeScale: 0, startAt: START });
    upstream = createServer((request, response) => {
      const { url = '/', headers } = request;
      const passed = Object.entries(headers).filter(([name]) => name.startsWith('x-')) as [string, string][];
      void fetch(sandbox.url + url.replace(/\bsize=\d+/, 'size=2'), { headers: Object.fromEntries(passed) }).then(
        async (answer) =>
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(shown(await answer.text())),
      );
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    app = await TestApp.create({ upstream: { url: `http://127.0.0.1:${port}` } });
  });

  afterEach(async () => {
    await app.close();
    await new Promise((resolve) => upstream.close(resolve));
    await sandbox.close();
  });

  /** `size` is optional in the contract. */
  const shown = (text: string): string => (namesSize ? text : text.replace('"size":2', '"pages":3'));

  it.each([true, false])('is read to its end if they name their size: %s', async (names) => {
    namesSize = names;
    const { users } = await sandbox.control.createUsers({ client_user_id: 'ann' });
    for (let index = 0; index < 5; index++) await sandbox.control.createOrder({ user_id: users[0]?.user_id ?? '' });
    await app.run(OrderSyncWorker);
    const { orders } = await sandbox.control.truthOrders();
    const stored = await app.store.reader.rows<{ order_id: string }>('SELECT order_id FROM orders');
    expect(stored.map(({ order_id }) => order_id).sort()).toEqual(orders.map(({ id }) => id).sort());
    expect(await app.get(AccountsService).find('ann')).toMatchObject({ status: 'active' });
  });
});
