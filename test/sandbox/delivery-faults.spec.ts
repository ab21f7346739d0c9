import { type DeliveryFault, FAULTS } from '../../sandbox/engine/faults.js';
import type { Sandbox } from '../../sandbox/server.js';
import { sign } from '../../sandbox/webhooks/signing.js';
import { closeAll, type Delivery, newUser, type Receiver, receiverFor, sandboxFor } from './support.js';

afterEach(closeAll);

const SECRET = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY';
const NOW = Date.parse('2026-11-20T12:00:00Z') / 1000;

interface Case {
  sandbox: Sandbox;
  receiver: Receiver;
  user: string;
  /** Sends so many messages about the user, and answers their ids. */
  readonly send: (count: number) => Promise<string[]>;
}

async function endpoint(): Promise<Case> {
  const receiver = await receiverFor();
  const sandbox = await sandboxFor({ webhookUrl: receiver.url, webhookSecret: SECRET });
  const user = await newUser(sandbox);
  const send = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await sandbox.control.send({ event_type: 'x.y', user_id: user })).message_id);
    }
    return ids;
  };
  return { sandbox, receiver, user, send };
}

const idOf = ({ headers }: Delivery): string => String(headers['svix-id']);
const timeOf = ({ headers }: Delivery): number => Number(headers['svix-timestamp']);

function isWellSigned(delivery: Delivery): boolean {
  const content = { id: idOf(delivery), timestamp: timeOf(delivery), body: delivery.body };
  return delivery.headers['svix-signature'] === sign(SECRET, content);
}

/** What follows one message under a fault, well signed. */
async function followers({ sandbox, receiver, send }: Case, kind: DeliveryFault, more: object = {}): Promise<string[]> {
  await sandbox.control.fault({ kind, times: 1, ...more });
  const [meant] = await send(1);
  await sandbox.control.settle();
  expect(receiver.deliveries.every(isWellSigned)).toBe(true);
  return receiver.deliveries.filter((delivery) => idOf(delivery) !== meant).map(({ body }) => body);
}

/** A case for every fault that strikes a delivery. */
const proofs: Record<DeliveryFault, (given: Case) => Promise<void>> = {
  duplicate: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'duplicate' });
    const ids = await send(2);
    await sandbox.control.settle();
    expect(receiver.deliveries.map(idOf).sort()).toEqual([...ids, ...ids].sort());
  },
  shuffle: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'shuffle' });
    const ids = await send(10);
    await sandbox.control.settle();
    const got = receiver.deliveries.map(idOf);
    expect([...got].sort()).toEqual([...ids].sort());
    expect(got).not.toEqual(ids);
  },
  delay: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'delay', delay_ms: 3 * 86_400_000 });
    await send(1);
    await sandbox.control.advance(3 * 86_400 - 1);
    expect(receiver.deliveries).toHaveLength(0);
    await sandbox.control.advance(1);
    expect(receiver.deliveries.map(timeOf)).toEqual([NOW + 3 * 86_400]);
  },
  drop: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'drop', times: 1 });
    const [id = ''] = await send(1);
    await sandbox.control.advance(60);
    expect(receiver.deliveries).toHaveLength(1);
    expect((await sandbox.control.message(id)).attempts.map(({ status }) => status)).toEqual([null, 204]);
  },
  lose: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'lose' });
    const [id = ''] = await send(1);
    await sandbox.control.advance(100_000);
    expect([(await sandbox.control.message(id)).state, receiver.deliveries.length]).toEqual(['lost', 0]);
  },
  overtake: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'overtake', times: 1 });
    const [older] = await send(1);
    await sandbox.control.settle();
    const [newer] = await send(1);
    await sandbox.control.settle();
    expect(receiver.deliveries.map(idOf)).toEqual([newer, older]);
    await sandbox.control.fault({ kind: 'overtake', times: 1 });
    await send(1);
    await sandbox.control.advance(299);
    expect(receiver.deliveries).toHaveLength(2);
    await sandbox.control.advance(1);
    expect(receiver.deliveries).toHaveLength(3);
  },
  together: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'together', delay_ms: 60_000 });
    await send(1);
    await sandbox.control.advance(20);
    await send(2);
    await sandbox.control.advance(39);
    expect(receiver.deliveries).toHaveLength(0);
    await sandbox.control.advance(1);
    expect(receiver.deliveries.map(timeOf)).toEqual([NOW + 60, NOW + 60, NOW + 60]);
  },
  bad_signature: async ({ sandbox, receiver, send }) => {
    receiver.answers.push(401);
    await sandbox.control.fault({ kind: 'bad_signature', times: 1 });
    await send(1);
    await sandbox.control.advance(60);
    expect(receiver.deliveries.map(isWellSigned)).toEqual([false, true]);
  },
  old_timestamp: async ({ sandbox, receiver, send }) => {
    receiver.answers.push(401);
    await sandbox.control.fault({ kind: 'old_timestamp', times: 1 });
    await send(1);
    await sandbox.control.settle();
    expect(receiver.deliveries.map((each) => [timeOf(each), isWellSigned(each)])).toEqual([
      [NOW - 3600, true],
      [NOW, true],
    ]);
  },
  skew: async ({ sandbox, receiver, send }) => {
    await sandbox.control.fault({ kind: 'skew', times: 1 });
    await sandbox.control.fault({ kind: 'skew', delay_ms: -30_000 });
    await send(2);
    await sandbox.control.settle();
    expect(receiver.deliveries.map((each) => [timeOf(each), isWellSigned(each)])).toEqual([
      [NOW + 60, true],
      [NOW - 30, true],
    ]);
  },
  noise: async (given) => {
    const [body = ''] = await followers(given, 'noise');
    expect(JSON.parse(body)).toEqual({ event_type: expect.any(String), data: [] });
  },
  cut_body: async (given) => {
    const [body = ''] = await followers(given, 'cut_body');
    expect(given.receiver.deliveries[0]?.body.startsWith(body)).toBe(true);
    expect(() => JSON.parse(body) as unknown).toThrow();
  },
  not_json: async (given) => {
    const [body = ''] = await followers(given, 'not_json');
    expect(() => JSON.parse(body) as unknown).toThrow();
  },
  huge_body: async (given) => {
    const [body = ''] = await followers(given, 'huge_body', { bytes: 100_000 });
    expect(body.length).toBeGreaterThanOrEqual(100_000);
    const { messages } = await given.sandbox.control.messages({ event_type: 'fault.huge_body' });
    expect(messages.map(({ state }) => state)).toEqual(['delivered']);
  },
};

describe('a fault that strikes a delivery', () => {
  it.each(Object.entries(proofs).map(([kind, proof]) => [kind, FAULTS[kind as DeliveryFault].does, proof] as const))(
    '%s: %s',
    async (_kind, _does, proof) => proof(await endpoint()),
  );

  it('strikes a share of the messages, and only those of its event type', async () => {
    const { sandbox, send } = await endpoint();
    await sandbox.control.fault({ kind: 'lose', rate: 0.3, event_type: 'x.' });
    const ids = await send(100);
    await sandbox.control.send({ event_type: 'z' });
    const lost = (await sandbox.control.messages({ state: 'lost' })).messages.map(({ id }) => id);
    expect(lost.length).toBeGreaterThan(10);
    expect(lost.length).toBeLessThan(60);
    expect(lost.filter((id) => !ids.includes(id))).toEqual([]);
  });
});
