import type { Rng } from '../../sandbox/engine/random.js';

/** The parts of a JSON schema of the OpenAPI document from which values are made. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** Ids and other texts from responses, by field name. */
export type Known = ReadonlyMap<string, readonly string[]>;

/** Probability that a value violates its schema. */
const WRONG = 0.12;
const MAX_DEPTH = 6;

/** Texts that have broken programs before. */
const nasty: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '%',
  '%00',
  '%zz',
  '../../etc/passwd',
  "' OR 1=1 --",
  '"',
  '\\',
  '{}',
  '[]',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e309',
  '9007199254740993',
  '99999999999999999999',
  '2026-02-30',
  '2026-11-20T24:00:00Z',
  '2026-11-20T12:00:00+99:99',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'é',
  '𝕏',
  'x'.repeat(300),
  'x'.repeat(5000),
  '0'.repeat(64),
  '00000000-0000-0000-0000-000000000000',
];

const numbers: readonly number[] = [0, -0, -1, 1, 0.5, 1e9, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308];

/** Generates values for the schemas of one document: mostly valid ones, sometimes arbitrary ones. */
export class Values {
  constructor(
    private readonly rng: Rng,
    private readonly schemas: Readonly<Record<string, Schema>>,
    private readonly known: Known,
  ) {}

  /** A value for a schema; `name` is the name of its field or parameter. */
  of(given: Schema, name: string, depth = 0): unknown {
    const schema = this.resolve(given);
    if (this.rng.chance(WRONG)) return this.anything();
    const seen = this.known.get(name);
    if (seen && seen.length > 0 && this.rng.chance(0.7)) return this.rng.pick(seen);
    if (schema.enum) return this.rng.pick(schema.enum);
    if (schema.example !== undefined && this.rng.chance(0.6)) return schema.example;
    if (depth > MAX_DEPTH) return null;
    const parts = schema.oneOf ?? schema.anyOf;
    if (parts) return this.of(this.rng.pick(parts), name, depth + 1);
    if (schema.allOf)
      return Object.assign({}, ...schema.allOf.map((part) => this.of(part, name, depth + 1))) as unknown;
    return this.ofType(schema, name, depth);
  }

  /** The same as text for a path or query. */
  text(schema: Schema, name: string): string {
    const value = this.of(schema, name);
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  }

  anything(depth = 0): unknown {
    const makers: (() => unknown)[] = [
      () => this.rng.pick(nasty),
      () => this.rng.pick(nasty),
      () => this.rng.pick(numbers),
      () => this.rng.chance(0.5),
      () => null,
      () => (depth > 3 ? [] : [this.anything(depth + 1)]),
      () => (depth > 3 ? {} : { [this.rng.pick(nasty)]: this.anything(depth + 1) }),
      () => this.rng.pick([...this.known.values()].flat().concat('x')),
    ];
    return this.rng.pick(makers)();
  }

  private resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.schemas[name] ?? {});
  }

  private ofType(schema: Schema, name: string, depth: number): unknown {
    const type = Array.isArray(schema.type) ? (this.rng.pick(schema.type) as string) : (schema.type ?? 'object');
    if (type === 'null') return null;
    if (type === 'boolean') return this.rng.chance(0.5);
    if (type === 'integer') return this.rng.int(schema.minimum ?? -3, Math.min(schema.maximum ?? 1000, 2 ** 31));
    if (type === 'number') return this.rng.float(schema.minimum ?? -3, Math.min(schema.maximum ?? 1000, 1e9), 3);
    if (type === 'array') {
      const count = this.rng.int(schema.minItems ?? 0, (schema.minItems ?? 0) + 3);
      return Array.from({ length: count }, () => this.of(schema.items ?? {}, name, depth + 1));
    }
    return type === 'string' ? this.string(schema) : this.object(schema, depth);
  }

  private string({ format, minLength = 0, maxLength = 60 }: Schema): string {
    const at = new Date(Date.UTC(2026, 10, 20) - this.rng.int(0, 40) * 86_400_000);
    if (format === 'date') return at.toISOString().slice(0, 10);
    if (format === 'date-time') return at.toISOString();
    if (format === 'uuid')
      return `${hex(this.rng, 8)}-${hex(this.rng, 4)}-4${hex(this.rng, 3)}-8${hex(this.rng, 3)}-${hex(this.rng, 12)}`;
    return hex(this.rng, this.rng.int(minLength, Math.max(minLength, Math.min(maxLength, minLength + 20))));
  }

  private object({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (const [field, schema] of Object.entries(properties)) {
      const isThere = required.includes(field) ? !this.rng.chance(WRONG / 2) : this.rng.chance(0.5);
      if (isThere) object[field] = this.of(schema, field, depth + 1);
    }
    if (this.rng.chance(WRONG / 2)) object[this.rng.pick(nasty)] = this.anything();
    return object;
  }
}

function hex(rng: Rng, length: number): string {
  return Array.from({ length }, () => rng.int(0, 15).toString(16)).join('');
}
