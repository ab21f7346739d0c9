import { spawnSync } from 'node:child_process';
import { AlarmsWorker } from '../../../src/operations/alarms/alarms.worker.js';
import { TestApp } from '../../support/test-app.js';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** Every family of an exposition. */
function familiesOf(text: string): Family[] {
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \1 (\w+)\n((?:(?!#).*\n)*)/gm)].map((match) => {
    const [, name = '', help = '', type = '', samples = ''] = match;
    const labels = [...samples.matchAll(/[{,](\w+)="/g)].map(([, label]) => String(label));
    return { name, help, type, labels: [...new Set(labels)] };
  });
}

/** What `promtool check metrics` finds fault with, by its own rules of names, units, help and labels. */
function faultsOf({ name, help, type, labels }: Family): string[] {
  const ownLabels = type === 'histogram' ? ['le'] : type === 'summary' ? ['quantile'] : [];
  const faults: [string, boolean][] = [
    ['no help', help.trim() === ''],
    ['a counter without _total', type === 'counter' && !name.endsWith('_total')],
    ['_total without being a counter', type !== 'counter' && name.endsWith('_total')],
    ['a name kept for parts of histograms', /_(count|sum|bucket|info_info)$/.test(name)],
    ['its type in its name', /_(counter|gauge|histogram|summary)(_|$)/.test(name)],
    ['a capital letter', /[A-Z:]/.test(name) || labels.some((label) => /[A-Z]/.test(label))],
    ['no base unit', /_(milliseconds|ms|s|sec|minutes|hours|days|kilobytes|kb|mb|bits)(_total)?$/.test(name)],
    ['a label of the format', labels.some((label) => ['le', 'quantile'].includes(label) && !ownLabels.includes(label))],
    ['a label in its name', labels.some((label) => name.endsWith(`_by_${label}`))],
  ];
  return faults.flatMap(([fault, holds]) => (holds ? [`${name}: ${fault}`] : []));
}

describe('the metrics', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create();
  });

  afterEach(() => app.close());

  const scrape = async (of = app): Promise<string> => (await of.call<string>('GET', '/metrics')).body;

  it('show how long the event loop was blocked', async () => {
    const text = await scrape();
    for (const part of ['max', 'p99']) {
      const value = new RegExp(`^pulsekeep_nodejs_eventloop_lag_${part}_seconds (\\S+)$`, 'm').exec(text)?.[1];
      expect([part, Number(value) > 0]).toEqual([part, true]);
    }
  });

  it('follow the exposition format', async () => {
    await app.connect('anna', 'oura', { days: 1, per_day: 1 });
    await app.settle();
    const text = await scrape();
    const families = familiesOf(text);
    expect(families.length).toBeGreaterThan(60);
    expect(families.length).toBe(text.match(/^# TYPE /gm)?.length);
    expect(families.flatMap(faultsOf)).toEqual([]);
    const promtool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    // Only where it is installed.
    if (promtool.error === undefined) expect([promtool.stdout + promtool.stderr, promtool.status]).toEqual(['', 0]);
  });

  it('count and time every response by the template of its route, never by its path', async () => {
    await app.admin('GET', '/accounts/a-marked-name');
    await app.send('GET /no-such-marked-place');
    const labels = { method: 'GET', route: '/admin/v1/accounts/:account_id', status: '404' };
    expect(await app.metric('http_requests_total', labels)).toBe(1);
    expect(await app.metric('http_requests_total', { route: 'unmatched', status: '404' })).toBe(1);
    const text = await scrape();
    expect(text).toContain(
      'pulsekeep_http_request_duration_seconds_count{method="GET",route="/admin/v1/accounts/:account_id"} 1',
    );
    expect(text).not.toContain('marked');
  });

  it('show the running version', async () => {
    expect(await scrape()).toMatch(
      /pulsekeep_build_info\{version="\d+\.\d+\.\d+",node="[\d.]+",database="(sqlite|postgres)",role="all"\} 1/,
    );
  });

  it('show the store in one of several processes, and in another once that one is gone', async () => {
    const other = await app.another();
    for (let round = 0; round < 2; round++) {
      await app.run(AlarmsWorker);
      await other.run(AlarmsWorker);
      app.clock.advance(15_000);
    }
    const shown = async (of: TestApp): Promise<string[]> => {
      const text = await scrape(of);
      const names = ['token_issuance_open', 'sync_lag_seconds', 'messages_oldest_waiting_seconds', 'shows_store 1'];
      return names.filter((name) => new RegExp(`^pulsekeep_${name}`, 'm').test(text));
    };
    const both = [await shown(app), await shown(other)].sort((a, b) => a.length - b.length);
    expect(both).toEqual([
      [],
      ['token_issuance_open', 'sync_lag_seconds', 'messages_oldest_waiting_seconds', 'shows_store 1'],
    ]);
    app.clock.advance(60_000);
    await app.run(AlarmsWorker);
    expect(await shown(app)).toHaveLength(4);
  });

  it('are labelled by process, like the lines of the log', () => {
    const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = lines.map(({ instance, role }) => `${String(instance)} ${String(role)}`);
    expect(new Set(told).size).toBeLessThanOrEqual(1);
    app.pulsekeep.log.event('app.tried');
    expect(JSON.parse(app.logs.at(-1) ?? '')).toMatchObject({
      instance: expect.stringMatching(/^[0-9a-f]{8}$/),
      role: 'all',
    });
  });
});
