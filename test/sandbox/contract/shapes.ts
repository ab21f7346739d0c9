/*
 * JSON schemas of what upstream promises of its answers, written from docs/upstream and not from the sandbox: fields
 * that are always there, those that may be null, those that may be missing. Objects are open, as upstream's lists are.
 */

export type Schema = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Schema>>;

export const text: Schema = { type: 'string' };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const integer: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const day: Schema = { type: 'string', format: 'date' };
export const anyObject: Schema = { type: 'object' };
export const texts: Schema = { type: 'array', items: text };

export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (additionalProperties: Schema): Schema => ({ type: 'object', additionalProperties });
/** Always there, perhaps null. */
export const orNull = (schema: Schema): Schema => ({ anyOf: [{ type: 'null' }, schema] });

/** `always` are required, `perhaps` may be missing; whether null is allowed each says itself. */
export function object(always: Fields, perhaps: Fields = {}): Schema {
  return { type: 'object', required: Object.keys(always), properties: { ...always, ...perhaps } };
}

const kinds: Readonly<Record<string, Schema>> = {
  text,
  uuid,
  integer,
  number,
  boolean: flag,
  date: day,
  'date-time': time,
  object: anyObject,
  map: anyObject,
  'list of integers': listOf(integer),
  'list of objects': listOf(anyObject),
  'list of texts': texts,
};

/** Fields as docs/upstream/data/resources.json notes them: `integer, optional, nullable: 1 | 2`. */
export function notedObject(notes: Readonly<Record<string, string>>, more: Fields = {}): Schema {
  const fields = Object.entries(notes).map(([name, note]) => {
    const [kind = '', ...words] = (note.split(':')[0] ?? '').split(', ');
    const schema = kinds[kind];
    if (!schema) throw new TypeError(`no such kind of field: ${kind}`);
    const field: Schema = words.includes('nullable') ? orNull(schema) : schema;
    return { name, field, isRequired: !words.includes('optional') };
  });
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const own = Object.fromEntries(fields.map(({ name, field }) => [name, field]));
  return {
    type: 'object',
    required: [...new Set([...required, ...Object.keys(more)])],
    properties: { ...own, ...more },
  };
}
