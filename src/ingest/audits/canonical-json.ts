import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { DAY_MS } from '../../platform/platform/time.js';

/*
 * Values in canonical form (docs/canonical-form.md). Written apart from the readers of upstream's answers and from
 * their parser of times, so that it shows their mistakes. It runs for every sample of an audit, so it makes no
 * copies of what it writes.
 */

const dateTime = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?$/;
const date = /^\d{4}-\d\d-\d\d$/;
const secondsLength = 'YYYY-MM-DDThh:mm:ss'.length;
const offsetLength = '+hh:mm'.length;

/*
 * What was read and written last: neighbours in a list are of one day, and most samples end when they begin.
 */
let lastDay = { text: '1970-01-01', start: 0 };
let lastRead: { text: string; instant: number | null } = { text: '', instant: null };
let lastWritten = { text: '', ms: Number.NaN };

/** Epoch milliseconds of a date, which is its midnight in UTC, or of a date-time; null for any other value. */
export function momentOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  return isDate(value) ? startOf(value) : instantOf(value);
}

export function isDate(value: unknown): value is string {
  return typeof value === 'string' && date.test(value);
}

function instantOf(text: string): number | null {
  if (text.length < secondsLength) return null;
  if (text !== lastRead.text) lastRead = { text, instant: readInstant(text) };
  return lastRead.instant;
}

function readInstant(text: string): number | null {
  if (!dateTime.test(text)) return null;
  const start = startOf(text.slice(0, 'YYYY-MM-DD'.length));
  const [hours, minutes, seconds] = [digits(text, 11), digits(text, 14), digits(text, 17)];
  if (start === null || hours > 23 || minutes > 59 || seconds > 60) return null;
  const ms = seconds === 60 ? 59_999 : seconds * 1_000 + millisecondsOf(text);
  return start + (hours * 60 + minutes - offsetOf(text)) * 60_000 + ms;
}

/** Null if the day does not exist. */
function startOf(day: string): number | null {
  if (day === lastDay.text) return lastDay.start;
  const start = new Date(`${day}T00:00:00.000Z`);
  if (Number.isNaN(start.getTime()) || !start.toISOString().startsWith(day)) return null;
  lastDay = { text: day, start: start.getTime() };
  return lastDay.start;
}

/** The number of two digits. */
function digits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * 48;
}

function millisecondsOf(text: string): number {
  if (text[secondsLength] !== '.') return 0;
  const fraction = /^\d{1,3}/.exec(text.slice(secondsLength + 1, secondsLength + 4))?.[0] ?? '';
  return Number(fraction.padEnd(3, '0'));
}

/** Minutes ahead of UTC. */
function offsetOf(text: string): number {
  const at = text.length - offsetLength;
  const sign = at < secondsLength ? '' : text[at];
  if (sign !== '+' && sign !== '-') return 0;
  const ahead = digits(text, at + 1) * 60 + digits(text, at + 4);
  return sign === '-' ? -ahead : ahead;
}

const padded = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));
const three = (number: number): string => padded[number] ?? '';
const two = (number: number): string => three(number).slice(1);

/** RFC 3339 in UTC with milliseconds. */
export function momentText(ms: number): string {
  if (ms !== lastWritten.ms) lastWritten = { text: writtenMoment(ms), ms };
  return lastWritten.text;
}

function writtenMoment(ms: number): string {
  const day = dayText(ms);
  const within = ms - lastDay.start;
  const seconds = Math.floor(within / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${day}T${two(hours)}:${two(minutes)}:${two(seconds % 60)}.${three(within % 1_000)}Z`;
}

/** The UTC day of a moment. */
export function dayText(ms: number): string {
  const start = Math.floor(ms / DAY_MS) * DAY_MS;
  if (start !== lastDay.start) {
    lastDay = { text: new Date(start).toISOString().slice(0, -'T00:00:00.000Z'.length), start };
  }
  return lastDay.text;
}

/**
 * RFC 8785 of a value without what says nothing: fields that are null or an empty text. A text that is a date-time
 * becomes the instant in UTC, to the millisecond; half of a surrogate pair becomes U+FFFD, as in UTF-8. Lists keep all
 * items.
 */
export function normalJson(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'string') return normalText(value);
  if (Array.isArray(value)) return `[${value.map(normalJson).join(',')}]`;
  return isFields(value) ? new FieldsWriter().text(value) : JSON.stringify(value);
}

function normalText(text: string): string {
  const instant = instantOf(text);
  return instant === null ? quoted(wellFormed(text)) : `"${momentText(instant)}"`;
}

const plain = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text;
}

export function saysNothing(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (typeof value === 'number' && !Number.isFinite(value))
  );
}

interface WrittenField {
  readonly name: string;
  readonly isOwn: boolean;
  /** The name as it is written, between two fields. */
  readonly written: string;
}

const none: WireFields = {};

/**
 * Writes objects as `normalJson` does, without those named `leftOut` of their fields, and with others in place of those
 * named `own`. Most objects of a list have the same names, which are sorted once.
 */
export class FieldsWriter {
  private lastNames: readonly string[] = [];
  private sorted: readonly WrittenField[];

  constructor(
    private readonly leftOut: readonly string[] = [],
    private readonly ownNames: readonly string[] = [],
  ) {
    this.sorted = this.sortedOf([]);
  }

  text(fields: WireFields, own = none): string {
    const names = Object.keys(fields);
    if (!areSame(names, this.lastNames)) {
      if (names.some((name) => wellFormed(name) !== name)) return this.text(withWellFormedNames(fields), own);
      this.lastNames = names;
      this.sorted = this.sortedOf(names);
    }
    let text = '';
    for (const { name, isOwn, written } of this.sorted) {
      const value = isOwn ? own[name] : fields[name];
      if (!saysNothing(value)) text += written + normalJson(value);
    }
    return `{${text.slice(1)}}`;
  }

  private sortedOf(names: readonly string[]): WrittenField[] {
    const kept = names.filter((name) => !this.leftOut.includes(name));
    const all = [...new Set([...kept, ...this.ownNames])].sort();
    return all.map((name) => {
      return { name, isOwn: this.ownNames.includes(name), written: `,${JSON.stringify(name)}:` };
    });
  }
}

function areSame(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false;
  for (let at = 0; at < names.length; at++) if (names[at] !== others[at]) return false;
  return true;
}

function withWellFormedNames(fields: WireFields): WireFields {
  const said = Object.entries(fields).filter(([, value]) => !saysNothing(value));
  return Object.fromEntries(said.map(([name, value]) => [wellFormed(name), value]));
}

/** RFC 8785: names sorted by UTF-16 code units, numbers as ECMAScript writes them, no space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}
