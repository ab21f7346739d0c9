import { Metrics } from './metrics.js';

describe('Metrics', () => {
  it('prefixes names and returns the same metric for the same name', async () => {
    const metrics = new Metrics();
    metrics.counter('things_total', 'Things', ['state']).inc({ state: 'done' });
    metrics.counter('things_total', 'Things', ['state']).inc({ state: 'done' });
    metrics.histogram('call_seconds', 'Calls').observe(0.2);
    expect(await metrics.registry.metrics()).toContain('pulsekeep_things_total{state="done"} 2');
    expect(await metrics.registry.metrics()).toContain('pulsekeep_call_seconds_count 1');
  });

  it('reads a gauge at every scrape', async () => {
    const metrics = new Metrics();
    let depth = 3;
    metrics.gauge('inbox_depth', 'Messages waiting', [], async (gauge) => gauge.set(depth));
    expect(await metrics.registry.metrics()).toContain('pulsekeep_inbox_depth 3');
    depth = 5;
    expect(await metrics.registry.metrics()).toContain('pulsekeep_inbox_depth 5');
  });

  it('reads once for simultaneous scrapes', async () => {
    const metrics = new Metrics();
    let read = 0;
    metrics.gauge('inbox_depth', 'Messages waiting', [], async (gauge) => gauge.set(++read));
    const [one, other] = await Promise.all([metrics.text(), metrics.text()]);
    expect(one).toContain('pulsekeep_inbox_depth 1');
    expect(other).toBe(one);
    expect(await metrics.text()).toContain('pulsekeep_inbox_depth 2');
  });

  it('separates two applications of one process', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.counter('things_total', 'Things').inc();
    other.counter('things_total', 'Things');
    expect(await other.registry.metrics()).toContain('pulsekeep_things_total 0');
  });

  it.each(['user_id', 'account', 'account_ref', 'token', 'id', 'url'])('refuses the label %s', (label) => {
    expect(() => new Metrics().counter('things_total', 'Things', [label])).toThrow(TypeError);
  });

  it('refuses one name for two kinds of metric', () => {
    const metrics = new Metrics();
    metrics.counter('things', 'Things');
    expect(() => metrics.gauge('things', 'Things')).toThrow(TypeError);
  });

  it('adds the figures of the process on request', async () => {
    const metrics = new Metrics();
    metrics.collectProcess();
    expect(await metrics.registry.metrics()).toContain('pulsekeep_process_resident_memory_bytes');
    metrics.registry.clear();
  });
});
