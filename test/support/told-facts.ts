import { ModulesContainer } from '@nestjs/core';
import { handlersOf, type RouteFacts, toldOf } from '../../src/http/server/route-facts.js';
import type { TestApp } from './test-app.js';

/** What the decorators say of each route, by operation id. */
export function toldFacts(app: TestApp): ReadonlyMap<string, RouteFacts> {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const handlers = controllers.flatMap(({ metatype }) => handlersOf(metatype as { prototype: object }));
  return new Map(handlers.map((handler) => [handler.name, toldOf(handler)]));
}
