import { endTime, requiredTime } from './bounds.js';
import type { Family } from './catalogue.js';
import { isOffsetOutOfRange, type RejectionReason, type Sample, type SourceDetails } from './records.js';
import { Rejected } from './rejections.js';
import { unstorableSample } from './storable.js';

export type Point = Readonly<Record<string, unknown>>;

/** Fields shared by all points of a source. */
export interface OfSource {
  readonly attributes: AttributeTexts;
  readonly details: SourceDetails;
}

/** Maps one point to a sample (a number, a pair of numbers or a text), or to the reason why it cannot be stored. */
export function toSample(family: Family, point: Point, { attributes, details }: OfSource): Sample | Rejected {
  const time = requiredTime(point['start'] ?? point['timestamp']);
  if (time instanceof Rejected) return time;
  const end = endTime(point['end'], time);
  if (end instanceof Rejected) return new Rejected(end.reason, time);
  if (isOffsetOutOfRange(point['timezone_offset'])) return new Rejected('offset_out_of_range', time);
  const value = family === 'pair' ? point['systolic'] : point['value'];
  const value2 = family === 'pair' ? point['diastolic'] : null;
  const fault = faultOf(family, value, value2);
  if (fault !== null) return new Rejected(fault, time);
  const others = attributes.of(point);
  const text = family === 'text' ? (value as string) : null;
  const unstorable = unstorableSample(text, others);
  if (unstorable !== null) return new Rejected(unstorable, time);
  return {
    time,
    value: text === null ? (value as number) : null,
    value2: value2 as number | null,
    text,
    durationMs: end === null ? null : end - time,
    attributes: others,
    details,
  };
}

function faultOf(family: Family, value: unknown, value2: unknown): RejectionReason | null {
  if (family === 'text') return typeof value === 'string' ? null : reasonFor(value);
  if (!Number.isFinite(value)) return family === 'pair' && isMissing(value2) ? 'no_value' : reasonFor(value);
  return family === 'pair' && !Number.isFinite(value2) ? reasonFor(value2) : null;
}

function reasonFor(value: unknown): RejectionReason {
  return isMissing(value) ? 'no_value' : 'unreadable_value';
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined;
}

/** Fields of a point that are stored in columns or, like `id` and `grouping`, are internal to upstream and dropped. */
const elsewhere: ReadonlySet<string> = new Set([
  'id',
  'grouping',
  'timestamp',
  'start',
  'end',
  'value',
  'systolic',
  'diastolic',
  'type',
]);

/** Name of the app that wrote a sample, among its attributes. */
const APP = 'app_id';

const placed: ReadonlySet<string> = new Set([...elsewhere, 'unit', 'timezone_offset']);

/**
 * Caches the last attributes as JSON, because neighbouring points nearly always have the same ones. `appId`: the app
 * that wrote the points, which becomes an attribute of each; '' if unknown.
 */
export class AttributeTexts {
  private unit: unknown;
  private offset: unknown;
  private common = '';

  constructor(private readonly appId: string) {}

  of(point: Point): string {
    for (const name in point) {
      if (!placed.has(name) && point[name] !== null) return attributesText(this.ofApp(point));
    }
    if (!this.common || this.unit !== point['unit'] || this.offset !== point['timezone_offset']) {
      this.unit = point['unit'];
      this.offset = point['timezone_offset'];
      this.common = attributesText(this.ofApp(point));
    }
    return this.common;
  }

  private ofApp(point: Point): Point {
    return this.appId === '' ? point : { ...point, [APP]: this.appId };
  }
}

/** Canonical JSON: sorted names, no nulls. */
function attributesText(point: Point): string {
  const names = Object.keys(point).filter((name) => !elsewhere.has(name) && point[name] !== null);
  return JSON.stringify(Object.fromEntries(names.sort().map((name) => [name, point[name]])));
}
