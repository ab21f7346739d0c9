import { toIso } from '../../platform/platform/time.js';

const plain = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** A word of upstream that is a code or a slug; anything that could be a text of its own is left out. */
export function word(value: string | null, otherwise = 'a word of upstream that is not shown'): string {
  return value !== null && plain.test(value) ? value : otherwise;
}

/** `2026-11-02 10:15 UTC`. */
export function moment(ms: number): string {
  return `${toIso(ms).slice(0, 16).replace('T', ' ')} UTC`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `blood pressure` of `blood_pressure`. */
export function spoken(name: string): string {
  return name.replaceAll('_', ' ');
}

/** `asked`: the source in question; null for all. */
export function neverConnected(asked: string | null): string {
  return asked === null ? 'no source was ever connected' : `${word(asked, 'that source')} was never connected`;
}
