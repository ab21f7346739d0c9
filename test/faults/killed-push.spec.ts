// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { Receiver } from '../changes/subscriptions/support/receiver.js';
import { adminCall, adminRows, childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { webhookSecret } from '../support/environment.js';
import { type TestDatabase, testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';

const env = { PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789', PUSH_ALLOWED_NETWORKS: '127.0.0.1' };

describe('a process killed while it pushes', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let receiver: Receiver;
  let running: ChildPulsekeep;

  beforeEach(async () => {
    sandbox = await startSandbox({ webhookSecret });
    database = await testDatabase();
    receiver = await Receiver.start();
    running = await ChildPulsekeep.start(childEnvironment(database, sandbox.url, env));
  });

  afterEach(async () => {
    await running.kill();
    await receiver.close();
    await sandbox.close();
    await database.drop();
  });

  it('repeats pushes that it had not recorded, under the same ids and in the order of each account', async () => {
    const { subscription_id: id } = await adminCall<{ subscription_id: string }>(
      running.url,
      'POST',
      '/subscriptions',
      {
        url: receiver.url,
        kinds: ['account'],
      },
    );
    const people = ['anna', 'ben', 'cleo'];
    for (const account_id of people) await adminCall(running.url, 'POST', '/accounts', { account_id });
    await until(async () => receiver.received.length >= people.length);
    let killed = 0;
    for (let kills = 0; kills < 3; kills++) {
      // It has sent, and dies before it hears the answer.
      let isDead: Promise<unknown> = Promise.resolve();
      receiver.answer = () => {
        receiver.answer = () => true;
        isDead = running.kill();
        killed += 1;
        return true;
      };
      for (const act of ['block', 'unblock']) {
        for (const person of people)
          await adminCall(running.url, 'POST', `/accounts/${person}/${act}`).catch(() => null);
      }
      await until(async () => killed > kills);
      await isDead;
      receiver.answer = () => false;
      running = await ChildPulsekeep.start(childEnvironment(database, sandbox.url, env));
    }
    await until(async () => {
      const { behind } = await adminCall<{ behind: number }>(running.url, 'GET', `/subscriptions/${id}`);
      const path = `/subscriptions/${id}/pushes?state=waiting`;
      const { data } = await adminCall<{ data: unknown[] }>(running.url, 'GET', path);
      return behind === 0 && data.length === 0;
    });
    const pushes = await adminRows<{ change_id: string; state: string; account_id: string }>(
      running.url,
      `/subscriptions/${id}/pushes`,
    );
    expect(new Set(pushes.map(({ state }) => state))).toEqual(new Set(['delivered']));
    expect(new Set(receiver.ids)).toEqual(new Set(pushes.map(({ change_id }) => change_id)));
    expect(receiver.ids.length).toBeGreaterThan(pushes.length);
    for (const person of people) {
      const wanted = pushes.filter(({ account_id }) => account_id === person).map(({ change_id }) => change_id);
      const own = receiver.ids.filter((each) => wanted.includes(each));
      // The last time that each came is in the order of the feed.
      const last = [...new Set(own.toReversed())].reverse();
      expect(last).toEqual(wanted.toReversed());
    }
  });
});
