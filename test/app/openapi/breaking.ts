import type { OpenAPIObject } from '@nestjs/swagger';

/*
 * Changes that break a client between two versions of the document: an operation, a parameter, a kind of success or a
 * field of an answer is gone; a field of an answer may be missing or be of a further type; a request needs more, or may
 * say less. A further operation, an optional field of a request, a field of an answer and a further word of a list in
 * an answer break nothing.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly nullable?: boolean;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly explode?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Direction = 'sent' | 'answered';

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** A sentence for each change that breaks a client. */
export function breakingChanges(before: OpenAPIObject, after: OpenAPIObject): string[] {
  return new Comparison(before, after).changes();
}

class Comparison {
  private readonly found = new Set<string>();
  private readonly seen = new Set<string>();

  constructor(
    private readonly before: OpenAPIObject,
    private readonly after: OpenAPIObject,
  ) {}

  changes(): string[] {
    for (const [path, item] of Object.entries(this.before.paths)) {
      for (const method of methods) {
        const operation = item[method] as Operation | undefined;
        if (!operation) continue;
        const now = this.after.paths[path]?.[method] as Operation | undefined;
        const name = `${method.toUpperCase()} ${path}`;
        if (now) this.operation(name, operation, now);
        else this.found.add(`${name} is gone`);
      }
    }
    return [...this.found];
  }

  private operation(name: string, before: Operation, after: Operation): void {
    this.parameters(name, before.parameters ?? [], after.parameters ?? []);
    if (!before.requestBody?.required && after.requestBody?.required) this.found.add(`${name} needs a body`);
    this.content(`${name} body`, before.requestBody?.content, after.requestBody?.content, 'sent');
    for (const [status, { content }] of Object.entries(before.responses)) {
      if (!status.startsWith('2')) continue;
      const now = after.responses[status];
      if (now) this.content(`${name} ${status}`, content, now.content, 'answered');
      else this.found.add(`${name} no longer answers ${status}`);
    }
  }

  private parameters(name: string, before: readonly Parameter[], after: readonly Parameter[]): void {
    const key = (parameter: Parameter): string => `${name} parameter ${parameter.in} ${parameter.name}`;
    const was = new Map(before.map((parameter) => [key(parameter), parameter]));
    const is = new Map(after.map((parameter) => [key(parameter), parameter]));
    for (const [at, { schema = {} }] of was) {
      const now = is.get(at);
      if (now) this.schema(at, schema, sentAs(now), 'sent');
      else this.found.add(`${at} is gone`);
    }
    for (const [at, { required }] of is) {
      if (required && !was.get(at)?.required) this.found.add(`${at} is needed`);
    }
  }

  private content(at: string, before: Content = {}, after: Content = {}, direction: Direction): void {
    for (const [type, { schema = {} }] of Object.entries(before)) {
      const now = after[type];
      if (now) this.schema(at, schema, now.schema ?? {}, direction);
      else this.found.add(`${at} no longer has the type ${type}`);
    }
  }

  private schema(at: string, before: Schema, after: Schema, direction: Direction): void {
    const place = `${direction} ${before.$ref} ${after.$ref}`;
    if (before.$ref && after.$ref && this.seen.has(place)) return;
    this.seen.add(place);
    const was = resolved(this.before, before);
    const is = resolved(this.after, after);
    this.types(at, was, is, direction);
    this.words(at, was, is, direction);
    this.choices(at, was, is, direction);
    for (const [name, field] of Object.entries(was.properties ?? {})) {
      const now = is.properties?.[name];
      if (now) this.schema(`${at} .${name}`, field, now, direction);
      else this.found.add(`${at} .${name} is gone`);
    }
    this.required(at, was, is, direction);
    if (was.items && is.items) this.schema(`${at} []`, was.items, is.items, direction);
  }

