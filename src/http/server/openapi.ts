import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiExtraModels,
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  type ApiPropertyOptions,
  getSchemaPath,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn, IsOptional, ValidateIf } from 'class-validator';
import { type ErrorCode, errorCodes } from '../../platform/platform/errors.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { problemCodes } from './problem-codes.js';
import { ToInstant } from './validation.js';

class ProblemFieldDto {
  @ApiProperty({ example: 'limit' })
  field: string;

  @ApiProperty()
  message: string;
}

/** The body of every error (RFC 9457), `application/problem+json`. */
export class ProblemDto {
  @ApiProperty({ example: 'urn:pulsekeep:problem:not_found' })
  type: string;

  @ApiProperty()
  title: string;

  @ApiProperty({ type: 'integer' })
  status: number;

  @ApiProperty({ enum: errorCodes })
  code: ErrorCode;

  @ApiProperty()
  detail: string;

  @ApiProperty()
  request_id: string;

  @ApiPropertyOptional({ type: [ProblemFieldDto] })
  errors?: ProblemFieldDto[];
}

/** Schemas of fields that occur in many bodies. */
export const time = { type: 'string', format: 'date-time' } as const;
export const timeOrNull = { ...time, nullable: true } as const;
export const dateOrNull = { type: 'string', format: 'date', nullable: true } as const;
export const textOrNull = { type: 'string', nullable: true } as const;
export const count = { type: 'integer', minimum: 0 } as const;

/**
 * An optional request field. The schema of a time, an enumeration or an array also sets the validation rules. `null` in
 * a request means that the field is absent, unless it is refused.
 */
export function OptionalField(
  schema: ApiPropertyOptions = {},
  nullIs: 'absent' | 'refused' = 'absent',
): PropertyDecorator {
  const { type, format, enum: choices, isArray } = schema as SchemaOfField;
  const rules = [nullIs === 'absent' ? IsOptional() : ValidateIf((_, value) => value !== undefined)];
  if (format === 'date-time') rules.push(ToInstant());
  if (choices && Array.isArray(type)) {
    rules.push(IsIn(choices, { each: true }), ArrayUnique(), ArrayMaxSize(choices.length), ArrayMinSize(1));
  } else if (choices && !isArray) rules.push(IsIn(choices));
  return applyDecorators(ApiPropertyOptional(schema), ...rules);
}

interface SchemaOfField {
  readonly type?: unknown;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly isArray?: boolean;
}

const openSchemas = new Set<string>();

/** Documents that objects of this class may have more fields. */
export function KeepsUnknownFields(): ClassDecorator {
  return (target) => void openSchemas.add(target.name);
}

/** Marks the classes with `KeepsUnknownFields` as open in the document. */
export function withOpenSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas = { ...document.components?.schemas };
  for (const [name, schema] of Object.entries(schemas)) {
    if (openSchemas.has(name)) schemas[name] = { ...schema, additionalProperties: true };
  }
  return { ...document, components: { ...document.components, schemas } };
}

interface ProblemResponse {
  description: string;
  content: Record<string, { schema: { $ref: string }; examples: Record<string, { $ref: string }> }>;
}

/** Describes an error response with one of these codes, with an example for each. */
export function problemResponse(...codes: ErrorCode[]): ProblemResponse {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const);
  const media = { schema: { $ref: getSchemaPath(ProblemDto) }, examples: Object.fromEntries(examples) };
  return {
    description: codes.map((code) => `${code}: ${problemCodes[code].title}.`).join(' '),
    content: { 'application/problem+json': media },
  };
}

/** Codes by `Class_method` for routes, and by `Class` for all routes of a controller. */
const problems = new Map<string, readonly ErrorCode[]>();

/** Documents errors of a route or of all routes of a controller. */
export function ApiProblem(...codes: ErrorCode[]): MethodDecorator & ClassDecorator {
  const note = (target: object, method?: string | symbol): void => {
    const name = typeof target === 'function' ? target.name : `${target.constructor.name}_${String(method)}`;
    problems.set(name, [...codes, ...(problems.get(name) ?? [])]);
  };
  return applyDecorators(ApiExtraModels(ProblemDto), note);
}

/** Errors of routes that call upstream. */
export const upstreamFailures = [
  'upstream_rejected',
  'upstream_throttled',
  'upstream_unavailable',
  'upstream_contract',
] as const;

/** Error responses of an operation (`Class_method`), by status. */
export function problemsOf(operation: string): Record<string, ProblemResponse> {
  const [controller = ''] = operation.split('_');
  const codes = new Set([...(problems.get(operation) ?? []), ...(problems.get(controller) ?? [])]);
  const byStatus = groupedBy([...codes], (code) => problemCodes[code].status);
  return Object.fromEntries([...byStatus].map(([status, own]) => [status, problemResponse(...own)]));
}

/**
 * Columns of the command of a route, for people and as CSV, in order: fields of a row or of an object, also as paths
 * such as `redraw_told.at`. Without it: every field that is no object.
 */
export function Columns(...paths: string[]): MethodDecorator {
  return ApiExtension('x-columns', paths);
}

/** Documents a 200 with a page of `row`, or of several shapes. */
export function ApiPage(row: Type<unknown>, ...others: Type<unknown>[]): MethodDecorator & ClassDecorator {
  return ApiPageWith({}, row, ...others);
}

/** A page with further fields beside `data`, which are left out where they do not apply. */
export function ApiPageWith(
  fields: object,
  row: Type<unknown>,
  ...others: Type<unknown>[]
): MethodDecorator & ClassDecorator {
  const schema = pageSchema(fields, row, ...others);
  return applyDecorators(ApiExtraModels(row, ...others), ApiOkResponse({ schema }));
}

export function pageSchema(fields: object, row: Type<unknown>, ...others: Type<unknown>[]): object {
  const shapes = [row, ...others].map((shape) => ({ $ref: getSchemaPath(shape) }));
  return {
    type: 'object',
    required: ['data', 'next_cursor'],
    properties: {
      data: { type: 'array', items: others.length === 0 ? { $ref: getSchemaPath(row) } : { anyOf: shapes } },
      next_cursor: { type: ['string', 'null'], example: null },
      ...fields,
    },
  };
}
