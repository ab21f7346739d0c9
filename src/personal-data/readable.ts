import { toIso } from '../platform/time.js';
import type { ExportedColumn } from './personal-data-map.js';

export type Row = Readonly<Record<string, unknown>>;

/** Names of the columns that hold epoch milliseconds. */
const time = /(^|_)(at|until|since|start|end|time|reached)$/;
/** Ours alone: the line is about one account anyway, and who works on a row is nobody's data. */
const internal: ReadonlySet<string> = new Set(['account_id', 'lease_owner', 'lease_until']);

/** A row as somebody outside can read it: times in RFC 3339, JSON parsed, without what only workers need. */
export function readable(row: Row, { json = [], without = [] }: ExportedColumn): Row {
  const kept = Object.entries(row).filter(([name]) => !internal.has(name) && !without.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, readableValue(name, value, json)]));
}

function readableValue(name: string, value: unknown, json: readonly string[]): unknown {
  if (typeof value === 'number' && name === 'floating_time') return value === 1;
  if (typeof value === 'number' && time.test(name)) return toIso(value);
  return json.includes(name) && typeof value === 'string' ? parsed(value) : value;
}

/** The text itself where it is no JSON after all. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes as text where they are UTF-8, else as base64. */
export function readableBytes(bytes: Buffer | null): { body: string | null; body_base64?: string } {
  if (bytes === null) return { body: null };
  try {
    return { body: utf8.decode(bytes) };
  } catch {
    return { body: null, body_base64: bytes.toString('base64') };
  }
}
