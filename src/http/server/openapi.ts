import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  getSchemaPath,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { type ErrorCode, errorCodes } from '../../platform/platform/errors.js';
import { problemCodes } from './problem-codes.js';

class ProblemFieldDto {
  @ApiProperty({ example: 'limit' })
  field: string;

  @ApiProperty()
  message: string;
}

/** Error body in the OpenAPI document. */
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

const openSchemas = new Set<string>();

/** Documents objects of this class as open to more fields. */
export function KeepsUnknownFields(): ClassDecorator {
  return (target) => void openSchemas.add(target.name);
}

/** The document with the classes marked by `KeepsUnknownFields` open. */
export function withOpenSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas = { ...document.components?.schemas };
  for (const [name, schema] of Object.entries(schemas)) {
    if (openSchemas.has(name)) schemas[name] = { ...schema, additionalProperties: true };
  }
  return { ...document, components: { ...document.components, schemas } };
}

/** Documents the errors of a route; codes that share a status share an entry. */
export function ApiProblem(...codes: ErrorCode[]): MethodDecorator & ClassDecorator {
  const statuses = [...new Set(codes.map((code) => problemCodes[code].status))];
  const responses = statuses.map((status) =>
    ApiResponse({
      status,
      description: codes.filter((code) => problemCodes[code].status === status).join(', '),
      content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) } } },
    }),
  );
  return applyDecorators(ApiExtraModels(ProblemDto), ...responses);
}

/** Documents a 200 with a page of `row`, or of one of several shapes. */
export function ApiPage(row: Type<unknown>, ...others: Type<unknown>[]): MethodDecorator & ClassDecorator {
  const shapes = [row, ...others].map((shape) => ({ $ref: getSchemaPath(shape) }));
  return applyDecorators(
    ApiExtraModels(row, ...others),
    ApiOkResponse({
      schema: {
        type: 'object',
        required: ['data', 'next_cursor'],
        properties: {
          data: { type: 'array', items: others.length === 0 ? { $ref: getSchemaPath(row) } : { anyOf: shapes } },
          next_cursor: { type: ['string', 'null'], example: null },
        },
      },
    }),
  );
}
