import { MINUTE } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Line {
  readonly event: string;
  readonly code?: string;
  readonly count?: number;
}

describe('a flood of unsigned requests', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  const knock = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await fetch(`${app.url}/webhooks`, { method: 'POST', body: '{}' });
  };
  const lines = (): Line[] =>
    app.logs.map((line) => JSON.parse(line) as Line).filter(({ event }) => event === 'webhook.refused');

  it('makes one log line a minute, which counts the refusals of the last one', async () => {
    await knock(30);
    app.clock.advance(MINUTE - 1);
    await knock(3);
    app.clock.advance(1);
    await knock(2);
    expect(new Set(lines().map(({ code }) => code))).toEqual(new Set(['malformed_webhook']));
    expect(lines().map(({ count }) => count)).toEqual([1, 33]);
    expect(await app.metric('messages_received_total', { outcome: 'malformed_webhook' })).toBe(35);
  });

  it('is still logged every minute after the clock was set back', async () => {
    await knock(30);
    app.clock.step(-4 * 60 * MINUTE);
    app.clock.advance(MINUTE);
    await knock(1);
    expect(lines().map(({ count }) => count)).toEqual([1, 30]);
  });
});
