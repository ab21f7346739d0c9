import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** Health values of every resource, as the access log names them. */
export const everyResource = '*';
/** Lab results, as the access log names them. */
export const labResults = 'lab_results';
/** Documents of an order, as the access log names them. */
export const orderDocuments = 'order_documents';

/** What the server must know about a route besides its method, path and role. */
export interface RouteFacts {
  /** The body is a form (`multipart/form-data`) instead of JSON. */
  readonly takesForm?: true;
  /** What a read shows, if its parameters name no resource. */
  readonly shows?: typeof everyResource | typeof labResults | typeof orderDocuments;
}

/** Says beside the handler what its route is. Once for each handler: a second one replaces the first. */
export function RouteIs(facts: RouteFacts): MethodDecorator {
  return RouteConfig(facts);
}

/** Empty for a route without facts and for no route at all. */
export function factsOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): RouteFacts {
  return (routeOptions.config as RouteFacts | undefined) ?? {};
}
