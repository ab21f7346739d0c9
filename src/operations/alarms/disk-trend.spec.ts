import { DiskTrend } from './disk-trend.js';

const hour = 3_600_000;
const gib = 1024 ** 3;

/** Hours left after these amounts of free GiB, measured an hour apart. */
function hoursLeft(...free: readonly number[]): number | null {
  const trend = new DiskTrend();
  free.forEach((bytes, index) => void trend.note(bytes * gib, index * hour));
  return trend.hoursLeft((free.at(-1) ?? 0) * gib);
}

describe('the trend of a disk', () => {
  it.each<[string, readonly number[], number | null]>([
    ['is unknown at the start', [100], null],
    ['is unknown after two hours, however fast they were', [100, 60, 20], null],
    ['is known after three', [100, 90, 80, 70], 7],
    ['does not count one hour of a backup', [100, 99, 58, 57, 56], 56],
    ['does not count one hour in which old backups were deleted', [60, 50, 40, 70, 60, 50], 5],
    ['is null if as many hours gave room as took it', [50, 40, 50, 40, 50], null],
    ['is null while nothing changes', [50, 50, 50, 50], null],
    ['forgets what is older than six hours', [1_000, 900, 800, 700, 699, 698, 697, 696, 695, 694], 694],
  ])('%s', (_, free, expected) => {
    expect(hoursLeft(...free)).toBe(expected);
  });

  it('counts hours, however often it is updated', () => {
    const trend = new DiskTrend();
    for (let minute = 0; minute <= 180; minute += 1) trend.note((1_000 - minute) * gib, minute * 60_000);
    expect(trend.hoursLeft(820 * gib)).toBe(820 / 60);
    const short = new DiskTrend();
    for (let minute = 0; minute < 180; minute += 1) short.note((1_000 - minute) * gib, minute * 60_000);
    expect(short.hoursLeft(820 * gib)).toBeNull();
  });
});
