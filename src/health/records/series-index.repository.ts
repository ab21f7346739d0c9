import { Injectable } from '@nestjs/common';
import { hasFloatingTime } from '../../accounts/connections/provider-facts.js';
import { shapeOf } from '../../storage/database/columns.js';
import type { BulkShape, GivenQuery, Tx } from '../../storage/database/tx.js';
import { type Sample, type SeriesBatch, type SourceDetails, sameDetails } from '../catalogue/records.js';
import { measureOf } from '../catalogue/units.js';
import { type Observation, SampleAttributesEntity, SampleGroupEntity, SeriesEntity } from './record.entity.js';

/** Samples to look up numbers for. */
export interface Unnumbered {
  /** `accounts.id`. */
  readonly account: number;
  readonly resource: string;
  readonly samples: readonly SeriesBatch[];
}

/** A batch of samples with its numbers. */
export interface SeriesRef extends SeriesBatch {
  readonly id: number;
  /** True if the series is new. */
  readonly created: boolean;
  /** Samples up to this time may be hidden; null if none are. */
  readonly goneUntil: number | null;
  /** End of its newest hour of thinned samples; null if it has none. */
  readonly thinnedUntil: number | null;
  /** The number of each sample's attributes, in the order of the samples. */
  readonly attributesIds: readonly number[];
}

type Natural = readonly (string | number)[];

/**
 * Looks up the numbers of series keys and attribute texts in the transaction that writes them. Numbers are never
 * cached: if the database is restored or fails over under a running process, it can assign the same number to another
 * person's series (docs/decisions/0014-numbers-are-looked-up.md).
 */
@Injectable()
export class SeriesIndex {
  /**
   * Returns one result per batch of each entry of `all`, in order. Inserts missing rows; `created` is true for the
   * first batch of a new series. `now` in epoch milliseconds.
   */
  async numbersOf(tx: Tx, all: readonly Unnumbered[], now: number): Promise<SeriesRef[][]> {
    const series = new Naturals();
    const attributes = new Naturals();
    const places = all.map(({ account, resource, samples }) =>
      samples.map((batch) => {
        const { provider, sourceType, subSeries } = batch.key;
        const { place, isFirst } = series.placeOf([account, resource, provider, sourceType, subSeries]);
        return { batch, place, isFirst, attributes: attributePlaces(attributes, account, batch.samples) };
      }),
    );
    const seriesIds = await numbers(tx, seriesTable, series.all, ([, , provider]) => {
      return [hasFloatingTime(provider as string) ? 1 : 0, now];
    });
    const attributesIds = await numbers(tx, attributesTable, attributes.all);
    await noteMeasures(tx, all, places, seriesIds);
    return places.map((batches) =>
      batches.map(({ batch, place, isFirst, attributes: own }) => ({
        ...batch,
        id: seriesIds.ids[place] as number,
        created: isFirst && seriesIds.created.has(place),
        goneUntil: seriesIds.besides[place]?.[0] ?? null,
        thinnedUntil: seriesIds.besides[place]?.[3] ?? null,
        attributesIds: own.map((each) => attributesIds.ids[each] as number),
      })),
    );
  }
}

/** The contents of an observation; `attributesIds` as in {@link SeriesRef}. */
export interface Ungrouped {
  readonly observation: Observation;
  readonly attributesIds: readonly number[];
}

/** The group number of each sample of each entry of `all`. */
export async function groupNumbers(tx: Tx, all: readonly Ungrouped[]): Promise<number[][]> {
  const groups = new Naturals();
  const places = all.map(({ observation, attributesIds }) => {
    let last: number | null = null;
    let place = 0;
    return attributesIds.map((attributesId) => {
      if (attributesId !== last) place = groups.placeOf([observation.id, attributesId]).place;
      last = attributesId;
      return place;
    });
  });
  const { ids } = await numbers(tx, groupsTable, groups.all);
  return places.map((own) => own.map((place) => ids[place] as number));
}

/** Collects natural keys without duplicates. */
class Naturals {
  readonly all: Natural[] = [];
  private readonly places = new Map<string, number>();

  placeOf(natural: Natural): { readonly place: number; readonly isFirst: boolean } {
    const name = JSON.stringify(natural);
    const known = this.places.get(name);
    if (known !== undefined) return { place: known, isFirst: false };
    this.places.set(name, this.all.length);
    return { place: this.all.push(natural) - 1, isFirst: true };
  }
}

/** Index of each sample's attributes in `naturals`; neighbours nearly always share theirs. */
function attributePlaces(naturals: Naturals, account: number, samples: readonly Sample[]): number[] {
  let last: Sample | null = null;
  let place = 0;
  return samples.map((sample) => {
    if (sample.attributes !== last?.attributes || !sameDetails(sample.details, last.details)) {
      const { attributes, details } = sample;
      const owner = isCommon(attributes) && namesNothing(details) ? 0 : account;
      place = naturals.placeOf([attributes, owner, details.deviceId, details.workoutId, details.sport]).place;
      last = sample;
    }
    return place;
  });
}

/**
 * Columns that are read besides the number: of a series, until when samples may be hidden, how it is measured, and
 * until when samples may be thinned.
 */
type Besides = readonly [
  goneUntil: number | null,
  measure: string | null,
  isMixed: number,
  thinnedUntil: number | null,
];

