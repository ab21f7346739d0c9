import { isFields, textOrNull, type WireFields } from '../../platform/platform/json-reader.js';

/*
 * Upstream does not document the shape of source priorities (docs/upstream/connections.md#source-priorities), so each
 * entry is interpreted: a text is a provider; an object has a provider, perhaps with a source type and a position; an
 * object with a list is read as the list.
 */

/** The source priorities of a data type, best first. */
export interface WireSourcePriorities {
  readonly sources: readonly { provider: string; type: string | null }[];
  /** Number of entries without a source. */
  readonly unreadable: number;
}

interface Entry {
  readonly provider: string;
  readonly type: string | null;
  readonly place: number | null;
}

const slug = /^[^\p{Cc}\p{Cs}]{1,64}$/u;
const MAX_DEPTH = 3;

/** Reads the entries for `dataType`, without those that name another. Anything but a list is one entry. */
export function readSourcePriorities(value: unknown, dataType: string): WireSourcePriorities {
  const listed = (Array.isArray(value) ? (value as unknown[]) : [value]).filter((item) => isAbout(item, dataType));
  const entries: Entry[] = [];
  let unreadable = 0;
  for (const item of listed.flatMap((one) => flat(one, 0))) {
    const entry = readEntry(item);
    if (entry) entries.push(entry);
    else unreadable += 1;
  }
  const places = new Set(entries.map(({ place }) => place));
  const isNumbered = !places.has(null) && places.size === entries.length;
  const sorted = isNumbered ? entries.sort((a, b) => (a.place ?? 0) - (b.place ?? 0)) : entries;
  return { sources: sorted.map(({ provider, type }) => ({ provider, type })), unreadable };
}

function isAbout(item: unknown, dataType: string): boolean {
  const named = isFields(item) ? textOrNull(item.data_type) : null;
  return named === null || named === dataType;
}

/** The items of the lists inside an entry; the entry itself if it has none. */
function flat(item: unknown, depth: number): unknown[] {
  if (depth === MAX_DEPTH) return [item];
  const lists = Array.isArray(item) ? [item] : isFields(item) ? Object.values(item).filter(Array.isArray) : [];
  return lists.length === 0 ? [item] : (lists as unknown[][]).flat().flatMap((one) => flat(one, depth + 1));
}

function readEntry(item: unknown): Entry | null {
  if (!isFields(item))
    return typeof item === 'string' && slug.test(item) ? { provider: item, type: null, place: null } : null;
  const source = isFields(item.source) ? item.source : item;
  const provider = providerOf(source) ?? providerOf(item);
  if (provider === null) return null;
  const type = firstText(source.source_type, source.type, item.source_type);
  const place = [item.priority, item.rank, item.position, item.order].find((one) => typeof one === 'number') ?? null;
  return { provider, type, place };
}

function providerOf({ provider, slug: own, provider_slug, source_slug, source }: WireFields): string | null {
  return firstText(isFields(provider) ? provider.slug : provider, own, provider_slug, source_slug, source);
}

function firstText(...values: unknown[]): string | null {
  const found = values.find((value) => typeof value === 'string' && slug.test(value));
  return textOrNull(found);
}
