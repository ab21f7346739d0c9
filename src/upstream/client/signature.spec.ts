import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { checkSignature, readHead, type SignatureCheck } from './signature.js';

const vector = {
  secret: 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY',
  id: 'msg_wire_supplement_0001',
  timestamp: '1700000000',
  body: '{"event_type":"daily.data.sleep.created","data":{"id":"00000000-0000-4000-8000-000000000001"},"user_id":"00000000-0000-4000-8000-000000000002","client_user_id":"cust-42","team_id":"00000000-0000-4000-8000-000000000003"}',
  signature: 'v1,FDZ7e856EGv5umi36eLdf5cCBF3IIGWJ+QB7HVnRNAI=',
};
const other = 'whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0';
const now = 1_700_000_000_000;

function key(secret: string) {
  return createSecretKey(Buffer.from(secret.replace('whsec_', ''), 'base64'));
}

type Headers = Record<string, string | string[]>;

function headersOf(family: string, over: Partial<typeof vector> = {}): Headers {
  const { id, timestamp, signature } = { ...vector, ...over };
  return { [`${family}-id`]: id, [`${family}-timestamp`]: timestamp, [`${family}-signature`]: signature };
}

interface Situation {
  body?: string | Buffer;
  secrets?: string[];
  at?: number;
}

function check(headers: Headers, { body = vector.body, secrets = [vector.secret], at = now }: Situation = {}) {
  const rules = { secrets: secrets.map(key), toleranceSeconds: 300 };
  return checkSignature(readHead(headers), Buffer.from(body), rules, at);
}

function signedBy(secret: string, body = vector.body): string {
  return new Webhook(secret).sign(vector.id, new Date(now), body);
}

const ok = expect.objectContaining({ kind: 'ok', messageId: vector.id, sentAt: now }) as SignatureCheck;
const bad: SignatureCheck = { kind: 'bad_signature' };
const malformed: SignatureCheck = { kind: 'malformed' };

/** Yields `text` with each character in turn replaced by another one, a digit by a digit. */
function* tampered(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    const other = /\d/.test(character) ? String((Number(character) + 1) % 10) : character === 'A' ? 'B' : 'A';
    yield text.slice(0, at) + other + text.slice(at + 1);
  }
}

