import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../platform/time.js';
import { type ProviderHour, silentProviders } from './silent-providers.js';

const start = Date.UTC(2026, 10, 2);
const many = new Map([
  ['oura', 100],
  ['garmin', 100],
]);

/** The hours, from 0 at `start`, below `end`, in which a provider delivers. */
function deliveries(provider: string, end: number, isOn: (hour: number) => boolean = () => true): ProviderHour[] {
  const all = Array.from({ length: end }, (_, hour) => hour);
  return all.filter(isOn).map((hour) => ({ provider, hour: start + hour * HOUR_MS }));
}

const names = (hours: readonly ProviderHour[], connected: ReadonlyMap<string, number> = many): string[] =>
  silentProviders(hours, connected).map(({ provider }) => provider);

const days = (count: number): number => count * 24;
const awake = (hour: number): boolean => hour % 24 >= 9;
const workday = (hour: number): boolean => Math.floor(hour / 24) % 7 < 5;

describe('a provider is silent against its own past', () => {
  const others = (hours: number): ProviderHour[] => deliveries('garmin', hours);

  it.each<[string, readonly ProviderHour[], string[]]>([
    ['it goes on', [...deliveries('oura', days(20)), ...others(days(20))], []],
    ['it stopped four hours ago', [...deliveries('oura', days(20)), ...others(days(20) + 4)], []],
    ['it stopped five hours ago', [...deliveries('oura', days(20)), ...others(days(20) + 5)], ['oura']],
    ['all stopped', [...deliveries('oura', days(20)), ...others(days(20))], []],
    ['it pauses at night', [...deliveries('oura', days(20), awake), ...others(days(20) + 18)], []],
    [
      'it missed more than a day and two nights',
      [...deliveries('oura', days(20), awake), ...others(days(20) + 19)],
      ['oura'],
    ],
    ['it pauses on weekends', [...deliveries('oura', days(26), workday), ...others(days(28))], []],
    ['it missed the week after its weekend', [...deliveries('oura', days(26), workday), ...others(days(31))], ['oura']],
    [
      'it had one outage before',
      [...deliveries('oura', days(20), (hour) => hour < 200 || hour > 260), ...others(days(20) + 5)],
      ['oura'],
    ],
    ['it is known for less than two weeks', [...deliveries('oura', days(14)), ...others(days(16))], []],
    ['it delivers seldom', [...deliveries('oura', days(20), (hour) => hour % 12 === 0), ...others(days(34))], []],
    [
      'the others began when it stopped at night',
      [...deliveries('oura', days(20), awake), ...others(days(20) + 9).slice(days(20))],
      [],
    ],
  ])('when %s', (_, hours, expected) => {
    expect(names(hours)).toEqual(expected);
  });

  it('unless few accounts, or none, are connected to it', () => {
    const hours = [...deliveries('oura', days(20)), ...others(days(22))];
    expect(names(hours, new Map([['oura', 10]]))).toEqual(['oura']);
    expect(names(hours, new Map([['oura', 9]]))).toEqual([]);
    expect(names(hours, new Map())).toEqual([]);
  });

  it('since the end of the hour in which it last delivered', () => {
    const hours = [...deliveries('oura', days(20)), ...others(days(22))];
    expect(silentProviders(hours, many)).toEqual([{ provider: 'oura', since: start + 20 * DAY_MS }]);
  });

  const rhythm = fc.record({
    period: fc.integer({ min: 1, max: 6 }),
    stopped: fc.integer({ min: days(16), max: days(20) }),
  });

  it('whatever its rhythm: never within its own pauses, always once they are exceeded twice over', () => {
    fc.assert(
      fc.property(rhythm, fc.integer({ min: 0, max: 30 }), ({ period, stopped }, silence) => {
        const own = deliveries('oura', stopped, (hour) => hour % period === 0);
        const last = ((own.at(-1)?.hour ?? 0) - start) / HOUR_MS;
        const limit = Math.max(4, 2 * (period - 1));
        const found = names([...own, ...others(last + 1 + silence)]);
        expect(found).toEqual(silence > limit ? ['oura'] : []);
      }),
    );
  });

  it('whatever the order in which the hours are read', () => {
    const hours = [...deliveries('oura', days(16)), ...others(days(17))];
    fc.assert(
      fc.property(fc.shuffledSubarray(hours, { minLength: hours.length }), (shuffled) => {
        expect(names(shuffled)).toEqual(['oura']);
      }),
      { numRuns: 20 },
    );
  });

  it('never because nothing was delivered by anybody, however long', () => {
    fc.assert(
      fc.property(rhythm, fc.integer({ min: 1, max: days(3) }), ({ period, stopped }, outage) => {
        const back = stopped + outage;
        const isUp = (hour: number): boolean => hour < stopped || hour >= back;
        const own = deliveries('oura', stopped, (hour) => hour % period === 0);
        expect(names([...own, ...deliveries('garmin', back + 1, isUp)])).toEqual([]);
      }),
    );
  });
});
