import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { nowhere } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

describe('a process that was asked to stop', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await testDatabase();
  });

  afterEach(() => database.drop());

  it('reports it in readyz and still serves requests for as long as it was told to', async () => {
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, { DRAIN_SECONDS: '300' }));
    expect((await fetch(`${child.url}/readyz`)).status).toBe(200);
    child.tell('SIGTERM');
    await until(async () => (await fetch(`${child.url}/readyz`)).status === 503);
    const { errors } = (await (await fetch(`${child.url}/readyz`)).json()) as { errors: unknown };
    expect(errors).toEqual([{ field: 'stopping', message: 'the process is shutting down' }]);
    const served = await fetch(`${child.url}/admin/v1/overview`, { headers: { authorization: 'Bearer operator-key' } });
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
    expect(child.hasEnded).toBe(false);
    await child.kill();
  });

  it('ends streams of changes, so that clients continue elsewhere, waits for none of them, and ends with 0', async () => {
    const child = await ChildPulsekeep.start(childEnvironment(database, nowhere, { DRAIN_SECONDS: '1' }));
    const headers = { authorization: 'Bearer feed-key' };
    const poll = fetch(`${child.url}/v1/changes?kinds=order&wait=30`, { headers });
    const url = `${child.url}/v1/changes?kinds=order`;
    const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } });
    const stopped = child.stop();
    // A connection that is cut rejects: they would wait for 15 and 30 seconds, and be cut after 10.
    expect(await stream.text()).toContain('retry: 2000');
    const answer = await poll;
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ data: [] })]);
    expect(await stopped).toBe(0);
  });

  it('ends although a part of it never does', async () => {
    @Module({})
    class NeverEnding implements OnApplicationShutdown {
      onApplicationShutdown(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const app = await TestApp.create({ database, upstream: { url: nowhere }, modules: [NeverEnding] });
    await app.pulsekeep.stop(0, 100);
    await app.close();
    expect(app.logs.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ event: 'stopped', reason: 'deadline' }),
    );
    await app.store.close();
  });
});
