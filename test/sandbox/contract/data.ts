import { readFileSync } from 'node:fs';
import {
  integer,
  listOf,
  mapOf,
  notedObject,
  number,
  object,
  orNull,
  type Schema,
  text,
  time,
  uuid,
} from './shapes.js';

interface Resource {
  readonly name: string;
  readonly family: 'interval' | 'discrete' | 'pair' | 'text' | 'summary' | 'stream';
  readonly event: string | null;
  readonly key?: string | null;
  readonly unit?: string;
  readonly fields: Readonly<Record<string, string>>;
}

const resources = JSON.parse(readFileSync('docs/upstream/data/resources.json', 'utf8')) as Resource[];

/** docs/upstream/timeseries.md#source */
const source = object(
  { provider: text },
  {
    type: text,
    app_id: orNull(text),
    device_id: orNull(uuid),
    sport: orNull(text),
    workout_id: orNull(uuid),
  },
);

const common = { timezone_offset: orNull(integer), type: orNull(text), id: orNull(integer) };
const span = { start: time, end: time, timestamp: time };
const values: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  interval: { ...span, value: number },
  discrete: { timestamp: time, value: number },
  pair: { timestamp: time, systolic: number, diastolic: number },
  text: { ...span, value: text },
};

/** docs/upstream/timeseries.md#points: every interval point has its `timestamp` beside `start`. */
function group({ family, unit, fields }: Resource): Schema {
  const own = notedObject(fields, { unit: { const: unit }, ...values[family] });
  const properties = { ...common, ...(own['properties'] as object) };
  return object({ source, data: listOf({ ...own, properties }) });
}

function summary({ fields }: Resource): Schema {
  return notedObject(fields, { source });
}

/** A page of the timeseries under this name of a path. */
export function timeseriesPage(name: string): Schema {
  const groups = mapOf(listOf(group(find(name))));
  return object({ groups }, { next: orNull(text), next_cursor: orNull(text) });
}

export function summaries(name: string): Schema {
  const resource = find(name);
  return resource.key ? object({ [resource.key]: listOf(summary(resource)) }) : summary(resource);
}

/** The `data` of `daily.data.{R}.*`; an event names its resource by its own name. */
export function dailyData(eventName: string): Schema | undefined {
  const resource = resources.find((each) => each.event === eventName);
  if (!resource) return undefined;
  if (resource.family === 'summary') return summary(resource);
  return resource.family === 'stream' ? notedObject(resource.fields) : group(resource);
}

/** docs/upstream/webhooks.md#historical-completion */
export const historicalData = object({ user_id: uuid, start_date: time, end_date: time, provider: text });

function find(name: string): Resource {
  const found = resources.find((each) => each.name === name);
  if (!found) throw new TypeError(`no resource ${name}`);
  return found;
}