  private types(at: string, was: Schema, is: Schema, direction: Direction): void {
    const [had, has] = [typesOf(was), typesOf(is)];
    // Without a type, anything goes.
    const [wide, narrow] = direction === 'sent' ? [has, had] : [had, has];
    if (wide.length === 0) return;
    if (narrow.length === 0 && choicesOf(direction === 'sent' ? was : is).length > 0) return;
    const further = narrow.length === 0 ? ['any type'] : narrow.filter((type) => !wide.includes(type));
    if (further.length === 0) return;
    const verb = direction === 'sent' ? 'no longer takes' : 'may now be';
    this.found.add(`${at} ${verb} ${further.join(', ')}`);
  }

  private words(at: string, was: Schema, is: Schema, direction: Direction): void {
    if (direction === 'answered' || !is.enum) return;
    if (!was.enum) this.found.add(`${at} takes only some words`);
    const gone = (was.enum ?? []).filter((word) => !is.enum?.includes(word));
    if (gone.length > 0) this.found.add(`${at} no longer takes ${gone.join(', ')}`);
  }

  private required(at: string, was: Schema, is: Schema, direction: Direction): void {
    const needs = (is.required ?? []).filter((name) => !was.required?.includes(name));
    if (direction === 'sent') for (const name of needs) this.found.add(`${at} .${name} is needed`);
    if (direction === 'sent') return;
    for (const name of was.required ?? []) {
      if (is.properties?.[name] && !is.required?.includes(name)) this.found.add(`${at} .${name} may be missing`);
    }
  }

  /** True if one of these is among the choices of a named union, or if it had neither name nor fields. */
  private isNarrower(choice: Schema, now: readonly string[]): boolean {
    if (!choice.$ref && !choice.properties) return true;
    const before = choice.$ref ? choicesOf(resolved(this.before, choice)).map(nameOf) : [];
    return now.some((name) => before.includes(name));
  }

  /** Choices are identified by their names. */
  private choices(at: string, was: Schema, is: Schema, direction: Direction): void {
    const choices = choicesOf(is).length > 0 ? choicesOf(is) : [is];
    const now = new Map(choices.map((choice) => [nameOf(choice), choice]));
    // A shape may have got a name.
    const named = new Map(choices.map((choice) => [nameOf(resolved(this.after, choice)), choice]));
    for (const choice of choicesOf(was)) {
      const same = now.get(nameOf(choice)) ?? (choice.$ref ? undefined : named.get(nameOf(choice)));
      if (same) this.schema(`${at} ${nameOf(choice)}`, choice, same, direction);
      else if (direction === 'sent' || !this.isNarrower(choice, [...now.keys()]))
        this.found.add(`${at} ${nameOf(choice)} is gone`);
    }
  }
}

/** A list that is not exploded is one text, separated by commas; its words are not compared. */
function sentAs({ explode, schema = {} }: Parameter): Schema {
  return schema.type === 'array' && explode === false ? { type: 'string' } : schema;
}

const choicesOf = ({ oneOf = [], anyOf = [], allOf = [] }: Schema): Schema[] => [...oneOf, ...anyOf, ...allOf];

const nameOf = ({ $ref, type, ...rest }: Schema): string =>
  $ref?.split('/').at(-1) ?? [type ?? JSON.stringify(rest)].flat().join('|');

function typesOf({ type, nullable, anyOf = [] }: Schema): string[] {
  const isPlain = anyOf.length > 0 && anyOf.every((choice) => choice.type !== undefined && !choice.properties);
  const types = type === undefined && isPlain ? anyOf.flatMap(typesOf) : [type ?? []].flat();
  return nullable && types.length > 0 ? [...types, 'null'] : types;
}

function resolved(document: OpenAPIObject, schema: Schema): Schema {
  // A reference beside a description is the only part of an `allOf`.
  const { $ref = schema.allOf?.length === 1 && !schema.properties ? schema.allOf[0]?.$ref : undefined } = schema;
  const name = $ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}
