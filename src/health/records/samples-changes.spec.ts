import { SamplesChanges } from './samples-changes.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ahead = JSON.stringify({ timezone_offset: 14 * 3_600, unit: 'count' });
const behind = JSON.stringify({ timezone_offset: -11 * 3_600 });

const plain = { isFloating: false, shift: 0 };

describe('the changed samples of a series', () => {
  it('are none before the first', () => {
    expect(new SamplesChanges(plain).sum).toBeNull();
  });

  it('are summed up with their local days, also if the clock goes back between them', () => {
    const changes = new SamplesChanges(plain);
    changes.add({ time: 100 * DAY + 11 * HOUR, attributes: ahead }, 1, 0);
    changes.add({ time: 100 * DAY + 11 * HOUR + 1, attributes: behind }, 2, 0);
    changes.add({ time: 100 * DAY + 12 * HOUR, attributes: '{}' }, 1, 0);
    changes.add({ time: 100 * DAY + 13 * HOUR, attributes: '{}' }, 1, 0);
    expect(changes.sum).toEqual({
      start: 100 * DAY + 11 * HOUR,
      end: 100 * DAY + 13 * HOUR,
      count: 5,
      firstDay: 100,
      lastDay: 101,
      areNew: true,
      unplaced: { first: 100 * DAY + 12 * HOUR, last: 100 * DAY + 13 * HOUR },
    });
  });

  it('have days of the wall clock if that is what they are sent in, and of the night on which they end', () => {
    const wall = new SamplesChanges({ isFloating: true, shift: 0 });
    wall.add({ time: 100 * DAY + 23 * HOUR, attributes: ahead }, 1, 0);
    expect(wall.sum).toMatchObject({ firstDay: 100, lastDay: 100, unplaced: null });
    const ofNight = new SamplesChanges({ isFloating: false, shift: 6 * HOUR });
    ofNight.add({ time: 100 * DAY + 9 * HOUR, attributes: behind }, 1, 0);
    ofNight.add({ time: 101 * DAY + 5 * HOUR, attributes: behind }, 1, 0);
    expect(ofNight.sum).toMatchObject({ firstDay: 100, lastDay: 101 });
  });

  it('are not new if one replaces a stored one', () => {
    const changes = new SamplesChanges(plain);
    changes.add({ time: 0, attributes: '{}' }, 1, 0);
    changes.add({ time: 1, attributes: '{}' }, 1, 1);
    expect(changes.sum?.areNew).toBe(false);
  });
});
