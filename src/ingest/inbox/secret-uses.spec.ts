import { createSecretKey } from 'node:crypto';
import { WebhookConfig } from '../../platform/config/config.js';
import { Rotating } from '../../platform/config/secret.js';
import { SecretUses } from './secret-uses.js';

const key = (text: string) => createSecretKey(Buffer.from(text));

describe('the uses of webhook secrets', () => {
  it('are counted for each accepted secret, under a part of its digest, even after the file was read again', () => {
    let now = 1_000;
    const secrets = new Rotating([key('new'), key('old')]);
    const config = new WebhookConfig({
      secrets,
      toleranceSeconds: 300,
      maxBytes: 1,
      amqpServer: undefined,
      amqpQueue: undefined,
    });
    const uses = new SecretUses(config, { now: () => now, monotonic: () => now });
    const [first, second] = uses.current();
    expect([first, second]).toEqual([
      { fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/), knownSince: 1_000, lastUsedAt: null },
      { fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/), knownSince: 1_000, lastUsedAt: null },
    ]);
    uses.used(key('old'), 2_000);
    now = 3_000;
    secrets.replace([key('newest'), key('old')]);
    expect(uses.current()).toEqual([
      { fingerprint: expect.not.stringMatching(String(first?.fingerprint)), knownSince: 3_000, lastUsedAt: null },
      { ...second, lastUsedAt: 2_000 },
    ]);
    expect(JSON.stringify(uses.current())).not.toContain('old');
  });
});
