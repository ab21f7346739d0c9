import { createSecretKey, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { markOf, secretBytes, secretText, signatureHeaders } from './push-signature.js';

const keys = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))] as const;
const [first, second] = keys;
const name = { subscription: 'a', number: 1, keyMark: markOf(first) };

function secretOf(change: Partial<typeof name> = {}): Buffer {
  const bytes = secretBytes({ ...name, ...change }, keys);
  if (bytes === null) throw new Error('There is no such key.');
  return bytes;
}

describe('the secret of a subscription', () => {
  it('is stable, and differs for each subscription, number and key', () => {
    expect(secretOf()).toEqual(secretOf());
    const others = [{ subscription: 'b' }, { number: 2 }, { keyMark: markOf(second) }];
    expect(new Set([{}, ...others].map((change) => secretOf(change).toString('hex'))).size).toBe(4);
  });

  it('is unknown without its key', () => {
    expect(secretBytes(name, [second])).toBeNull();
  });
});

describe('a signed push', () => {
  const body = JSON.stringify({ type: 'alarm.created', note: 'ü' });
  const headers = (...secrets: Buffer[]) =>
    signatureHeaders({ id: 'change-1', at: new Date().getTime(), body }, secrets);

  it('verifies with the public library', () => {
    expect(new Webhook(secretText(secretOf())).verify(body, headers(secretOf()))).toEqual(JSON.parse(body));
  });

  it('verifies with either secret while two are live', () => {
    const both = headers(secretOf({ number: 2 }), secretOf());
    for (const number of [1, 2]) new Webhook(secretText(secretOf({ number }))).verify(body, both);
    expect(() => new Webhook(secretText(secretOf({ number: 3 }))).verify(body, both)).toThrow('No matching signature');
  });

  it('does not verify with another id, time or body', () => {
    const webhook = new Webhook(secretText(secretOf()));
    const good = headers(secretOf());
    expect(() => webhook.verify(`${body} `, good)).toThrow();
    expect(() => webhook.verify(body, { ...good, 'webhook-id': 'change-2' })).toThrow();
    const later = String(Number(good['webhook-timestamp']) + 1);
    expect(() => webhook.verify(body, { ...good, 'webhook-timestamp': later })).toThrow();
  });
});