interface Found {
  readonly ids: readonly number[];
  readonly besides: readonly Besides[];
  readonly created: ReadonlySet<number>;
}

/** Records the unit and place of new series, and that a series has more than one. Nearly always writes nothing. */
async function noteMeasures(
  tx: Tx,
  all: readonly Unnumbered[],
  places: readonly (readonly { readonly place: number }[])[],
  { ids, besides }: Found,
): Promise<void> {
  const seen = new Map<number, Set<string>>();
  const texts = new Map<string, string>();
  for (const [index, { samples: batches }] of all.entries()) {
    for (const [nth, { samples }] of batches.entries()) {
      const place = places[index]?.[nth]?.place ?? 0;
      if (besides[place]?.[2] === 1) continue;
      const measures = seen.get(place) ?? new Set();
      seen.set(place, measures);
      addMeasures(measures, samples, texts);
    }
  }
  for (const [place, measures] of seen) {
    const change = changeOfMeasure(besides[place]?.[1] ?? null, measures);
    if (change) await tx.execute(setMeasure, [...change, ids[place] ?? 0]);
  }
}

const setMeasure = 'UPDATE series SET measure = COALESCE(measure, ?), is_mixed = ? WHERE id = ?';

/** `texts`: the measure of attributes that were read before. Neighbours nearly always share their attributes. */
function addMeasures(measures: Set<string>, samples: readonly Sample[], texts: Map<string, string>): void {
  let last = '';
  for (const { attributes } of samples) {
    if (attributes === last) continue;
    last = attributes;
    const text = texts.get(attributes) ?? JSON.stringify(measureOf(attributes));
    texts.set(attributes, text);
    measures.add(text);
  }
}

/** The first measure of a series and whether it has several; null if that is stored already. */
function changeOfMeasure(stored: string | null, measures: ReadonlySet<string>): [string, 0 | 1] | null {
  const [first] = measures;
  if (first === undefined) return null;
  const isMixed = measures.size > 1 || (stored !== null && first !== stored);
  return isMixed || stored === null ? [first, isMixed ? 1 : 0] : null;
}

/** Statements that find rows by natural key and insert missing ones. */
interface NumberedTable {
  readonly find: GivenQuery;
  readonly insert: BulkShape;
}

/** `key`: columns of the natural key. `besides`: other columns that an insert fills. `read`: expression to read. */
function numberedTable<Row extends object>(
  entity: new () => Row,
  key: readonly (keyof Row & string)[],
  besides: readonly (keyof Row & string)[] = [],
  read = 'NULL',
): NumberedTable {
  const { table, columns } = shapeOf(entity, key);
  const same = key.map((name) => `t.${name} = given.${name}`).join(' AND ');
  return {
    find: {
      columns: [{ name: 'place', type: 'int' }, ...columns],
      sql: `SELECT given.place, t.id, ${read} FROM given CROSS JOIN ${table} t WHERE ${same}`,
    },
    insert: { ...shapeOf(entity, [...key, ...besides]), conflict: key, update: [] },
  };
}

const seriesTable = numberedTable(
  SeriesEntity,
  ['account_id', 'resource', 'provider', 'source_type', 'sub_series'],
  ['floating_time', 'created_at'],
  't.gone_until, t.measure, t.is_mixed, t.thinned_until',
);

const attributesTable = numberedTable(SampleAttributesEntity, [
  'content',
  'account_id',
  'device_id',
  'workout_id',
  'sport',
]);

const groupsTable = numberedTable(SampleGroupEntity, ['observation_id', 'attributes_id']);

/**
 * Returns the number of each key. Inserts missing rows, unless another transaction inserts them at the same time.
 * `besides` returns the values of the columns besides the key.
 */
async function numbers(
  tx: Tx,
  table: NumberedTable,
  naturals: readonly Natural[],
  besides: (natural: Natural) => Natural = () => [],
): Promise<Found> {
  const ids: number[] = [];
  const read: Besides[] = [];
  const find = async (places: readonly number[]): Promise<void> => {
    const given = places.flatMap((place) => [place, ...(naturals[place] as Natural)]);
    for (const [place, id, ...values] of await tx.given<[number, number, ...Besides]>(table.find, given)) {
      ids[place] = id;
      read[place] = values;
    }
  };
  const all = [...naturals.keys()];
  await find(all);
  const missing = all.filter((place) => ids[place] === undefined);
  if (missing.length > 0) {
    const rows = missing.map((place) => naturals[place] as Natural);
    await tx.bulk(
      table.insert,
      rows.flatMap((natural) => [...natural, ...besides(natural)]),
    );
    await find(missing);
  }
  return { ids, besides: read, created: new Set(missing) };
}

const unitsAndOffsets = /^\{("timezone_offset":-?\d{1,6})?,?("unit":"[A-Za-z0-9%\u00b0\u00b5/*^._ -]{0,24}")?\}$/;

/**
 * True if attributes consist only of a unit and an offset, which are short, not personal, and have few combinations.
 * Any other attribute may be free text and is treated as personal data, like a device or a workout.
 */
function isCommon(content: string): boolean {
  return unitsAndOffsets.test(content);
}

function namesNothing({ deviceId, workoutId, sport }: SourceDetails): boolean {
  return deviceId === '' && workoutId === '' && sport === '';
}
