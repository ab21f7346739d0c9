const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in the largest suitable unit: 4 s, 3 min, 5 h, 12 days. */
export function length(ms: number): string {
  const size = Math.abs(ms);
  if (size < MINUTE) return `${Math.floor(size / SECOND)} s`;
  if (size < 2 * HOUR) return `${Math.floor(size / MINUTE)} min`;
  if (size < 2 * DAY) return `${Math.floor(size / HOUR)} h`;
  return `${Math.floor(size / DAY)} days`;
}

/** Time from now, in the past or the future. */
export function age(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < SECOND) return 'now';
  return ms > 0 ? `${length(ms)} ago` : `in ${length(ms)}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number: number): string => String(number).padStart(2, '0');

/** The day of a time in the browser's time zone: 3 Nov. */
export function dayOf(at: number): string {
  const time = new Date(at);
  return `${time.getDate()} ${months[time.getMonth()]}`;
}

/** The time of day in the browser's time zone: 07:05. */
export function timeOfDay(at: number): string {
  const time = new Date(at);
  return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** A time in the browser's time zone, to the second; with the year unless it is the current one. */
export function local(at: number): string {
  const time = new Date(at);
  const year = time.getFullYear();
  const ofYear = year === new Date().getFullYear() ? '' : ` ${year}`;
  return `${dayOf(at)}${ofYear}, ${timeOfDay(at)}:${two(time.getSeconds())}`;
}

/** The same time in UTC, for tooltips. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
