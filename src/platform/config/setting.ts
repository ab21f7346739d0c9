export type Parse<T> = (text: string) => T;

/** A variable of the environment. */
export interface Setting<T> {
  readonly name: string;
  readonly parse: Parse<T>;
  /** As in `.env.example`. */
  readonly text: string;
  /** Text that is parsed if the variable is unset or empty. */
  readonly default?: string;
  /** Value without any text. */
  readonly unset?: T;
  readonly required?: true;
  /** Is shown nowhere, and can come from a file. */
  readonly secret?: true;
}

export function required<T>(name: string, parse: Parse<T>, text: string): Setting<T> {
  return { name, parse, text, required: true };
}

export function optional<T>(name: string, parse: Parse<T>, text: string): Setting<T | undefined> {
  return { name, parse, text };
}

/** Empty if unset. */
export function optionalList<T>(name: string, parse: Parse<T[]>, text: string): Setting<T[]> {
  return { name, parse, text, unset: [] };
}

export function defaulted<T>(name: string, parse: Parse<T>, value: string, text: string): Setting<T> {
  return { name, parse, text, default: value };
}

export function secret<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, secret: true };
}

type Frozen<T> = T extends (infer Item)[] ? readonly Item[] : T;
type ValuesOf<Table> = { readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? Frozen<T> : never };

/** The base class of values that are frozen together with their lists. */
export function frozen<T extends object>(): new (values: Readonly<T>) => Readonly<T> {
  return class {
    constructor(values: Readonly<T>) {
      Object.assign(this, values);
      for (const value of Object.values(this)) if (Array.isArray(value)) Object.freeze(value);
      Object.freeze(this);
    }
  } as unknown as new (
    values: Readonly<T>,
  ) => Readonly<T>;
}

/** The base class of a section of the configuration, which has the value of each variable of the table. */
export function section<Table extends Readonly<Record<string, Setting<unknown>>>>(
  table: Table,
): { readonly settings: Table; new (values: ValuesOf<Table>): ValuesOf<Table> } {
  return Object.assign(frozen<ValuesOf<Table>>(), { settings: table });
}
