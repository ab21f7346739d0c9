import { SamplesChanges } from './samples-changes.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ahead = JSON.stringify({ timezone_offset: 14 * 3_600, unit: 'count' });
const behind = JSON.stringify({ timezone_offset: -11 * 3_600 });

describe('the changed samples of a series', () => {
  it('are none before the first', () => {
    expect(new SamplesChanges().sum).toBeNull();
  });

  it('are summed up with their local days, also if the clock goes back between them', () => {
    const changes = new SamplesChanges();
    changes.add({ time: 100 * DAY + 11 * HOUR, attributes: ahead }, 1, 0);
    changes.add({ time: 100 * DAY + 11 * HOUR + 1, attributes: behind }, 2, 0);
    changes.add({ time: 100 * DAY + 10 * HOUR + 2 * HOUR, attributes: '{}' }, 1, 0);
    expect(changes.sum).toEqual({
      start: 100 * DAY + 11 * HOUR,
      end: 100 * DAY + 12 * HOUR,
      count: 4,
      firstDay: 100,
      lastDay: 101,
      areNew: true,
    });
  });

  it('are not new if one replaces a stored one', () => {
    const changes = new SamplesChanges();
    changes.add({ time: 0, attributes: '{}' }, 1, 0);
    changes.add({ time: 1, attributes: '{}' }, 1, 1);
    expect(changes.sum?.areNew).toBe(false);
  });
});
