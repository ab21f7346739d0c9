import { Metrics } from '../../../src/platform/platform/metrics.js';
import { openTraces } from '../../../src/platform/platform/open-traces.js';
import { beginSpan, traced } from '../../../src/platform/platform/traces.js';
import { Receiver } from '../../changes/subscriptions/support/receiver.js';
import { nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { type CollectedSpan, Collector } from './support/collector.js';

/** Everything that a span may say; no person, no value, no address. */
const attributes = [
  ...['attempts', 'bytes', 'count', 'error', 'kind', 'message_id', 'method', 'operation', 'pages', 'provider'],
  ...['resource', 'route', 'status', 'subscription_id', 'task_id'],
];

describe('traces', () => {
  let collector: Collector;

  beforeEach(async () => {
    collector = await Collector.start();
  });

  afterEach(() => collector.close());

  const start = (env: Record<string, string> = {}): Promise<TestApp> =>
    TestApp.create({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...env } });
  const named = (name: string): CollectedSpan[] => collector.spans.filter((span) => span.name === name);
  const below = (parent: CollectedSpan, name: string): CollectedSpan[] =>
    named(name).filter(({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId);

  it('follow a message from its delivery to the push of what it changed, a pull to its rows, a request to upstream', async () => {
    const receiver = await Receiver.start();
    const app = await start({ PUSH_SIGNING_KEYS: 'k'.repeat(32), PUSH_ALLOWED_NETWORKS: '127.0.0.1' });
    await app.admin('POST', '/subscriptions', { url: receiver.url });
    const userId = await app.connect('person', 'oura', { days: 2, per_day: 2 });
    await app.advance(3_600, 4);
    const points = [{ timestamp: new Date(app.clock.now()).toISOString(), value: 61 }];
    await app.sandbox.control.put({ user_id: userId, provider: 'oura', resource: 'heartrate', points });
    await app.settle();
    const headers = { authorization: `Bearer ${await app.appToken('person')}`, 'content-type': 'application/json' };
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    await fetch(`${app.url}/v1/me/link-token`, {
      method: 'POST',
      headers: { ...headers, traceparent },
      body: JSON.stringify({ provider: 'garmin' }),
    });
    await app.close();
    await receiver.close();

    expect([...collector.paths]).toEqual(['POST /v1/traces']);
    const [delivery] = named('webhook.delivery').slice(-1);
    const ofMessage = collector.spans.filter(({ traceId }) => traceId === delivery?.traceId);
    const steps = ['webhook.delivery', 'inbox.attempt', 'inbox.apply', 'push'];
    expect(ofMessage.map(({ name }) => name)).toEqual(expect.arrayContaining(steps));
    const ids = ofMessage.map((span) => span.attributes['message_id']).filter((id) => id !== undefined);
    expect(new Set(ids)).toEqual(new Set([delivery?.attributes['message_id']]));
    const [apply] = ofMessage.filter(({ name }) => name === 'inbox.apply');
    expect(below(apply as CollectedSpan, 'push')).toEqual([
      expect.objectContaining({ attributes: expect.objectContaining({ kind: 'samples', resource: 'heartrate' }) }),
    ]);

    const turns = named('pull.turn');
    expect(turns.length).toBeGreaterThan(0);
    const pages = turns.flatMap((turn) => below(turn, 'pull.page'));
    expect(pages.length).toBeGreaterThanOrEqual(turns.length);
    for (const page of pages) {
      expect([below(page, 'upstream.call').length, below(page, 'pull.store').length]).toEqual([1, 1]);
    }

    const [request] = named('http.request').filter(({ traceId }) => traceId === 'ab'.repeat(16));
    expect(request).toMatchObject({
      parentSpanId: 'cd'.repeat(8),
      attributes: { method: 'POST', route: '/v1/me/link-token', status: 201 },
    });
    expect(below(request as CollectedSpan, 'upstream.call').length).toBeGreaterThan(0);

    const used = new Set(collector.spans.flatMap((span) => Object.keys(span.attributes)));
    expect([...used].filter((name) => !attributes.includes(name))).toEqual([]);
    expect(collector.texts.join('\n')).not.toContain(userId);
  });

  it('have messages that are stored together beside each other, each in its own trace', async () => {
    const app = await start();
    const userId = await app.connect('person', 'oura', { days: 1, per_day: 1 });
    await app.advance(3_600, 4);
    const put = (value: number): Promise<unknown> => {
      const points = [{ timestamp: new Date(app.clock.now() - value * 60_000).toISOString(), value }];
      return app.sandbox.control.put({ user_id: userId, provider: 'oura', resource: 'heartrate', points });
    };
    for (const value of [61, 62, 63]) await put(value);
    await app.settle();
    await app.close();
    const applied = named('inbox.apply');
    expect(new Set(applied.map(({ traceId }) => traceId)).size).toBe(applied.length);
    const attempted = named('inbox.attempt').filter(({ links }) => links !== undefined && links.length > 0);
    expect(attempted.length).toBeGreaterThan(0);
    const known = new Set(collector.spans.map(({ spanId }) => spanId));
    for (const { links } of attempted) expect(links?.every(({ spanId }) => known.has(spanId))).toBe(true);
  });

  it('say of an error only its class', async () => {
    const end = openTraces(collector.url, new Metrics());
    class Refusal extends Error {}
    const failing = traced('push', {}, () => Promise.reject(new Refusal('61 bpm of person@example.com')));
    await expect(failing).rejects.toThrow(Refusal);
    await end();
    expect(named('push')).toEqual([
      expect.objectContaining({ attributes: { error: 'Refusal' }, status: expect.objectContaining({ code: 2 }) }),
    ]);
    expect(collector.texts.join('\n')).not.toContain('61 bpm');
  });

  it.each(['refuses them', 'is away'])(
    'are dropped and counted if the collector %s, and the service works',
    async (how) => {
      collector.status = 400;
      const metrics = new Metrics();
      const end = openTraces(how === 'is away' ? nowhere : collector.url, metrics);
      for (let count = 0; count < 3_000; count++) await traced('push', { count }, async () => count);
      await end();
      const text = await metrics.text();
      expect(text).toContain('pulsekeep_traces_spans_total{outcome="dropped"} 3000');
      expect(text).toContain('pulsekeep_traces_spans_total{outcome="exported"} 0');
    },
  );

  it('are not measured without a collector, nor after the end', async () => {
    expect(beginSpan('push', {})).toBeNull();
    await openTraces(collector.url, new Metrics())();
    expect(beginSpan('push', {})).toBeNull();
    expect(await traced('push', {}, async () => 7)).toBe(7);
    expect(collector.texts).toEqual([]);
  });
});
