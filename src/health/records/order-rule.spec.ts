import { HOUR_MS } from '../../platform/platform/time.js';
import { PER_MILLISECOND } from './observation-ids.js';
import { isSummaryConflict, judgeSamples, judgeSummary, type StoredSibling } from './order-rule.js';

const details = (deviceId: string) => ({ deviceId, workoutId: '', sport: '' });
const shown = (value: number, device = '') => ({
  ...{ value, value2: null, text: null, durationMs: null, attributesId: device.length + 1, groupId: 0 },
  details: details(device),
  traits: '',
});
const message = (observation: number) => ({ observation, kind: 'message' as const, since: observation });
const page = (observation: number, since = observation) => ({ observation, kind: 'sync' as const, since });
const stored = (by: { observation: number; kind: 'message' | 'sync' }, value = 60, device = ''): StoredSibling => ({
  ...shown(value, device),
  ...by,
  sameAnswer: false,
});

describe('order rule for a sample that is alone at its time', () => {
  it.each([
    ['nothing stored, message', [], message(5), true, false],
    ['nothing stored, page', [], page(5), true, false],
    ['same content, later message', [stored(message(4), 61)], message(5), true, false],
    ['same content, earlier page', [stored(message(6), 61)], page(5), false, false],
    ['other content, later message: news or a late retry', [stored(page(4))], message(5), true, true],
    ['other content, message from before a page', [stored(page(6))], message(5), false, false],
    ['other content, message overtaken by a message', [stored(message(6))], message(5), false, true],
    ['other content, later page', [stored(message(4))], page(5), true, false],
    ['other content, page begun before the message came', [stored(message(6))], page(5), false, true],
    ['other device, later message', [stored(page(4), 61, 'd')], message(5), true, true],
    ['other device, later page', [stored(message(4), 61, 'd')], page(5), true, false],
    ['other device, page begun before the message came', [stored(message(6), 61, 'd')], page(5), false, true],
    [
      'other device, message between the first page and this one',
      [stored(message(4), 61, 'd')],
      page(5, 3),
      true,
      true,
    ],
  ])('%s', (_, before, look, write, conflict) => {
    const verdict = judgeSamples(before, [shown(61)], look);
    expect(verdict).toEqual({ rows: write ? [shown(61)] : null, conflict });
  });
});

describe('order rule for siblings [timeseries#siblings]', () => {
  const two = [stored(page(4), 60, 'a'), stored(page(4), 70, 'bb')];

  it('lets a message replace the one of its device', () => {
    const verdict = judgeSamples(two, [shown(71, 'bb')], message(5));
    expect(verdict).toEqual({ rows: [two[0], shown(71, 'bb')], conflict: true });
  });

  it('lets a message replace one that it does not contradict, whichever of the two names more', () => {
    const bolus = { ...stored(page(4), 5), traits: '{"delivery_mode":"bolus"}' };
    const ofMeal = { ...shown(4), traits: '{"bolus_purpose":"meal","delivery_mode":"bolus"}' };
    expect(judgeSamples([bolus], [ofMeal], message(5))).toEqual({ rows: [ofMeal], conflict: true });
    const less = { ...ofMeal, traits: '{"delivery_mode":"bolus"}' };
    expect(judgeSamples([{ ...bolus, traits: ofMeal.traits }], [less], message(5)).rows).toEqual([less]);
    const basal = { ...shown(0.05), traits: '{"bolus_purpose":"meal","delivery_mode":"basal"}' };
    expect(judgeSamples([bolus], [basal], message(5)).rows).toEqual([bolus, basal]);
  });

  it('guesses nothing if a message names none of the devices', () => {
    expect(judgeSamples(two, [shown(60)], message(5))).toEqual({ rows: null, conflict: true });
    expect(judgeSamples(two, [shown(60)], message(3))).toEqual({ rows: null, conflict: false });
  });

  it('lets a later page replace them all', () => {
    expect(judgeSamples(two, [shown(60)], page(5))).toEqual({ rows: [shown(60)], conflict: false });
    expect(judgeSamples(two, [shown(60, 'a')], page(5))).toEqual({ rows: [shown(60, 'a')], conflict: false });
  });

  it('keeps samples from an earlier part of the same response', () => {
    const own = { ...stored(page(4), 60, 'a'), sameAnswer: true };
    expect(judgeSamples([own], [shown(70, 'bb')], page(5, 4))).toEqual({
      rows: [own, shown(70, 'bb')],
      conflict: false,
    });
    expect(judgeSamples([own], [shown(61, 'a')], page(5, 4))).toEqual({ rows: [shown(61, 'a')], conflict: false });
  });

  it('leaves a set unchanged if one of its samples was seen later, and requests a pull if it differs', () => {
    const moved = [two[0] as StoredSibling, stored(message(6), 70, 'bb')];
    const both = [shown(60, 'a'), shown(70, 'bb')];
    expect(judgeSamples(moved, both, page(5))).toEqual({ rows: null, conflict: false });
    expect(judgeSamples(moved, [shown(60, 'a')], page(5))).toEqual({ rows: null, conflict: true });
  });
});

