import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { ApiPage, ApiProblem, problemsOf } from './openapi.js';

class ThingDto {
  @ApiProperty()
  name: string;
}

@Controller()
@ApiProblem('unauthorized', 'conflict')
class ThingController {
  @Get('things')
  @ApiPage(ThingDto)
  @ApiProblem('invalid_request', 'idempotency_key_required', 'not_found')
  @ApiProblem('account_erased')
  things(): void {}

  @Get('others')
  others(): void {}
}

@Module({ controllers: [ThingController] })
class ThingModule {}

describe('OpenAPI helpers', () => {
  it('describe pages and problems of a route', async () => {
    const app = await NestFactory.create<NestFastifyApplication>(ThingModule, new FastifyAdapter(), { logger: false });
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build());
    await app.close();
    const { operationId = '', responses = {} } = document.paths['/things']?.get ?? {};
    expect(Object.keys(responses)).toEqual(['200']);
    const problems = problemsOf(operationId);
    expect(Object.keys(problems)).toEqual(['400', '401', '404', '409']);
    expect(problems['400']).toEqual({
      description: 'invalid_request: The request is invalid. idempotency_key_required: An idempotency key is required.',
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/ProblemDto' },
          examples: {
            invalid_request: { $ref: '#/components/examples/invalid_request' },
            idempotency_key_required: { $ref: '#/components/examples/idempotency_key_required' },
          },
        },
      },
    });
    // Combines several decorators and the controller's.
    expect(problems['409']?.description).toMatch(/^account_erased: .* conflict: /);
    expect(Object.keys(problemsOf(document.paths['/others']?.get?.operationId ?? ''))).toEqual(['401', '409']);
    expect(responses['200']).toMatchObject({
      content: {
        'application/json': {
          schema: {
            properties: {
              data: { type: 'array', items: { $ref: '#/components/schemas/ThingDto' } },
              next_cursor: { type: ['string', 'null'] },
            },
          },
        },
      },
    });
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(
      expect.arrayContaining(['ProblemDto', 'ProblemFieldDto', 'ThingDto']),
    );
  });
});
