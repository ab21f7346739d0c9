import { Injectable } from '@nestjs/common';
import { invalidCursor } from '../../platform/platform/paging.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { SqlInput } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import {
  type SourceKey,
  type TimelineEntry,
  type TimelineKind,
  type TimelineSource,
  timelineKinds,
} from '../../storage/declarations/timeline.js';

/** Position of an entry, unique within an account. */
export interface Place {
  readonly at: number;
  readonly kind: TimelineKind;
  /** Distinguishes entries of one kind and instant, in the order of its source. */
  readonly keys: readonly [string, string];
}

export interface TimelineWindow {
  /** `accounts.id`. */
  readonly account: number;
  readonly kinds: readonly TimelineKind[];
  /** Epoch milliseconds, inclusive. */
  readonly start?: number | undefined;
  /** Epoch milliseconds, exclusive. */
  readonly end?: number | undefined;
  /** The last entry of the previous page. */
  readonly after?: Place | undefined;
  readonly limit: number;
}

export type PlacedEntry = TimelineEntry & Place;

type Row = Record<string, string | number | null> & { readonly at: number };

const rankOf = (kind: TimelineKind): number => timelineKinds.indexOf(kind);

/** Builds the query for one page of one source. */
export function sourceQuery(source: TimelineSource, window: TimelineWindow): { sql: string; values: SqlInput[] } {
  const { account, start, end, after, limit } = window;
  const conditions = new Conditions().add(`${source.account} = ?`, account);
  if (source.where !== undefined) conditions.add(source.where);
  conditions.add(`${source.at} >= ?`, start).add(`${source.at} < ?`, end);
  if (after) conditions.add(...beyond(source, after));
  const ordered = [source.at, ...source.keys.map(({ column }) => column)];
  const keys = source.keys.map(({ column }, index) => `${column} AS key${index}`);
  const sql = `SELECT ${[`${source.at} AS at`, ...keys, ...source.columns].join(', ')} FROM ${source.from}
    ${conditions.where} ORDER BY ${ordered.map((column) => `${column} DESC`).join(', ')} LIMIT ?`;
  return { sql, values: [...conditions.values, limit] };
}

/** Condition for entries of a source after a position, ordered by time, kind and keys. */
function beyond(source: TimelineSource, after: Place): [condition: string, ...values: SqlInput[]] {
  const rank = rankOf(source.kind) - rankOf(after.kind);
  if (rank !== 0) return [`${source.at} ${rank < 0 ? '<' : '<='} ?`, after.at];
  const columns = [source.at, ...source.keys.map(({ column }) => column)].join(', ');
  const keys = source.keys.map((key, index) => keyValue(key, after.keys[index] ?? ''));
  return [`(${columns}) < (${['?', ...keys.map(() => '?')].join(', ')})`, after.at, ...keys];
}

function keyValue({ type }: SourceKey, text: string): SqlInput {
  if (type === 'text') return text;
  if (!/^-?\d{1,15}$/.test(text)) throw invalidCursor();
  return Number(text);
}

/** Reads each source that a room declares with its own index, and merges the results. */
@Injectable()
export class TimelineReader {
  constructor(
    private readonly reader: Reader,
    private readonly declarations: Declarations,
  ) {}

  /** The next `limit` entries, newest first. */
  async page(window: TimelineWindow): Promise<PlacedEntry[]> {
    const sources = this.declarations.timeline.filter(({ kind }) => window.kinds.includes(kind));
    const pages = await Promise.all(sources.map((source) => this.read(source, window)));
    return pages
      .flat()
      .sort((a, b) => b.at - a.at || rankOf(a.kind) - rankOf(b.kind))
      .slice(0, window.limit);
  }

  private async read(source: TimelineSource, window: TimelineWindow): Promise<PlacedEntry[]> {
    const { sql, values } = sourceQuery(source, window);
    const rows = await this.reader.rows<Row>(sql, values);
    return rows.map((row) => ({
      kind: source.kind,
      at: row.at,
      keys: [String(row['key0']), source.keys.length > 1 ? String(row['key1']) : ''],
      ...source.show(row),
    }));
  }
}
