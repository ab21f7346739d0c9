/** Tue 3 Nov 2026; a date has no time zone. */
export function longDay(date: string): string {
  const [weekday = '', day = '', month = '', year = ''] = new Date(`${date}T00:00:00Z`).toUTCString().split(/,? /);
  return `${weekday} ${Number(day)} ${month} ${year}`;
}

/** Days of the month of `date` in weeks that begin on Monday; null for days of other months. */
export function weeksOfMonth(date: string): (string | null)[][] {
  const [year = 0, month = 1] = date.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1, 1));
  const count = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const before = (first.getUTCDay() + 6) % 7;
  const cells: (string | null)[] = [
    ...Array.from({ length: before }, () => null),
    ...Array.from({ length: count }, (_, index) => `${date.slice(0, 8)}${String(index + 1).padStart(2, '0')}`),
  ];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}
