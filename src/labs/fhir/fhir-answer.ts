import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Bundle, fhirType } from './fhir-resources.js';

/** Documents a route that answers with `type`, or with a Bundle if the caller accepts FHIR. */
export function ApiOkOrFhir(
  type: Type,
  headers: Readonly<Record<string, { schema: { type: 'string' } }>> = {},
): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'accept', required: false, description: `\`${fhirType}\`: as a Bundle of FHIR R4.` }),
    ApiExtraModels(type),
    ApiOkResponse({
      headers: { ...headers },
      content: {
        'application/json': { schema: { $ref: getSchemaPath(type) } },
        [fhirType]: {
          schema: {
            type: 'object',
            additionalProperties: true,
            required: ['resourceType', 'type', 'entry'],
            properties: {
              resourceType: { type: 'string', enum: ['Bundle'] },
              type: { type: 'string', enum: ['collection'] },
              entry: { type: 'array', items: { type: 'object', additionalProperties: true } },
            },
          },
        },
      },
    }),
  );
}

/** True if the caller names FHIR among the types that it accepts. */
export function acceptsFhir(accept = ''): boolean {
  return accept.split(',').some((part) => {
    const [type, ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    return type === fhirType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The answer differs by the caller's `accept`. */
export function varies(reply: FastifyReply): void {
  void reply.header('vary', 'accept');
}

export function asFhir(reply: FastifyReply, bundle: Bundle): Bundle {
  void reply.type(`${fhirType}; charset=utf-8`);
  return bundle;
}
