import { InvalidValue, list } from './parsers.js';
import type { Parse } from './setting.js';

const MIN_KEPT_DAYS = 30;
const MAX_KEPT_DAYS = 3_650;

/** Days for which samples are kept, by resource; '' stands for all other resources, null forever. */
export class KeepDays {
  constructor(private readonly days: ReadonlyMap<string, number | null>) {}

  /** Null: forever. */
  of(resource: string): number | null {
    const own = this.days.get(resource);
    return own === undefined ? (this.days.get('') ?? null) : own;
  }

  /** The resources that are named. */
  get named(): readonly string[] {
    return [...this.days.keys()].filter((name) => name !== '');
  }

  /** As it is configured. */
  toString(): string {
    const word = (days: number | null): string => (days === null ? 'all' : String(days));
    return Array.from(this.days, ([name, days]) => (name === '' ? word(days) : `${name}=${word(days)}`)).join(',');
  }
}

/** Days for all resources, and `resource=days` for single ones; `all` keeps samples forever. */
export const keepDays: Parse<KeepDays> = (value) => {
  const wanted = new InvalidValue(
    `must be all or days from ${MIN_KEPT_DAYS} to ${MAX_KEPT_DAYS}, or entries resource=days such as heartrate=400,glucose=all`,
  );
  const entries = list((part) => part.split('='))(value).map((words) => {
    const [name = '', word = ''] = words.length === 1 ? ['', words[0]] : words;
    const days = /^\d{1,4}$/.test(word) ? Number(word) : null;
    const isInRange = days === null ? word === 'all' : days >= MIN_KEPT_DAYS && days <= MAX_KEPT_DAYS;
    if (!isInRange || words.length > 2 || (words.length === 2 && !/^[a-z0-9_]{1,100}$/.test(name))) throw wanted;
    return [name, days] as const;
  });
  const days = new Map(entries);
  if (days.size !== entries.length) throw wanted;
  return new KeepDays(days);
};
