import fc from 'fast-check';
import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { covers, DAY_MS, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { evidenceOfDay, evidenceOfLook, type Known, type Look, provenBy, provenNow } from './proof.js';

const at = startOfDate;
const range = (from: string, to: string) => ({ start: at(from), end: at(to) });
const shown = (ranges: readonly { start: number; end: number }[]): string[] =>
  ranges.map(({ start, end }) => [start, end].map((ms) => new Date(ms).toISOString().slice(0, 10)).join(' to '));

const connection: NonNullable<Look['connection']> = {
  account_id: 1,
  provider: 'oura',
  status: 'connected',
  error_type: null,
  error_at: null,
  connected_at: at('2026-11-01'),
  resource_availability: '{"sleep":{"status":"available"}}',
  observed_at: at('2026-11-20'),
  person_mark: null,
  other_account_at: null,
};

/** A look that proves its window up to the look-back. */
const look: Look = {
  resource: resourceByName('sleep') as Resource,
  window: range('2026-08-01', '2026-11-20'),
  at: at('2026-11-20'),
  latenessMs: 2 * DAY_MS,
  connection,
  history: { status: 'success' },
  heardUntil: at('2026-11-20') - HOUR_MS,
};

describe('what a look proves', () => {
  it.each<[string, Partial<Look>, string[]]>([
    ['its window except the look-back', {}, ['2026-08-01 to 2026-11-18']],
    ['nothing outside its window', { window: range('2026-11-05', '2026-11-06') }, ['2026-11-05 to 2026-11-06']],
    ['nothing while the source is in error', { connection: { ...connection, status: 'error' } }, []],
    ['nothing while the source is gone', { connection: { ...connection, status: 'disconnected' } }, []],
    ['nothing of a source that was never connected', { connection: null }, []],
    ['nothing of a source that sent nothing', { heardUntil: null }, []],
    [
      'nothing after the newest data of the source, such as a watch that has not synced with its phone',
      { heardUntil: at('2026-11-10') },
      ['2026-08-01 to 2026-11-10'],
    ],
    [
      'nothing of a resource that the source does not deliver',
      { connection: { ...connection, resource_availability: '{"sleep":{"status":"unavailable"}}' } },
      [],
    ],
    [
      'nothing of a resource without a report from upstream',
      { connection: { ...connection, resource_availability: null }, history: null },
      [],
    ],
    [
      'nothing of a resource that upstream does not pull',
      { connection: { ...connection, resource_availability: null }, history: { status: 'not_pulled' } },
      [],
    ],
  ])('is %s', (_, differences, expected) => {
    expect(shown(provenBy({ ...look, ...differences }))).toEqual(expected);
  });

  it('is what every row of the table covers, so that each row alone can prevent a proof', () => {
    const missing: readonly Partial<Look>[] = [
      { window: { start: 0, end: 0 } },
      { latenessMs: 1_000 * DAY_MS },
      { connection: { ...connection, status: 'paused' } },
      { history: null, connection: { ...connection, resource_availability: null } },
      { heardUntil: null },
    ];
    expect(missing).toHaveLength(evidenceOfLook.length);
    for (const [index, differences] of missing.entries()) {
      const others = evidenceOfLook.filter((_, other) => other !== index);
      for (const { covers: ranges } of others) expect(ranges({ ...look, ...differences })).not.toEqual([]);
      expect(provenBy({ ...look, ...differences })).toEqual([]);
    }
  });

  it('is only time that was pulled, is settled and precedes later data', () => {
    const instant = fc.integer({ min: at('2026-07-01'), max: at('2026-12-01') });
    fc.assert(
      fc.property(instant, instant, fc.option(instant), (start, end, heardUntil) => {
        for (const proven of provenBy({ ...look, window: { start, end }, heardUntil })) {
          expect(covers([{ start, end }], proven)).toBe(true);
          expect(proven.end).toBeLessThanOrEqual(Math.min(look.at - look.latenessMs, heardUntil ?? 0));
        }
      }),
    );
  });
});

const history = { state: 'complete', range_start: at('2026-08-01'), range_end: at('2026-11-01') };

/** A source whose days are proven since the start of its history. */
const known: Known = {
  connection,
  history,
  gaps: [],
  latenessMs: 2 * DAY_MS,
  proven: [{ ...range('2026-07-01', '2026-11-18'), confirmedAt: at('2026-11-03') }],
};

describe('what is proven now', () => {
  const sinceConnected = ['2026-11-01 to 2026-11-18'];

  it.each<[string, Partial<Known>, string[]]>([
    [
      'the history with days that upstream counted, and the time since the connection',
      {},
      ['2026-08-01 to 2026-11-01', '2026-11-01 to 2026-11-18'],
    ],
    ['nothing that no look proved', { proven: [] }, []],
    ['nothing of the past without a historical pull', { history: null }, sinceConnected],
    ['nothing of a history that is not complete', { history: { ...history, state: 'pending' } }, sinceConnected],
    [
      'nothing of a history whose days upstream did not count',
      { history: { ...history, state: 'unknown' } },
      sinceConnected,
    ],
    ['nothing of a history whose range is unknown', { history: { ...history, range_start: null } }, sinceConnected],
    [
      'nothing since a connection without a reported time',
      { connection: { ...connection, connected_at: null } },
      ['2026-08-01 to 2026-11-01'],
    ],
    [
      'nothing from a gap, nor from the look-back before it',
      { gaps: [range('2026-11-10', '2026-11-12')] },
      ['2026-08-01 to 2026-11-01', '2026-11-01 to 2026-11-08', '2026-11-12 to 2026-11-18'],
    ],
    [
      'nothing that a look proved after the start of a gap reported later',
      { gaps: [range('2026-11-02', '2026-11-04')] },
      ['2026-11-04 to 2026-11-18'],
    ],
    [
      'nothing after the start of a gap that has not ended',
      { gaps: [{ start: at('2026-11-10'), end: Number.MAX_SAFE_INTEGER }] },
      ['2026-08-01 to 2026-11-01', '2026-11-01 to 2026-11-08'],
    ],
  ])('is %s', (_, differences, expected) => {
    expect(shown(provenNow({ ...known, ...differences }))).toEqual(expected);
  });

  it('is what every row of the table covers, so that each row alone can prevent a proof', () => {
    const missing: readonly Partial<Known>[] = [
      { proven: [] },
      { connection: null, history: null },
      { gaps: [{ start: 0, end: Number.MAX_SAFE_INTEGER }] },
    ];
    expect(missing).toHaveLength(evidenceOfDay.length);
    for (const differences of missing) expect(provenNow({ ...known, ...differences })).toEqual([]);
  });
});
