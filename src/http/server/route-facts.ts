import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';

/** Health values of every resource, as the access log names them. */
export const everyResource = '*';
/** Lab results, as the access log names them. */
export const labResults = 'lab_results';
/** Documents of an order, as the access log names them. */
export const orderDocuments = 'order_documents';

/** Kinds of requests with separate limits, so that a flood of one kind does not take slots from another. */
export const limitNames = [
  'sign_in',
  'link',
  'labs',
  'results',
  'requests',
  'keys_upstream',
  'keys',
  'feed',
  'streams',
  'snapshots',
] as const;
export type LimitName = (typeof limitNames)[number];

/** What the server must know about a route besides its method, path and role. */
export interface RouteFacts {
  /** Who calls it; set by `@ForApp` and `@ForOperators`. None for a route without credentials. */
  readonly caller?: 'account' | 'key';
  /** Default: `requests` of accounts and `keys` of keys, which are for routes that do not wait for upstream. */
  readonly limit?: LimitName;
  /** It sends server-sent events to callers who accept them. */
  readonly streams?: true;
  /**
   * True if the access log records it for every caller, although it is for viewers. False if the access log never
   * records it, because it shows nothing about a person.
   */
  readonly recorded?: boolean;
  /** The body is a form (`multipart/form-data`) instead of JSON. */
  readonly takesForm?: true;
  /**
   * It reads much, for operators or copies of the data, and writes nothing: its reads may go to the replica of
   * DATABASE_READ_URL, which may take a moment more and shows the same.
   */
  readonly fromReplica?: true;
  /** What a read shows, if its parameters name no resource. */
  readonly shows?: typeof everyResource | typeof labResults | typeof orderDocuments;
}

/** Says beside the handler what its route is. */
export function RouteIs(facts: RouteFacts): MethodDecorator {
  return (_controller, _name, { value: handler }) =>
    tell(handler as object, { ...toldOf(handler as object), ...facts });
}

/** Says of all routes of a controller what their handlers do not say themselves. */
export function RoutesAre(facts: RouteFacts): ClassDecorator {
  return (controller) => {
    for (const handler of handlersOf(controller)) tell(handler, { ...facts, ...toldOf(handler) });
  };
}

/** The methods of a controller that are routes. */
export function handlersOf(controller: { readonly prototype: object }): { readonly name: string }[] {
  const members = Object.values(Object.getOwnPropertyDescriptors(controller.prototype)) as { value?: unknown }[];
  return members.flatMap(({ value }) =>
    typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value) ? [value] : [],
  );
}

/** The facts that decorators recorded of a handler. */
export function toldOf(handler: object): RouteFacts {
  return (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as RouteFacts | undefined) ?? {};
}

/** Empty for a route without facts and for no route at all. */
export function factsOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): RouteFacts {
  return (routeOptions.config as RouteFacts | undefined) ?? {};
}

function tell(handler: object, facts: RouteFacts): void {
  RouteConfig(facts)(handler as () => void);
}
