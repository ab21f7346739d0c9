import {
  asFields,
  asList,
  isFields,
  listOrEmpty,
  readEach,
  refuse,
  type Unreadable,
  type WireFields,
  WireShapeError,
} from './json-reader.js';

/** Reads the value of a field; a `WireShapeError` names the field. */
export type ReadField<T> = (value: unknown, field: string, unreadable: Unreadable) => T;

/** Reads an object. Without `unreadable`, one unreadable item of a list makes the object unreadable. */
export type ReadObject<T> = (value: unknown, unreadable?: Unreadable) => T;

/** Return type of a reader. */
export type Wire<Reader> = Reader extends ReadObject<infer T> ? T : never;

type Shape = Readonly<Record<string, ReadField<unknown>>>;
type Fields<S extends Shape> = { [Name in keyof S]: ReturnType<S[Name]> };

/** Reads objects with these fields and drops all others. Errors prefix field names with `prefix`. */
export function object<S extends Shape>(name: string, shape: S, prefix = `${name}.`): ReadObject<Fields<S>> {
  return (value, unreadable = refuse) => {
    const fields = asFields(value, name);
    const read = Object.entries(shape).map(([key, readField]) => {
      return [key, readField(fields[key], `${prefix}${key}`, unreadable)] as const;
    });
    return Object.fromEntries(read) as Fields<S>;
  };
}

/** Like `read`, but throws unless the object has this id, ignoring case. */
export function withId<Field extends string, T extends Readonly<Record<Field, string>>>(
  read: ReadObject<T>,
  field: Field,
  id: string,
): ReadObject<T> {
  return (value, unreadable) => {
    const found = read(value, unreadable);
    if (found[field].toLowerCase() !== id.toLowerCase()) throw new WireShapeError(field);
    return found;
  };
}

/** Like `object`, but keeps all other fields unchanged. */
export function openObject<S extends Shape>(
  name: string,
  shape: S,
  prefix?: string,
): ReadObject<Fields<S> & WireFields> {
  const read = object(name, shape, prefix);
  return (value, unreadable) => ({ ...asFields(value, name), ...read(value, unreadable) });
}

export function nested<T>(read: ReadObject<T>): ReadField<T> {
  return (value, _field, unreadable) => read(value, unreadable);
}

/** A list of objects, without those that cannot be read. */
export function listOf<T>(read: ReadObject<T>): ReadField<T[]> {
  return (value, field, unreadable) => {
    return readEach(asList(value, field), (item) => read(item, unreadable), unreadable);
  };
}

/** Like `listOf`; anything that is not a list counts as an empty one. */
export function listOrNone<T>(read: ReadObject<T>): ReadField<T[]> {
  return (value, field, unreadable) => listOf(read)(listOrEmpty(value), field, unreadable);
}

/** An object; null if it is missing or cannot be read. */
export function objectOrNull<T>(read: ReadObject<T>): ReadField<T | null> {
  return (value, field, unreadable) => (isFields(value) ? (listOf(read)([value], field, unreadable)[0] ?? null) : null);
}

/** A map of objects, without those that cannot be read. Anything that is not a map counts as an empty one. */
export function mapOf<T>(read: ReadObject<T>): ReadField<Record<string, T>> {
  return (value, _field, unreadable) => {
    const entries = isFields(value) ? Object.entries(value) : [];
    const readable = readEach(entries, ([key, entry]) => [key, read(entry, unreadable)] as const, unreadable);
    return Object.fromEntries(readable);
  };
}
