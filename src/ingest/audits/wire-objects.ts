import { isWhole, type Resource } from '../../health/catalogue/catalogue.js';
import { AppError } from '../../platform/platform/errors.js';
import { isFields, type WireFields } from '../../platform/platform/json-reader.js';
import { momentOf } from './canonical-json.js';
import { type CanonicalObject, canonicalSummary, PointsWriter } from './canonical-object.js';

/**
 * The objects of upstream's answer to one question: all pages of a resource, as JSON. Knows no reader of this program,
 * only where the answer has its objects. An object that the answer shows twice counts once. Throws `upstream_contract`
 * for an answer that has objects elsewhere, because nothing is proven about those.
 */
export function wireObjects(resource: Resource, pages: readonly unknown[]): CanonicalObject[] {
  const all = isWhole(resource) ? summaries(resource, pages) : pages.flatMap((page) => points(fieldsOf(page)));
  return onceEach(all);
}

/** For an answer that is read page by page. */
export function onceEach(objects: readonly CanonicalObject[]): CanonicalObject[] {
  return [...new Map(objects.map((one) => [one.whole, one])).values()];
}

function points(page: WireFields): CanonicalObject[] {
  return Object.entries(fieldsIn(page.groups)).flatMap(([key, groups]) =>
    listIn(groups).flatMap((group) => {
      const { source, data } = fieldsOf(group);
      const named = { ...fieldsOf(source) };
      named.provider ||= named.slug || key;
      const writer = new PointsWriter(named);
      return listIn(data).map((point) => writer.shown(point));
    }),
  );
}

/** Of two with one id, the one that upstream changed last, else the later one of the answer. */
function summaries(resource: Resource, pages: readonly unknown[]): CanonicalObject[] {
  const { responseKey } = resource;
  const objects = pages.flatMap((page) => (responseKey === null ? [page] : listIn(fieldsOf(page)[responseKey])));
  const newest = new Map<unknown, unknown>();
  for (const object of objects) {
    const name = fieldsOf(object).id || object;
    if (changedAt(object) >= changedAt(newest.get(name))) newest.set(name, object);
  }
  return [...newest.values()].map((object) => canonicalSummary(resource, object));
}

/** Microseconds, because upstream may change an object twice within a millisecond. */
function changedAt(object: unknown): number {
  const { updated_at, created_at } = fieldsOf(object);
  const text = updated_at ?? created_at;
  const moment = momentOf(text);
  const micros = /\.\d{3}(\d{1,3})/.exec(String(text))?.[1] ?? '';
  return moment === null ? Number.NEGATIVE_INFINITY : moment * 1_000 + Number(micros.padEnd(3, '0'));
}

function fieldsOf(value: unknown): WireFields {
  return isFields(value) ? value : {};
}

function fieldsIn(value: unknown): WireFields {
  if (isFields(value)) return value;
  throw unreadable();
}

function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw unreadable();
}

function unreadable(): AppError {
  return new AppError('upstream_contract', 'The answer of upstream has no list where its objects are.');
}
