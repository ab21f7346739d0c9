import { isWhole, type Resource } from '../../health/catalogue/catalogue.js';
import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import {
  canonicalJson,
  dayText,
  FieldsWriter,
  isDate,
  momentOf,
  momentText,
  normalJson,
  saysNothing,
} from './canonical-json.js';
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
  /** Canonical JSON: what is hashed. */
  readonly text: string;
  /** The same with the fields that are left out because they are unstable: equal for the same object of one answer. */
  readonly whole: string;
}

/** Writes the points of a group, each with the group's source. */
export class PointsWriter {
  private readonly provider: string;
  private readonly stable: string;
  private readonly whole: string;
  private readonly fields: FieldsWriter;

  /** `ownNames`: the fields of rebuilt points that are not among what is kept of them. */
  constructor(source: WireFields, ownNames: readonly string[] = ['start', 'end']) {
    this.provider = providerOf(source);
    const type = saysNothing(source.type) ? 'unknown' : source.type;
    const own = without({ ...source, type, provider: this.provider }, leftOutOfSources);
    this.whole = normalJson(own);
    this.stable = normalJson(without(own, unstableOfSources));
    this.fields = new FieldsWriter(leftOutOfPoints, ownNames);
  }

  shown(point: unknown): CanonicalObject {
    if (!isFields(point)) return this.object(null, normalJson(point));
    const start = point.start ?? point.timestamp;
    return this.object(start, this.fields.text(point, { start: midnightOf(start), end: midnightOf(point.end) }));
  }

  rebuilt(kept: WireFields, own: WireFields): CanonicalObject {
    return this.object(own.start, this.fields.text(kept, own));
  }

  private object(start: unknown, point: string): CanonicalObject {
    const text = `{"point":${point},"source":${this.stable}}`;
    const whole = this.whole === this.stable ? text : `{"point":${point},"source":${this.whole}}`;
    return { day: dayOf(start), provider: this.provider, text, whole };
  }
}

/** A date stands for its midnight. */
function midnightOf(value: unknown): unknown {
  const moment = isDate(value) ? momentOf(value) : null;
  return moment === null ? value : momentText(moment);
}

export function canonicalSummary(resource: Resource, object: unknown): CanonicalObject {
  const given = isFields(object) ? object : { value: object };
  const source = isFields(given.source) ? given.source : {};
  const kept = without(given, leftOutOfSummaries[resource.name] ?? []);
  const written = (unstable: readonly string[], unstableOfSource: readonly string[]): string => {
    const own = 'source' in given && { source: without(source, [...leftOutOfSources, ...unstableOfSource]) };
    return normalJson({ ...without(kept, unstable), ...own });
  };
  return {
    day: resource.timeField ? dayOf(given[resource.timeField]) : null,
    provider: providerOf(source, given),
    text: written(unstableOfSummaries, unstableOfSources),
    whole: written([], []),
  };
}

function dayOf(time: unknown): string | null {
  const moment = momentOf(time);
  return moment === null ? null : dayText(moment).slice(0, 'YYYY-MM-DD'.length);
}

/** The fields of an object, as they are written. */
export function fieldsOf({ text }: CanonicalObject): WireFields {
  return JSON.parse(text) as WireFields;
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
export function subjectOf(resource: Resource, object: CanonicalObject): string {
  const fields = fieldsOf(object);
  if (isWhole(resource)) return canonicalJson(fields.id ?? null);
  const point = isFields(fields.point) ? fields.point : {};
  return canonicalJson([fields.source, point.start ?? null, point.type ?? null]);
}
