import { toIso } from '../../platform/platform/time.js';

const plain = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Returns upstream's word if it is a code or slug; replaces anything that could be free text. */
export function word(value: string | null, otherwise = 'a value that is not shown'): string {
  return value !== null && plain.test(value) ? value : otherwise;
}

/** `2026-11-02 10:15 UTC`. */
export function moment(ms: number): string {
  return `${toIso(ms).slice(0, 16).replace('T', ' ')} UTC`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `blood_pressure` as `blood pressure`. */
export function spoken(name: string): string {
  return name.replaceAll('_', ' ');
}

/** `asked`: the requested source; null for all. */
export function neverConnected(asked: string | null): string {
  return asked === null ? 'no source was ever connected' : `${word(asked, 'that source')} was never connected`;
}