describe('order rule for summaries', () => {
  const day = Date.UTC(2026, 10, 20);
  const seenAt = (hour: number): number => (day + hour * HOUR_MS) * PER_MILLISECOND;
  /** A version changed and seen at these hours of the day. */
  const at = (version: number, seen: number) => ({
    version: (day + version * HOUR_MS) * 1_000,
    observation: seenAt(seen),
  });
  const ahead = (version: number, seen: number) => ({ ...at(version, seen), isStillToCome: true });
  const in2099 = (seen: number) => ({ version: Date.UTC(2099, 0, 1) * 1_000, observation: seenAt(seen) });

  it.each([
    ['nothing stored', null, at(10, 11), true],
    ['newer version seen earlier', at(10, 19), at(11, 11), true],
    ['older version seen later', at(10, 11), at(9, 19), false],
    ['equal version seen later', at(10, 11), at(10, 12), true],
    ['equal version seen earlier', at(10, 12), at(10, 11), false],
    ['a version of 2099 meets one seen later', in2099(11), at(12, 12), true],
    ['a version of 2099 meets an older one seen later', in2099(11), at(10, 12), true],
    ['a version of 2099 meets one seen earlier', in2099(12), at(10, 11), false],
    ['a version of 2099 is seen later', at(10, 11), in2099(12), true],
    ['a version of 2099 was seen earlier', at(10, 12), in2099(11), false],
    ['equal version stored while the clock was ahead', ahead(10, 19), at(10, 12), true],
    ['older version where the newer was stored while the clock was ahead', ahead(10, 19), at(9, 12), false],
    ['a clock that is a little ahead is trusted', at(11.1, 11), at(11, 12), false],
    ['a clock that is too far ahead is not', at(11.2, 11), at(11, 12), true],
  ])('%s', (_, before, incoming, write) => {
    expect(judgeSummary(before, incoming)).toBe(write);
  });

  it.each([
    ['the same version with another content, from a message', at(10, 11), 'sync', at(10, 12), 'message', true],
    ['the same, overtaken by a message', at(10, 12), 'message', at(10, 11), 'message', true],
    ['the same, from before a page', at(10, 12), 'sync', at(10, 11), 'message', false],
    ['the same, from a later page', at(10, 11), 'message', at(10, 12), 'sync', false],
    ['the same, from a page begun before the message', at(10, 12), 'message', at(10, 11), 'sync', true],
    ['a newer version', at(10, 11), 'sync', at(11, 12), 'message', false],
    ['a version of 2099', at(10, 11), 'sync', in2099(12), 'message', true],
    ['a version where 2099 is stored', in2099(11), 'sync', at(10, 12), 'message', true],
    [
      'a page where the same version was stored by a message while the clock was ahead',
      ahead(10, 19),
      'message',
      at(10, 12),
      'sync',
      false,
    ],
    ['a page where 2099 is stored', in2099(11), 'message', at(10, 12), 'sync', false],
  ] as const)('requests a pull: %s', (_, before, kind, incoming, by, conflict) => {
    const stored = { ...before, kind, sameContent: false };
    expect(isSummaryConflict(stored, { ...incoming, kind: by })).toBe(conflict);
    expect(isSummaryConflict({ ...stored, sameContent: true }, { ...incoming, kind: by })).toBe(false);
  });
});
