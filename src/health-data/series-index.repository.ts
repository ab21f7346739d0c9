import { Injectable } from '@nestjs/common';
import { hasFloatingTime } from '../catalogue/catalogue.js';
import { type Sample, type SeriesBatch, type SourceDetails, sameDetails } from '../catalogue/records.js';
import type { Tx } from '../database/tx.js';

/** Whose series they are, and when it is. */
export interface SeriesOwner {
  /** `accounts.id`. */
  readonly account: number;
  readonly resource: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The numbers of a batch of samples. */
export interface SeriesRef {
  readonly id: number;
  /** The series did not exist before. */
  readonly created: boolean;
  /** The number of each sample's attributes, in the order of the samples. */
  readonly attributesIds: readonly number[];
}

type Natural = readonly (string | number)[];

/**
 * Turns series keys and attribute texts into their numbers, in the transaction that writes with them. None is
 * remembered: a database that is restored, or fails over, under a running process gives the same number to another
 * person's series (docs/decisions/0014-numbers-are-looked-up.md).
 */
@Injectable()
export class SeriesIndex {
  /** For each batch, in their order; what is not there yet is made. */
  async numbersOf(tx: Tx, owner: SeriesOwner, batches: readonly SeriesBatch[]): Promise<SeriesRef[]> {
    const { account, resource, now } = owner;
    const series = batches.map(({ key }): Natural => {
      return [account, resource, key.provider, key.sourceType, key.subSeries];
    });
    const wanted = new WantedAttributes(account);
    const places = batches.map(({ samples }) => wanted.placesOf(samples));
    const ids = await findAll(tx, series, wanted.all);
    const attributesIds: number[] = [];
    for (const [place, natural] of wanted.all.entries()) {
      attributesIds.push(ids[series.length + place] ?? (await add(tx, insertAttributes, findAttributes, natural)).id);
    }
    const refs: SeriesRef[] = [];
    for (const [index, natural] of series.entries()) {
      const id = ids[index];
      const floating = hasFloatingTime(batches[index]?.key.provider ?? '') ? 1 : 0;
      const found = id === undefined ? await add(tx, insertSeries, findSeries, natural, [floating, now]) : null;
      const own = (places[index] ?? []).map((place) => attributesIds[place] as number);
      refs.push({ id: id ?? (found?.id as number), created: found?.created ?? false, attributesIds: own });
    }
    return refs;
  }
}

/** The attributes that some samples have, each once. */
class WantedAttributes {
  readonly all: Natural[] = [];
  private readonly places = new Map<string, number>();

  constructor(private readonly account: number) {}

  /** Where in `all` those of each sample stand; neighbours nearly always share theirs. */
  placesOf(samples: readonly Sample[]): number[] {
    let last: Sample | null = null;
    let place = 0;
    return samples.map((sample) => {
      if (sample.attributes !== last?.attributes || !sameDetails(sample.details, last.details)) {
        last = sample;
        place = this.placeOf(sample);
      }
      return place;
    });
  }

  private placeOf({ attributes, details }: Sample): number {
    const owner = isCommon(attributes) && namesNothing(details) ? 0 : this.account;
    const natural = [attributes, owner, details.deviceId, details.workoutId, details.sport];
    const name = JSON.stringify(natural);
    const known = this.places.get(name);
    if (known !== undefined) return known;
    this.places.set(name, this.all.length);
    return this.all.push(natural) - 1;
  }
}

const seriesKey = 'account_id, resource, provider, source_type, sub_series';
const findSeries = `FROM series
  WHERE account_id = ? AND resource = ? AND provider = ? AND source_type = ? AND sub_series = ?`;
const insertSeries = `INSERT INTO series (${seriesKey}, floating_time, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (${seriesKey}) DO NOTHING RETURNING id`;
const attributesKey = 'content, account_id, device_id, workout_id, sport';
const findAttributes = `FROM sample_attributes
  WHERE content = ? AND account_id = ? AND device_id = ? AND workout_id = ? AND sport = ?`;
const insertAttributes = `INSERT INTO sample_attributes (${attributesKey}) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (${attributesKey}) DO NOTHING RETURNING id`;

/** Keys in one statement; a message rarely has more than two. */
const MOST_KEYS = 32;

/** The numbers of some series, then of some attributes; a place is empty where there is none yet. */
async function findAll(tx: Tx, series: readonly Natural[], attributes: readonly Natural[]): Promise<number[]> {
  const ids: number[] = [];
  const all = [...series, ...attributes];
  for (let first = 0; first < all.length; first += MOST_KEYS) {
    const some = all.slice(first, first + MOST_KEYS);
    const parts = some.map((_, index) => {
      return `SELECT ${index} AS place, id ${first + index < series.length ? findSeries : findAttributes}`;
    });
    const rows = await tx.rows<{ place: number; id: number }>(parts.join(' UNION ALL '), some.flat());
    for (const { place, id } of rows) ids[first + place] = id;
  }
  return ids;
}

/** Makes it, unless another transaction has made it in the meantime. */
async function add(
  tx: Tx,
  insert: string,
  find: string,
  natural: Natural,
  besides: Natural = [],
): Promise<{ id: number; created: boolean }> {
  const [made] = await tx.rows<{ id: number }>(insert, [...natural, ...besides]);
  if (made) return { id: made.id, created: true };
  const [other] = await tx.rows<{ id: number }>(`SELECT id ${find}`, natural);
  return { id: (other as { id: number }).id, created: false };
}

const unitsAndOffsets = /^\{("timezone_offset":-?\d{1,6})?,?("unit":"[A-Za-z0-9%\u00b0\u00b5/*^._ -]{0,24}")?\}$/;

/**
 * Whether attributes are a unit and an offset and nothing else: few, short, and they say nothing of anybody. Whatever
 * else a sample carries may be free text, and belongs to its person, as a device or a workout does.
 */
function isCommon(content: string): boolean {
  return unitsAndOffsets.test(content);
}

function namesNothing({ deviceId, workoutId, sport }: SourceDetails): boolean {
  return deviceId === '' && workoutId === '' && sport === '';
}
