import { isWhole, type Resource } from '../../health/catalogue/catalogue.js';
import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { canonicalJson, momentOf, momentText, normal } from './canonical-json.js';
import {
  leftOutOfPoints,
  leftOutOfSources,
  leftOutOfSummaries,
  unstableOfSources,
  unstableOfSummaries,
  without,
} from './left-out.js';

/** A point or a summary in canonical form. */
export interface CanonicalObject {
  /** The UTC day on which it begins, `YYYY-MM-DD`; null if it has no readable time. */
  readonly day: string | null;
  readonly provider: string;
  readonly fields: WireFields;
  /** `fields` as canonical JSON: what is hashed. */
  readonly text: string;
  /** The same with the fields that are left out because they are unstable: equal for the same object of one answer. */
  readonly whole: string;
}

/** A point of a group with the group's source. */
export function canonicalPoint(source: WireFields, point: unknown): CanonicalObject {
  const own = { type: 'unknown', ...(normal(without(source, leftOutOfSources)) as WireFields) };
  const provider = providerOf(source);
  const start = isFields(point) ? (point.start ?? point.timestamp) : null;
  const fields = isFields(point) ? pointFields(point, start) : point;
  const whole = { point: fields, source: { ...own, provider } };
  return finished(start, provider, whole, { ...whole, source: without(whole.source, unstableOfSources) });
}

function pointFields(point: WireFields, start: unknown): WireFields {
  const times = { start: timeText(start), end: timeText(point.end) };
  return normal({ ...without(point, leftOutOfPoints), ...times }) as WireFields;
}

/** A date stands for its midnight. */
function timeText(value: unknown): unknown {
  const moment = momentOf(value);
  return moment === null ? value : momentText(moment);
}

export function canonicalSummary(resource: Resource, object: unknown): CanonicalObject {
  const given = isFields(object) ? object : { value: object };
  const source = isFields(given.source) ? given.source : {};
  const kept = without(given, leftOutOfSummaries[resource.name] ?? []);
  const sourceFields = without(source, leftOutOfSources);
  const whole = normal({ ...kept, ...('source' in given && { source: sourceFields }) }) as WireFields;
  const stable = without(whole, unstableOfSummaries);
  if (isFields(stable.source)) stable.source = without(stable.source, unstableOfSources);
  return finished(resource.timeField ? given[resource.timeField] : null, providerOf(source, given), whole, stable);
}

function finished(time: unknown, provider: string, whole: WireFields, fields: WireFields): CanonicalObject {
  const moment = momentOf(time);
  const day = moment === null ? null : momentText(moment).slice(0, 10);
  return { day, provider, fields, text: canonicalJson(fields), whole: canonicalJson(whole) };
}

/** The provider that upstream names, `unknown` if it names none. */
export function providerOf(source: WireFields, object: WireFields = {}): string {
  const named = [source.provider, source.slug, object.source_provider].find((one) => typeof one === 'string' && one);
  return typeof named === 'string' ? named : 'unknown';
}

/**
 * Identity of a canonical object, apart from its content: a summary's id; of a point its time, its source and its
 * `type`. Two that are about the same are compared field by field.
 */
export function subjectOf(resource: Resource, { fields }: CanonicalObject): string {
  if (isWhole(resource)) return canonicalJson(fields.id ?? null);
  const point = isFields(fields.point) ? fields.point : {};
  return canonicalJson([fields.source, point.start ?? null, point.type ?? null]);
}
