import { FakeClock } from '../../test/support/fake-clock.js';
import { Refusals } from './refusals.js';

describe('the refusals of a caller', () => {
  const clock = new FakeClock(5_000);
  let refusals = new Refusals(clock);
  const held = (count: number, caller = 'a'): number[] => Array.from({ length: count }, () => refusals.holdMs(caller));
  beforeEach(() => {
    refusals = new Refusals(clock);
  });

  it('are answered at once, then later and one by one', () => {
    expect(held(20)).toEqual(Array.from({ length: 20 }, () => 0));
    expect(held(3)).toEqual([expect.closeTo(500), expect.closeTo(510), expect.closeTo(520)]);
    expect(held(1, 'b')).toEqual([0]);
  });

  it('are held for half a second at least and ten at the most', () => {
    held(20);
    expect(Math.max(...held(5_000))).toBe(10_000);
    clock.advance(20_000);
    expect(held(1)).toEqual([500]);
  });

  it('leave a hundred a second for whoever asks again at once on a thousand connections', () => {
    held(20);
    const answers = held(1_000).map((ms) => clock.monotonic() + ms);
    const until = clock.monotonic() + 60_000;
    let answered = 0;
    for (let at = answers.shift() as number; at < until; at = answers.shift() as number) {
      answered += 1;
      clock.advance(at - clock.monotonic());
      answers.push(at + refusals.holdMs('a'));
      answers.sort((one, other) => one - other);
    }
    expect(answered).toBeGreaterThan(5_500);
    expect(answered).toBeLessThan(6_500);
  });

  it('are forgotten a minute after the last was answered', () => {
    held(25);
    clock.advance(61_000);
    expect(held(1)).toEqual([0]);
  });
});
