import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import type { ValidationItem } from './answers.js';

/** A JSON schema as Fastify takes it. */
export type Schema = Record<string, unknown>;

/** An object with the named fields and no others. */
export function object(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const text: Schema = { type: 'string' };
export const filledText: Schema = { type: 'string', minLength: 1 };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const date: Schema = { type: 'string', format: 'date' };
export const dateTime: Schema = { type: 'string', format: 'date-time' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const anyValue: Schema = {};

export function nullable(schema: Schema): Schema {
  return { anyOf: [{ type: 'null' }, schema] };
}

export function oneOf(values: readonly string[]): Schema {
  return { type: 'string', enum: [...values] };
}

export function listOf(items: Schema, limits: Schema = {}): Schema {
  return { type: 'array', items, ...limits };
}

/** A query parameter with an integer; it is not coerced, so the handler parses the text. */
export const queryInteger: Schema = { type: 'string', pattern: '^-?\\d{1,9}$' };
export const queryFlag: Schema = { type: 'string', enum: ['true', 'false', '1', '0'] };

/** A query parameter that may be repeated. */
export function repeated(items: Schema): Schema {
  return { anyOf: [items, listOf(items)] };
}

export function asList(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** A call without a body: nothing, or an empty object. */
export const noBody: Schema = { anyOf: [{ type: 'null' }, { type: 'object', maxProperties: 0 }] };

const TYPES: Readonly<Record<string, string>> = {
  enum: 'enum',
  pattern: 'string_pattern_mismatch',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  minItems: 'too_short',
  maxItems: 'too_long',
};

function describe(fault: FastifySchemaValidationError): { field: string | undefined; msg: string; type: string } {
  const params = fault.params;
  if (fault.keyword === 'required') {
    return { field: String(params.missingProperty), msg: 'Field required', type: 'missing' };
  }
  if (fault.keyword === 'additionalProperties') {
    return {
      field: String(params.additionalProperty),
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    };
  }
  if (fault.keyword === 'type' || fault.keyword === 'format') {
    const wanted = String(params.type ?? params.format);
    return { field: undefined, msg: `Input should be a valid ${wanted}`, type: `${wanted.replace('-', '_')}_parsing` };
  }
  return {
    field: undefined,
    msg: `Input not valid: ${fault.message ?? ''}`,
    type: TYPES[fault.keyword] ?? 'value_error',
  };
}

function toItem(part: string, fault: FastifySchemaValidationError): ValidationItem {
  const { field, msg, type } = describe(fault);
  const steps = fault.instancePath.split('/').slice(1);
  const loc = [part, ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
  if (field !== undefined) loc.push(field);
  if (loc.length === 1 && type === 'object_parsing') return { loc, msg: 'Field required', type: 'missing' };
  return { loc, msg, type };
}

const PARTS: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** False for `anyOf` and its null alternative, because only the fault of the other alternative helps. */
function isOwnFault({ keyword, params }: FastifySchemaValidationError): boolean {
  return keyword !== 'anyOf' && !(keyword === 'type' && params.type === 'null');
}

/** Faults found by a schema, in upstream's 422 shape (docs/upstream/errors-and-limits.md#error-bodies). */
export function validationItemsOf(part: string, faults: readonly FastifySchemaValidationError[]): ValidationItem[] {
  return faults.filter(isOwnFault).map((fault) => toItem(part, fault));
}

/** Fastify's validation error in upstream's 422 shape. */
export function validationItems(error: FastifyError): ValidationItem[] {
  const part = PARTS[error.validationContext ?? 'body'] ?? 'body';
  return validationItemsOf(part, error.validation ?? []);
}
