import 'reflect-metadata';
import { Body, Controller, Get, Module, Post, Query, ValidationPipe } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { PageQuery } from './page-query.js';
import { ProblemFilter } from './problem.filter.js';
import { UndeclaredInput } from './undeclared-input.js';
import { validationOptions } from './validation.js';

/**
 * A parameter decorator of our own with the key that Nest would give it; that is random and may begin like one of
 * Nest's kinds.
 */
function Own(name: string): ParameterDecorator {
  return (target, method, index) => {
    const key = `${name}__customRouteArgs__:${index}`;
    const own = { [key]: { index, factory: () => 'own', data: undefined, pipes: [] } };
    Reflect.defineMetadata(ROUTE_ARGS_METADATA, own, target.constructor, method ?? '');
  };
}

@Controller()
class ThingsController {
  @Get('plain')
  plain(): string {
    return 'plain';
  }

  @Get('list')
  list(@Query() query: PageQuery): number {
    return query.limit;
  }

  @Post('act')
  act(): string {
    return 'done';
  }

  @Post('like-a-query')
  likeAQuery(@Own('4fQ') own: string): string {
    return own;
  }

  @Post('like-a-body')
  likeABody(@Own('3fQ') own: string): string {
    return own;
  }

  @Post('keep')
  keep(@Body() body: PageQuery): number {
    return body.limit;
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('input that a route does not declare', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(ThingsModule, new FastifyAdapter(), { logger: false });
    const log = new Log({ level: 'error', destination: { write: () => undefined } });
    app.useGlobalPipes(new ValidationPipe(validationOptions));
    app.useGlobalFilters(new ProblemFilter(log, new Metrics()));
    app.useGlobalInterceptors(new UndeclaredInput());
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });

  afterAll(() => app.close());

  it.each([
    ['GET', '/plain', undefined, 200],
    ['GET', '/plain?colour=red', undefined, 400],
    ['GET', '/list?limit=5', undefined, 200],
    ['GET', '/list?colour=red', undefined, 400],
    ['POST', '/act', undefined, 201],
    ['POST', '/act', {}, 201],
    ['POST', '/act', { colour: 'red' }, 400],
    ['POST', '/act', ['red'], 400],
    ['POST', '/act?colour=red', undefined, 400],
    ['POST', '/like-a-query', undefined, 201],
    ['POST', '/like-a-query?colour=red', undefined, 400],
    ['POST', '/like-a-body', undefined, 201],
    ['POST', '/like-a-body', { colour: 'red' }, 400],
    ['POST', '/keep', { colour: 'red' }, 400],
    ['POST', '/keep?colour=red', {}, 400],
    ['GET', '/list?toString=red', undefined, 400],
    ['GET', '/list?__proto__=red', undefined, 400],
    ['POST', '/keep', { limit: 5, valueOf: 'red' }, 400],
    ['POST', '/keep', { limit: 5, constructor: 'red' }, 400],
  ] as const)('%s %s with body %j answers %i', async (method, url, payload, status) => {
    const answer = await app.inject({ method, url, ...(payload === undefined ? {} : { payload: payload as object }) });
    expect(answer.statusCode).toBe(status);
    if (status === 400) expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [expect.anything()] });
    expect(answer.body).not.toContain('red');
  });
});
