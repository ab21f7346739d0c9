import type { Sandbox } from '../../sandbox/server.js';
import { call, callAsItIs, closeAll, connectedUser, newUser, receiverFor, sandboxFor } from './support.js';

afterEach(closeAll);

interface Page {
  groups: Record<string, { data: { start: string; timestamp?: string }[] }[]>;
  next: string | null;
  next_cursor?: string | null;
}

const minutes = (user: string): string =>
  `GET /v2/timeseries/${user}/mindfulness_minutes/grouped?start_date=2026-11-01&end_date=2026-11-30`;
const pointsOf = ({ groups }: Page): { start: string; timestamp?: string }[] =>
  Object.values(groups).flatMap((list) => list.flatMap(({ data }) => data));

describe('points of the sandbox', () => {
  it('have their timestamp, unless it is switched off as in published examples [timeseries#sparse-examples]', async () => {
    const sandbox = await sandboxFor();
    const user = await connectedUser(sandbox);
    const whole = pointsOf((await call(sandbox, minutes(user))).body as Page);
    expect(whole.length).toBeGreaterThan(5);
    expect(whole.every(({ start, timestamp }) => start === timestamp)).toBe(true);
    await sandbox.control.configure({ sparse_points: true });
    const sparse = pointsOf((await callAsItIs(sandbox, minutes(user))).body as Page);
    expect(sparse.map(({ start }) => start).sort()).toEqual(whole.map(({ start }) => start).sort());
    expect(sparse.filter((point) => 'timestamp' in point)).toEqual([]);
  });
});

describe('pages of the sandbox', () => {
  it('have only the deprecated cursor if so configured', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ page_size: 4, next_only: true });
    const user = await connectedUser(sandbox);
    const first = (await call(sandbox, minutes(user))).body as Page;
    expect(first).not.toHaveProperty('next_cursor');
    const second = (await call(sandbox, `${minutes(user)}&next_cursor=${first.next}`)).body as Page;
    expect(pointsOf(second)).not.toEqual(pointsOf(first));
    const pulls = await callAsItIs(sandbox, 'GET /v2/introspect/historical_pull?user_limit=1');
    expect(pulls.body).not.toHaveProperty('next_cursor');
  });
});

describe('linking in the sandbox', () => {
  const link = async (sandbox: Sandbox, user_id: string): Promise<string> => {
    const { link_token } = (await call(sandbox, 'POST /v2/link/token', { user_id })).body as { link_token: string };
    const outcome = await sandbox.control.link({ link_token, provider: 'oura', external_user_id: 'ada@oura' });
    return outcome.error_type ?? outcome.state;
  };

  it('refuses a credential of another user if the team enabled the check [linking-and-tokens#duplicate-connection]', async () => {
    const sandbox = await sandboxFor();
    const [ann, bob] = [await newUser(sandbox, 'ann'), await newUser(sandbox, 'bob')];
    expect(await link(sandbox, ann)).toBe('success');
    expect(await link(sandbox, bob)).toBe('success');
    await sandbox.control.configure({ duplicate_check: true });
    const eve = await newUser(sandbox, 'eve');
    expect(await link(sandbox, eve)).toBe('duplicate_connection');
    const { providers } = (await call(sandbox, `GET /v2/user/providers/${eve}`)).body as { providers: unknown[] };
    expect(providers).toEqual([]);
  });

  it('connects an already connected provider again', async () => {
    const sandbox = await sandboxFor();
    await sandbox.control.configure({ duplicate_check: true });
    const ann = await newUser(sandbox, 'ann');
    expect([await link(sandbox, ann), await link(sandbox, ann)]).toEqual(['success', 'success']);
  });
});

describe('an endpoint of the sandbox', () => {
  const day = 24 * 3600;

  it('is disabled once everything failed for five days, and holds messages until it is enabled [webhooks#disabled-endpoints]', async () => {
    const receiver = await receiverFor(Array.from({ length: 500 }, () => 500));
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    const isDisabled = async (): Promise<boolean> => (await sandbox.control.webhooks()).disabled;
    await sandbox.control.send({ event_type: 'x.y' });
    // The first two failures that are 12 hours apart or more come 27,305 and 63,305 s after the start.
    for (let passed = 0; passed < 5; passed += 1) {
      await sandbox.control.advance(day);
      await sandbox.control.send({ event_type: 'x.y' });
    }
    expect(await isDisabled()).toBe(false);
    await sandbox.control.advance(day);
    await sandbox.control.send({ event_type: 'x.y' });
    await sandbox.control.settle();
    expect(await isDisabled()).toBe(true);
    receiver.answers.length = 0;
    const seen = receiver.deliveries.length;
    await sandbox.control.send({ event_type: 'x.y' });
    expect((await sandbox.control.settle()).messages.held).toBeGreaterThan(0);
    expect(receiver.deliveries.length).toBe(seen);
    await sandbox.control.configureWebhooks({ disabled: false });
    expect((await sandbox.control.settle()).messages.held).toBe(0);
    expect(receiver.deliveries.length).toBeGreaterThan(seen);
  });

  it('stays enabled while any message arrives', async () => {
    const receiver = await receiverFor();
    const sandbox = await sandboxFor({ webhookUrl: receiver.url });
    for (let passed = 0; passed < 8; passed += 1) {
      receiver.answers.push(500, 500, 500);
      await sandbox.control.send({ event_type: 'x.y' });
      await sandbox.control.advance(day);
    }
    expect((await sandbox.control.webhooks()).disabled).toBe(false);
  });
});
