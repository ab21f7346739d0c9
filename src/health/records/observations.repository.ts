import type { TimeRange } from '../../platform/platform/time.js';
import { shapeOf } from '../../storage/database/columns.js';
import type { SqlValue } from '../../storage/database/dialect.js';
import type { BulkShape, GivenQuery, Tx } from '../../storage/database/tx.js';
import type { ObservationKind } from '../catalogue/records.js';
import { firstObservationAt, observedAt } from './observation-ids.js';
import { type Observation, ObservationEntity, type Provenance } from './record.entity.js';

/** The contents of an observation; `times` is the inclusive range of its samples, null if there are none. */
export interface Seen extends Provenance {
  readonly times: TimeRange | null;
}

type ObservationRow = readonly [id: number, kind: ObservationKind, ref: number, page: number | null];

const givenObservations = 'SELECT o.id, o.kind, o.ref, o.page FROM given CROSS JOIN observations o';
const byRange: GivenQuery = {
  columns: [
    { name: 'first', type: 'int' },
    { name: 'past_last', type: 'int' },
  ],
  sql: `${givenObservations} WHERE o.id >= given.first AND o.id < given.past_last`,
};
const byId: GivenQuery = {
  columns: [{ name: 'id', type: 'int' }],
  sql: `${givenObservations} WHERE o.id = given.id`,
};
const shape: BulkShape = {
  ...shapeOf(ObservationEntity),
  update: [],
  returning: ['id'],
};
const widen = `UPDATE observations SET first_time = CASE WHEN first_time < ? THEN first_time ELSE ? END,
    last_time = CASE WHEN last_time > ? THEN last_time ELSE ? END
  WHERE id = ? AND (first_time IS NULL OR first_time > ? OR last_time < ?)`;

/**
 * Stores observations and returns them in the order given. The same message, or the same page at the same instant, is
 * the same observation. If a millisecond has no free id left, ids of the next one are used.
 */
export async function observe(tx: Tx, seen: readonly Seen[]): Promise<Observation[]> {
  const all = seen.map(({ page = null, ...one }): Numbered => ({ ...one, page, id: 0, again: false }));
  for (let open = all; open.length > 0; ) {
    const instants = [...new Set(open.map(({ at }) => at))];
    const ranges = instants.flatMap((at) => [firstObservationAt(at), firstObservationAt(at + 1)]);
    const rows = await tx.given<ObservationRow>(byRange, ranges);
    const made = await tx.bulkRows<{ id: number }>(shape, numbered(open, rows).flatMap(valuesOf));
    const there = new Set([...rows.map(([id]) => id), ...made.map(({ id }) => id)]);
    open = open.filter(({ id }) => !there.has(id));
    for (const one of open) if (one.id === 0) one.at += 1;
  }
  for (const { id, again, times } of all) {
    if (!again || times === null) continue;
    const { start, end } = times;
    await tx.execute(widen, [start, start, end, end, id, start, end]);
  }
  return all.map(({ id, kind, ref, page }) => ({ id, kind, ref, page }));
}

interface Numbered extends Observation {
  id: number;
  at: number;
  readonly times: TimeRange | null;
  /** True if it was stored before. */
  again: boolean;
}

/** Assigns an id to each, or 0 if its millisecond has none left, and returns those to store. */
function numbered(open: readonly Numbered[], rows: readonly ObservationRow[]): Numbered[] {
  const taken = new Set(rows.map(([id]) => id));
  const ids = new Map(rows.map(([id, kind, ref, page]) => [nameOf({ kind, ref, page, at: observedAt(id) }), id]));
  return open.filter((one) => {
    const known = ids.get(nameOf(one));
    one.again = known !== undefined;
    one.id = known ?? freeId(one.at, taken);
    if (one.again || one.id === 0) return false;
    ids.set(nameOf(one), one.id);
    taken.add(one.id);
    return true;
  });
}

function valuesOf({ id, kind, ref, page, times }: Numbered): SqlValue[] {
  return [id, kind, ref, page, times?.start ?? null, times?.end ?? null];
}

/** The first observation of the pull that a page belongs to. */
export async function startOfPull(tx: Tx, { id, ref }: Observation): Promise<number> {
  const sql = `SELECT MAX(id) AS id FROM observations WHERE kind = 'sync' AND ref = ? AND page = 0`;
  return (await tx.rows<{ id: number | null }>(sql, [ref]))[0]?.id ?? id;
}

export async function observations(tx: Tx, ids: readonly number[]): Promise<Map<number, Observation>> {
  const rows = await tx.given<ObservationRow>(byId, ids);
  return new Map(rows.map(([id, kind, ref, page]) => [id, { id, kind, ref, page }]));
}

/** The lowest id of a millisecond above all taken ones; 0 if none is left. */
function freeId(at: number, taken: ReadonlySet<number>): number {
  let id = firstObservationAt(at + 1) - 1;
  if (taken.has(id)) return 0;
  while (id > firstObservationAt(at) && !taken.has(id - 1)) id -= 1;
  return id;
}

function nameOf({ kind, ref, page, at }: Omit<Observation, 'id'> & { readonly at: number }): string {
  return `${kind} ${ref} ${page ?? ''} ${at}`;
}
