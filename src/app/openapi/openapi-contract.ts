import { type OpenAPIObject } from '@nestjs/swagger';
import { accessReasonHeader, accessReasonPattern } from '../../http/auth/access-reason.js';
import { problemCodes } from '../../http/server/problem-codes.js';
import type { ErrorCode } from '../../platform/platform/errors.js';
import { mapOperations, type Operation, operationIdOf } from './openapi-operations.js';

/*
 * What holds for every operation and is said by none of them: its plain name, who may call it, the headers of its
 * answers, and the refusals that come before any handler.
 */

type Responses = Operation['responses'];

const header = (description: string, schema: object, example: unknown): object => ({ description, schema, example });

const headers = {
  RequestId: header('As given in the request, or made.', { type: 'string', maxLength: 64 }, 'b1946ac9-2f4c-4c3e'),
  RetryAfter: header('Seconds until the same request may be made again.', { type: 'integer', minimum: 1 }, 5),
  Authenticate: header('How to authenticate.', { type: 'string' }, 'Bearer'),
  RateLimit: header(
    "What is left of the caller's quota (r) and until all of it is there again, in seconds (t): draft-ietf-httpapi-ratelimit-headers-10.",
    { type: 'string' },
    '"requests";r=299;t=1',
  ),
  RateLimitPolicy: header(
    'The quota that counts here (q), in so many seconds (w).',
    { type: 'string' },
    '"requests";q=300;w=60',
  ),
};

const requestHeaders = [
  {
    name: 'x-request-id',
    in: 'header',
    required: false,
    description: 'Returned with the answer and named in the log. One that is none is replaced.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: 'checkout-1841',
  },
  {
    name: 'traceparent',
    in: 'header',
    required: false,
    description: 'W3C trace context; goes on to upstream and is named in the log. One that is none is replaced.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
];

const reasonHeader = {
  name: accessReasonHeader,
  in: 'header',
  required: false,
  description:
    'Why, such as the number of a ticket, and nothing about a person: it is kept with the entry of the access log. ' +
    'Where the service requires it, what is recorded is refused without it (access_reason_required).',
  schema: { type: 'string', pattern: accessReasonPattern.source },
  example: 'ticket 4711',
};

const headerRef = (name: keyof typeof headers): object => ({ $ref: `#/components/headers/${name}` });

/** The document with all that; applied last. */
export function withContract(document: OpenAPIObject): OpenAPIObject {
  const paths = mapOperations(document.paths, (operation, name, allowed) => ({
    ...operation,
    operationId: operationIdOf(name),
    description: [operation.description, admission(operation, name)].filter(Boolean).join(' '),
    security: operation.security ?? [],
    parameters: [...(operation.parameters ?? []), ...(operation['x-roles'] ? [reasonHeader] : []), ...requestHeaders],
    responses: withHeaders(
      { ...earlyRefusals(operation, name, allowed), ...operation.responses },
      operation.security !== undefined,
    ),
  }));
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]): [string, unknown] => [
    name,
    closed(schema),
  ]);
  return {
    ...document,
    paths: closed(paths) as OpenAPIObject['paths'],
    components: { ...document.components, headers, schemas: Object.fromEntries<unknown>(schemas) },
  } as OpenAPIObject;
}

function admission(operation: Operation, name: string): string {
  const roles = operation['x-roles'];
  if (roles) return `Admitted are keys of the roles ${roles.join(', ')}.`;
  if (operation.security) return 'About the person whom the access token names, or nobody.';
  return name === 'POST /webhooks'
    ? 'Admitted is who signs with a secret of this service.'
    : 'Open to everybody, without a login.';
}

function earlyRefusals(operation: Operation, name: string, allowed: string): Responses {
  const wrongMethod = {
    ...problem('method_not_allowed'),
    headers: { Allow: header('The methods of this path.', { type: 'string' }, allowed) },
  };
  // Deliveries are taken as the bytes they are, whatever type they claim.
  const hasJsonBody = operation.requestBody !== undefined && name !== 'POST /webhooks';
  const ofBody = { 413: problem('payload_too_large'), 415: problem('unsupported_media_type') };
  // Any route refuses fields that it does not declare.
  return { 400: problem('invalid_request'), 405: wrongMethod, ...(hasJsonBody ? ofBody : {}) };
}

function problem(code: ErrorCode): Responses[string] {
  return {
    description: `${code}: ${problemCodes[code].title}`,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDto' } } },
  };
}

/** `limited`: each caller has a quota, whose state goes with what is answered and with a 429. */
function withHeaders(responses: Responses, limited: boolean): Responses {
  const quota = { ratelimit: headerRef('RateLimit'), 'ratelimit-policy': headerRef('RateLimitPolicy') };
  const changed = Object.entries(responses).map(([status, response]) => {
    const own = {
      'x-request-id': headerRef('RequestId'),
      ...(['409', '429', '503'].includes(status) ? { 'retry-after': headerRef('RetryAfter') } : {}),
      ...(limited && /^(?:2..|429)$/.test(status) ? quota : {}),
      ...(status === '401' ? { 'www-authenticate': headerRef('Authenticate') } : {}),
    };
    const description = response.description || 'As described.';
    return [status, { ...response, description, headers: { ...own, ...response.headers } }];
  });
  return Object.fromEntries(changed) as Responses;
}

/** Closes every object that names its properties and does not say that it is open. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'example' || key === 'examples' ? value : closed(value)]),
  );
  const names = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return names && copy['additionalProperties'] === undefined ? { ...copy, additionalProperties: false } : copy;
}
