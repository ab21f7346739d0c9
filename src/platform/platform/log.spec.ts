import { Log, type LogFields } from './log.js';

function capture(level: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: string[] = [];
  const log = new Log({ level, destination: { write: (line: string) => lines.push(line) } });
  return { log, lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('Log', () => {
  it('writes one JSON line with level, time and event first', () => {
    const { log, lines, entries } = capture();
    log.accountRefs.remember({ id: 7, log_ref: 'a_07' });
    log.event('sync.page_applied', { account_ref: 7, records: 120, variable_names: ['A', 'B'] });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('\n')).toBe(true);
    expect(entries()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        event: 'sync.page_applied',
        account_ref: 'a_07',
        records: 120,
        variable_names: ['A', 'B'],
      },
    ]);
  });

  it('drops every field outside the allowlist and every value of another type', () => {
    const { log, lines } = capture();
    const smuggled = {
      value: 'MARKED-1',
      token: 'MARKED-2',
      err: new Error('MARKED-3'),
      headers: { key: 'MARKED-4' },
      records: 'MARKED-5',
      code: { text: 'MARKED-6' },
      variable_names: [{ text: 'MARKED-7' }],
      toString: 'MARKED-8',
      count: 1,
    };
    log.event('app.started', smuggled as unknown as LogFields);
    expect(lines.join()).not.toContain('MARKED');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'app.started', count: 1, variable_names: [] });
  });

  it('never writes the number of an account, and nothing about one without a log name', () => {
    const { log, entries } = capture();
    log.accountRefs.remember({ id: 7, log_ref: 'a_07' });
    log.accountRefs.remember({ id: 8, log_ref: 'a_08' });
    log.accountRefs.remember({ id: 8, log_ref: null });
    for (const account_ref of [7, 8, 9]) log.event('account.patched', { account_ref });
    log.accountRefs.forget(7);
    log.event('account.patched', { account_ref: 7 });
    expect(entries().map(({ account_ref }) => account_ref)).toEqual(['a_07', undefined, undefined, undefined]);
  });

  it('does not let a field replace the event, the time or the level', () => {
    const { log, entries } = capture();
    log.event('app.started', { event: 'x', time: 'x', level: 'x' } as unknown as LogFields);
    expect(entries()[0]).toMatchObject({ event: 'app.started', level: 'info' });
    expect(entries()[0]?.time).not.toBe('x');
  });

  it('cuts long texts', () => {
    const { log, entries } = capture();
    log.event('app.started', { reason: 'x'.repeat(1_000) });
    expect(entries()[0]?.reason).toHaveLength(200);
  });

  it('accepts an external name or state, but no sentence', () => {
    const { log, entries } = capture();
    log.event('app.started', {
      provider: 'apple_health_kit',
      reason: 'MARKED pain',
      event_type: 'daily.data.sleep.created',
    });
    expect(entries()[0]).toMatchObject({
      provider: 'apple_health_kit',
      reason: '?',
      event_type: 'daily.data.sleep.created',
    });
  });

  it('renames an event that is not a plain name', () => {
    const { log, lines } = capture();
    log.event('app.MARKED value');
    expect(lines.join()).not.toContain('MARKED');
    expect(JSON.parse(lines[0] ?? '').event).toBe('app.unnamed');
  });

  it('writes nothing below its level', () => {
    const { log, entries } = capture('warn');
    log.event('app.started');
    log.event('app.slow', {}, 'warn');
    log.event('app.failed', {}, 'error');
    expect(entries().map((entry) => entry.level)).toEqual(['warn', 'error']);
  });

  const throwing = (): never => {
    throw new Error('MARKED');
  };
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const revoked = Proxy.revocable([], {});
  revoked.revoke();

  it.each<[string, unknown, unknown?, unknown?]>([
    [
      'a getter that throws',
      'app.started',
      {
        get reason() {
          return throwing();
        },
        count: 1,
      },
    ],
    ['a proxy that throws', 'app.started', new Proxy({}, { ownKeys: throwing, get: throwing })],
    ['a revoked proxy in a field', 'app.started', { variable_names: revoked.proxy, count: 1 }],
    ['names that throw', 'app.started', { variable_names: new Proxy(['a'], { get: throwing }), count: 1 }],
    ['cycles', 'app.started', { reason: cycle, providers: [cycle], count: 1 }],
    ['a BigInt', 'app.started', { bytes: 10n, account_ref: 10n, count: 1 }],
    ['symbols', Symbol('MARKED'), { reason: Symbol('MARKED'), [Symbol('MARKED')]: 1, count: 1 }],
    ['toJSON that throws', 'app.started', { reason: { toJSON: throwing }, count: 1 }],
    ['nothing', undefined, null],
    ['a text', 'app.started', 'MARKED'],
    ['an unknown level', 'app.started', { count: 1 }, 'constructor'],
    ['no level', 'app.started', { count: 1 }, null],
    [
      'much of everything',
      'x'.repeat(1e6),
      { reason: 'x'.repeat(1e6), providers: Array.from({ length: 1e5 }, () => 'x'.repeat(1e3)), count: 1 },
    ],
    ['an object as name', { toString: throwing }, { count: 1 }],
  ])('writes a line and does not throw for %s', (...given) => {
    const [, name, fields, level] = given;
    const { log, lines, entries } = capture();
    log.event(name as 'app.started', fields as LogFields, level as 'info');
    expect(lines).toHaveLength(1);
    expect(entries()[0]?.event).toMatch(/^app\.(started|unnamed)$/);
    expect(lines[0]).not.toContain('MARKED');
    expect(lines[0]?.length).toBeLessThan(30_000);
  });

  it('counts a line that its destination refuses, and goes on', () => {
    const log = new Log({ level: 'info', destination: { write: throwing } });
    let lost = 0;
    log.onLost((lines) => (lost += lines));
    log.event('app.started');
    log.event('app.started');
    expect(lost).toBe(2);
  });
});