describe('checkSignature', () => {
  it.each(['svix', 'webhook'])(
    'accepts the published test vector under %s headers [webhooks#test-vector]',
    (family) => {
      expect(check(headersOf(family))).toEqual(ok);
    },
  );

  it('accepts both header families if they agree [webhooks#headers]', () => {
    expect(check({ ...headersOf('svix'), ...headersOf('webhook') })).toEqual(ok);
  });

  it.each(['id', 'timestamp', 'signature'])('reports header families that differ in %s as malformed', (field) => {
    const headers = { ...headersOf('svix'), ...headersOf('webhook') };
    expect(check({ ...headers, [`webhook-${field}`]: '1700000001' })).toEqual(malformed);
    expect(check({ ...headers, [`svix-${field}`]: '1700000001' })).toEqual(malformed);
  });

  it.each(['id', 'timestamp', 'signature'])('reports a missing, empty or repeated %s as malformed', (field) => {
    const rest = headersOf('svix');
    delete rest[`svix-${field}`];
    expect(check(rest)).toEqual(malformed);
    expect(check({ ...rest, [`svix-${field}`]: '' })).toEqual(malformed);
    expect(check({ ...rest, [`svix-${field}`]: [vector.id, vector.id] })).toEqual(malformed);
  });

  it.each(['soon', '1700000000.5', '-1700000000', '1.7e9', '0x6553F100', ' 1700000000', '9999999999999'])(
    'reports the timestamp %j as malformed',
    (timestamp) => expect(check(headersOf('svix', { timestamp }))).toEqual(malformed),
  );

  it.each(['two words', 'x'.repeat(256), 'ünicode'])('reports the id %j as malformed', (id) => {
    expect(check(headersOf('svix', { id }))).toEqual(malformed);
  });

  it('accepts a timestamp within the tolerance, early or late, and no other [webhooks#signature]', () => {
    for (const direction of [-1, 1]) {
      expect(check(headersOf('svix'), { at: now + direction * 300_000 })).toEqual(ok);
      expect(check(headersOf('svix'), { at: now + direction * 301_000 })).toEqual({ kind: 'untimely' });
    }
  });

  it('accepts any of many signatures and ignores other versions [webhooks#signature]', () => {
    const wrong = signedBy(other);
    const signature = `v1a,AAAA v2,${vector.signature.slice(3)} ${wrong} v1, v1 nonsense ${vector.signature}`;
    expect(check(headersOf('svix', { signature }))).toEqual(ok);
  });

  it.each(['v2,', 'v1a,', 'V1,', '', 'v1'])('does not accept the correct digest with the version %j', (version) => {
    expect(check(headersOf('svix', { signature: version + vector.signature.slice(3) }))).toEqual(bad);
  });

  it.each([
    'nonsense',
    'v1,',
    'v1,AAAA',
    'v1',
    ' ',
    `v1,${'A'.repeat(44)}`,
    `${vector.signature}=`,
    'v1,\u0146DZ7e856',
  ])('refuses the signature %j without throwing', (signature) =>
    expect(check(headersOf('svix', { signature }))).toEqual(bad),
  );

  it('accepts a delivery signed by any configured secret, current or older', () => {
    const secrets = [other, vector.secret];
    expect(check(headersOf('svix'), { secrets })).toEqual(ok);
    expect(check(headersOf('svix', { signature: signedBy(other) }), { secrets })).toEqual(ok);
    expect(check(headersOf('svix'), { secrets: [other] })).toEqual(bad);
  });

  it('accepts a delivery with the signatures of two secrets if one of them is configured', () => {
    const signature = `${signedBy(other)} ${vector.signature}`;
    expect(check(headersOf('svix', { signature }), { secrets: [vector.secret] })).toEqual(ok);
    expect(check(headersOf('svix', { signature }), { secrets: [other] })).toEqual(ok);
  });

  it('accepts nothing without a secret', () => {
    expect(check(headersOf('svix'), { secrets: [] })).toEqual(bad);
  });

  it('refuses a change of any single character of the id', () => {
    for (const id of tampered(vector.id)) expect(check(headersOf('svix', { id }))).toEqual(bad);
  });

  it('refuses a change of any single digit of the timestamp, near or far', () => {
    for (const timestamp of tampered(vector.timestamp)) {
      expect(check(headersOf('svix', { timestamp }), { at: Number(timestamp) * 1000 })).toEqual(bad);
    }
  });

  it('refuses a change of any single bit of the body', () => {
    const body = Buffer.from(vector.body);
    for (let at = 0; at < body.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        body[at] = (body[at] ?? 0) ^ (1 << bit);
        expect(check(headersOf('svix'), { body })).toEqual(bad);
        body[at] = (body[at] ?? 0) ^ (1 << bit);
      }
    }
    expect(check(headersOf('svix'), { body })).toEqual(ok);
  });

  it('refuses a body that is cut off, longer, or re-encoded', () => {
    for (const body of [
      '',
      vector.body.slice(0, -1),
      `${vector.body}\n`,
      JSON.stringify(JSON.parse(vector.body), null, 1),
    ]) {
      expect(check(headersOf('svix'), { body })).toEqual(bad);
    }
  });

  it('refuses a change of any single character of the signature', () => {
    for (const signature of tampered(vector.signature)) expect(check(headersOf('svix', { signature }))).toEqual(bad);
  });

  it('refuses a signature that is cut off anywhere', () => {
    for (let length = 1; length < vector.signature.length; length += 1) {
      expect(check(headersOf('svix', { signature: vector.signature.slice(0, length) }))).toEqual(bad);
    }
  });

  it.each(['', 'plain', '{"a":"ünïcödé ✓ \u0000"}', 'x'.repeat(100_000)])(
    'agrees with the public library on %# [webhooks#signature]',
    (body) => {
      const signature = signedBy(other, body);
      const headers = headersOf('webhook', { signature });
      expect(check(headers, { body, secrets: [other] })).toEqual(ok);
    },
  );

  it('signs as the public library verifies', () => {
    const signature = signedBy(vector.secret);
    expect(signature).toBe(vector.signature);
  });

  describe('a generated delivery', () => {
    const secrets = [vector.secret, other];
    const bodies = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    const delivery = fc.record({
      body: bodies,
      id: fc.stringMatching(/^[\x21-\x7e]{1,60}$/),
      family: fc.constantFrom('svix', 'webhook'),
      secret: fc.constantFrom(...secrets),
      late: fc.integer({ min: -300, max: 300 }),
    });
    type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;
    const signed = ({ body, id, family, secret, late }: Delivery): Headers => {
      const timestamp = String(now / 1000 + late);
      const mac = createHmac('sha256', key(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64');
      return headersOf(family, { id, timestamp, signature: `v1,${mac}` });
    };

    it('is accepted if signed by any configured secret, over any bytes, at any time within the tolerance', () => {
      fc.assert(
        fc.property(delivery, (sent) => {
          expect(check(signed(sent), { body: sent.body, secrets })).toMatchObject({ kind: 'ok', messageId: sent.id });
        }),
      );
    });

    it('is refused if a bit of the body differs, or the body is longer', () => {
      fc.assert(
        fc.property(delivery, fc.nat(), fc.integer({ min: 0, max: 7 }), (sent, at, bit) => {
          const changed = Buffer.from(sent.body);
          const place = at % (changed.length || 1);
          if (changed.length > 0) changed.writeUInt8(changed.readUInt8(place) ^ (1 << bit), place);
          for (const body of [changed, Buffer.concat([sent.body, Buffer.from([bit])])]) {
            if (!body.equals(sent.body)) expect(check(signed(sent), { body, secrets })).toEqual(bad);
          }
        }),
      );
    });

    it('is never accepted, and never throws, with random headers', () => {
      const value = fc.oneof(fc.string(), fc.constant(vector.id), fc.constant(vector.timestamp), fc.array(fc.string()));
      const names = ['id', 'timestamp', 'signature'].flatMap((name) => [`svix-${name}`, `webhook-${name}`]);
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...names), value), bodies, (headers, body) => {
          expect(check(headers, { body, secrets }).kind).not.toBe('ok');
        }),
      );
    });
  });
});
