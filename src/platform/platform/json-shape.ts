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

/** Reads the value of a field, whose name it gives to a `WireShapeError`. */
export type ReadField<T> = (value: unknown, field: string, unreadable: Unreadable) => T;

/** Reads an object. Without `unreadable`, an unreadable item of one of its lists makes the object unreadable. */
export type ReadObject<T> = (value: unknown, unreadable?: Unreadable) => T;

/** What a reader of objects returns. */
export type Wire<Reader> = Reader extends ReadObject<infer T> ? T : never;

type Shape = Readonly<Record<string, ReadField<unknown>>>;
type Fields<S extends Shape> = { [Name in keyof S]: ReturnType<S[Name]> };

/** Reads objects with these fields and drops all others. Errors name a field after `prefix`. */
export function object<S extends Shape>(name: string, shape: S, prefix = `${name}.`): ReadObject<Fields<S>> {
  return (value, unreadable = refuse) => {
    const fields = asFields(value, name);
    const read = Object.entries(shape).map(([key, readField]) => {
      return [key, readField(fields[key], `${prefix}${key}`, unreadable)] as const;
    });
    return Object.fromEntries(read) as Fields<S>;
  };
}

/** As `read`, of the object with this id (in any case of its letters); another one makes it throw. */
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

/** As `object`, and keeps all other fields as they came. */
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

/** A list of objects without those that cannot be read. */
export function listOf<T>(read: ReadObject<T>): ReadField<T[]> {
  return (value, field, unreadable) => {
    return readEach(asList(value, field), (item) => read(item, unreadable), unreadable);
  };
}

/** As `listOf`; anything but a list is an empty one. */
export function listOrNone<T>(read: ReadObject<T>): ReadField<T[]> {
  return (value, field, unreadable) => listOf(read)(listOrEmpty(value), field, unreadable);
}

/** An object, or null if there is none or it cannot be read. */
export function objectOrNull<T>(read: ReadObject<T>): ReadField<T | null> {
  return (value, field, unreadable) => (isFields(value) ? (listOf(read)([value], field, unreadable)[0] ?? null) : null);
}

/** A map whose values are objects, without those that cannot be read. Anything but a map is an empty one. */
export function mapOf<T>(read: ReadObject<T>): ReadField<Record<string, T>> {
  return (value, _field, unreadable) => {
    const entries = isFields(value) ? Object.entries(value) : [];
    const readable = readEach(entries, ([key, entry]) => [key, read(entry, unreadable)] as const, unreadable);
    return Object.fromEntries(readable);
  };
}
