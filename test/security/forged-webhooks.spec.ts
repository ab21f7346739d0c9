import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import { ask } from '../../chaos/fuzz/judge.js';
import { Rng } from '../../sandbox/engine/random.js';
import { messagesOf } from '../ingest/inbox/support/deliveries.js';
import { START, webhookSecret } from '../support/environment.js';
import { signedHeaders } from '../support/signed-message.js';
import { TestApp } from '../support/test-app.js';
import { amount, seed } from './support/amount.js';

/** In `npm test`; `npm run test:security` sends all of them. */
const [FEW, ALL] = [400, 3_000];

type Headers = Record<string, string>;

describe(`forged webhooks, seed ${seed}`, () => {
  let app: TestApp;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const rng = new Rng(seed, 'webhooks');
  const body = JSON.stringify({ event_type: 'daily.data.heartrate.created', user_id: 'x', data: {} });

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(async () => {
    agent.destroy();
    await app.close();
  });

  const send = async (headers: Headers, text: string | Buffer = body): Promise<number> => {
    const request = {
      method: 'POST',
      path: '/webhooks',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    };
    const seen = await ask(app.url, request, agent);
    return typeof seen === 'string' ? 0 : seen.status;
  };
  const signed = (id: string, text: string | Buffer = body, at = START, secret?: string): Headers =>
    signedHeaders(id, at, text, secret);

  /** One thing is wrong with each; `id` has never been used. */
  const forgeries: Readonly<Record<string, (id: string) => [Headers, (string | Buffer)?]>> = {
    'not signed': () => [{}],
    'without a signature': (id) => [{ ...signed(id), 'svix-signature': '' }],
    'by another secret': (id) => [signed(id, body, START, `whsec_${Buffer.from('another secret').toString('base64')}`)],
    'by the secret as it is written': (id) => {
      const at = String(START / 1000);
      const mac = createHmac('sha256', webhookSecret).update(`${id}.${at}.${body}`).digest('base64');
      return [{ 'svix-id': id, 'svix-timestamp': at, 'svix-signature': `v1,${mac}` }];
    },
    'with another body': (id) => [signed(id), body.replace('heartrate', 'sleep')],
    'with a byte more': (id) => [signed(id), `${body} `],
    'with a byte less': (id) => [signed(id), body.slice(0, -1)],
    'with a mark before the body': (id) => [signed(id), `\ufeff${body}`],
    'with one bit changed': (id) => {
      const bytes = Buffer.from(body);
      const at = rng.int(0, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << rng.int(0, 7));
      return [signed(id), bytes];
    },
    'with another id': (id) => [{ ...signed(`${id}-other`), 'svix-id': id }],
    'with another time': (id) => [{ ...signed(id), 'svix-timestamp': String(START / 1000 + rng.int(1, 299)) }],
    'too old': (id) => [signed(id, body, START - rng.int(301, 100_000) * 1000)],
    'of the future': (id) => [signed(id, body, START + rng.int(301, 100_000) * 1000)],
    'with a time that is none': (id) =>
      [{ ...signed(id), 'svix-timestamp': rng.pick(['', 'now', '1e9', '-1', '0x1', '١٧٦٣']) }].map(ascii) as [Headers],
    'by another version': (id) => [
      {
        ...signed(id),
        'svix-signature':
          signed(id)['svix-signature']?.replace('v1,', rng.pick(['v1a,', 'v2,', 'V1,', ',', 'v1 '])) ?? '',
      },
    ],
    'by many that are wrong': (id) => [
      {
        ...signed(id),
        'svix-signature': Array.from(
          { length: 40 },
          () => `v1,${Buffer.alloc(32, rng.int(0, 255)).toString('base64')}`,
        ).join(' '),
      },
    ],
    'with part of a signature': (id) => [
      { ...signed(id), 'svix-signature': signed(id)['svix-signature']?.slice(0, rng.int(3, 40)) ?? '' },
    ],
    'in another alphabet': (id) => [
      {
        ...signed(id),
        'svix-signature': `v1,${Buffer.from(signed(id)['svix-signature']?.slice(3) ?? '', 'base64').toString('hex')}`,
      },
    ],
    'without an id': (id) => [{ ...signed(id), 'svix-id': '' }],
    'as another person': (id) => [{ ...signed(id), authorization: 'Bearer operator-key', 'svix-signature': 'v1,x' }],
  };

  it('leave nothing behind; valid ones are stored once, however often they arrive', async () => {
    const kinds = Object.entries(forgeries);
    const kept = async (): Promise<number> => messagesOf(app).count();
    const before = await kept();
    const wrong: string[] = [];
    const count = amount(FEW, ALL);
    for (let number = 0; number < count; number++) {
      const [what, make] = kinds[number % kinds.length] as (typeof kinds)[number];
      const status = await send(...make(`forged-${seed}-${number}`));
      if (status < 400 || status > 401) wrong.push(`${what}: ${status}`);
    }
    expect([...new Set(wrong)]).toEqual([]);
    expect(await kept()).toBe(before);
    const ids = Array.from({ length: 20 }, (_, index) => `right-${seed}-${index}`);
    const statuses = await Promise.all([...ids, ...ids, ...ids].map((id) => send(signed(id))));
    expect(new Set(statuses)).toEqual(new Set([204]));
    // The same id under a new signature over other bytes is no other message.
    const other = body.replace('heartrate', 'sleep');
    expect(await Promise.all(ids.map((id) => send(signed(id, other), other)))).toEqual(ids.map(() => 204));
    expect(await kept()).toBe(before + ids.length);
    process.stdout.write(`${count} forged webhooks, seed ${seed}\n`);
  });
});

/** Headers hold no other characters. */
function ascii(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.replace(/[^\x20-\x7e]/g, '?')]));
}
