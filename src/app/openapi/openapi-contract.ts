import { type OpenAPIObject } from '@nestjs/swagger';
import { accessReasonHeader, accessReasonPattern } from '../../http/auth/access-reason.js';
import { isTagged } from '../../http/server/entity-tags.js';
import { problemResponse, problemsOf } from '../../http/server/openapi.js';
import { mapOperations, type Operation } from './openapi-operations.js';

/*
 * Adds what controllers do not declare to every operation: operation id, permitted callers, response headers, and the
 * errors that occur before a handler runs.
 */

type Responses = Operation['responses'];

const header = (description: string, schema: object, example: unknown): object => ({ description, schema, example });

const headers = {
  RequestId: header(
    'Id sent with the request, or a generated one.',
    { type: 'string', maxLength: 64 },
    'b1946ac9-2f4c-4c3e',
  ),
  RetryAfter: header('Seconds to wait before repeating the request.', { type: 'integer', minimum: 1 }, 5),
  Authenticate: header('How to authenticate.', { type: 'string' }, 'Bearer'),
  RateLimit: header(
    'Remaining quota of the caller (r) and seconds until it is fully restored (t): draft-ietf-httpapi-ratelimit-headers-10.',
    { type: 'string' },
    '"requests";r=299;t=1',
  ),
  RateLimitPolicy: header(
    'Quota of the caller (q) per window in seconds (w).',
    { type: 'string' },
    '"requests";q=300;w=60',
  ),
};

const parameter = (name: string, description: string, pattern: string | undefined, example: string): object => {
  const schema = { type: 'string', ...(pattern === undefined ? {} : { pattern }) };
  return { name, in: 'header', required: false, description, schema, example };
};

const requestHeaders = [
  parameter(
    'x-request-id',
    'Echoed in the response and logged. An invalid value is replaced.',
    '^[A-Za-z0-9_-]{1,64}$',
    'checkout-1841',
  ),
  parameter(
    'traceparent',
    'W3C trace context; forwarded to upstream and logged. An invalid value is replaced.',
    '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ),
];

const reasonHeader = parameter(
  accessReasonHeader,
  'Reason for the access, e.g. a ticket number; stored in the access log, so it must not contain personal data. ' +
    'Required on recorded operations when ACCESS_LOG_REASONS=required (else 400 access_reason_required).',
  accessReasonPattern.source,
  'ticket 4711',
);

const knownTag = 'W/"2cXz0FhI7VbVZtq1mGx0v0QzM3E"';
const knownTagHeader = parameter('if-none-match', 'ETag of a response you already have.', undefined, knownTag);

function isTaggedRead(name: string): boolean {
  const [method, route = ''] = name.split(' ');
  return method === 'GET' && isTagged(route);
}

function withTag(responses: Responses): Responses {
  const etag = header('Version of the response; ages are ignored.', { type: 'string' }, knownTag);
  const shown = responses['200'] ?? { description: '' };
  return {
    ...responses,
    200: { ...shown, headers: { etag, ...shown.headers } },
    304: { description: 'Not modified: you have this version.', headers: { etag } },
  };
}

const headerRef = (name: keyof typeof headers): object => ({ $ref: `#/components/headers/${name}` });

/** Apply this last. */
export function withContract(document: OpenAPIObject): OpenAPIObject {
  const paths = mapOperations(document.paths, (operation, name, allowed) => ({
    ...operation,
    operationId: methodOf(operation),
    // App developers find all their calls together, regardless of room.
    ...(name.includes(' /v1/me') ? { tags: ['me'] } : {}),
    description: [operation.description, admission(operation, name)].filter(Boolean).join(' '),
    security: operation.security ?? [],
    parameters: [
      ...(operation.parameters ?? []).map(commaSeparated),
      ...(isTaggedRead(name) ? [knownTagHeader] : []),
      ...(operation['x-roles'] ? [reasonHeader] : []),
      ...requestHeaders,
    ],
    responses: withHeaders(
      {
        ...earlyRefusals(operation, name, allowed),
        ...problemsOf(operation.operationId ?? ''),
        ...(isTaggedRead(name) ? withTag(operation.responses) : operation.responses),
      },
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

/** Lists in a query are one text, separated by commas. */
function commaSeparated(parameter: object): object {
  const { in: place, schema } = parameter as { in?: string; schema?: { type?: unknown } };
  return place === 'query' && schema?.type === 'array' ? { ...parameter, style: 'form', explode: false } : parameter;
}

/** Nest names operations `Class_method`; clients get only the method name. */
function methodOf({ operationId = '' }: Operation): string {
  return operationId.slice(operationId.indexOf('_') + 1);
}

function admission(operation: Operation, name: string): string {
  const roles = operation['x-roles'];
  if (roles?.length === 1) return `Requires the role ${roles[0]}.`;
  if (roles) return `Requires one of the roles ${roles.join(', ')}.`;
  if (operation.security) return 'Acts on the account of the access token only.';
  return name === 'POST /webhooks'
    ? 'The request must be signed with a configured webhook secret.'
    : 'Public: needs no authentication.';
}

function earlyRefusals(operation: Operation, name: string, allowed: string): Responses {
  const wrongMethod = {
    ...problemResponse('method_not_allowed'),
    headers: { Allow: header('Supported methods of this path.', { type: 'string' }, allowed) },
  };
  // Deliveries may have any content type.
  const hasJsonBody = operation.requestBody !== undefined && name !== 'POST /webhooks';
  const ofBody = { 413: problemResponse('payload_too_large'), 415: problemResponse('unsupported_media_type') };
  // Every route rejects undeclared fields.
  return { 400: problemResponse('invalid_request'), 405: wrongMethod, ...(hasJsonBody ? ofBody : {}) };
}

const successes: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted; the work continues in the background.',
  204: 'Done; no body.',
};

/** `limited`: callers have a quota; successful responses and 429 report its state. */
function withHeaders(responses: Responses, limited: boolean): Responses {
  const quota = { ratelimit: headerRef('RateLimit'), 'ratelimit-policy': headerRef('RateLimitPolicy') };
  const changed = Object.entries(responses).map(([status, response]) => {
    const own = {
      'x-request-id': headerRef('RequestId'),
      ...(['409', '429', '503'].includes(status) ? { 'retry-after': headerRef('RetryAfter') } : {}),
      ...(limited && /^(?:2..|429)$/.test(status) ? quota : {}),
      ...(status === '401' ? { 'www-authenticate': headerRef('Authenticate') } : {}),
    };
    const description = (response.description || successes[status]) ?? '';
    return [status, { ...response, description, headers: { ...own, ...response.headers } }];
  });
  return Object.fromEntries(changed) as Responses;
}

/** Sets `additionalProperties: false` on every object that has properties and does not set it. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'example' || key === 'examples' ? value : closed(value)]),
  );
  const names = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return names && copy['additionalProperties'] === undefined ? { ...copy, additionalProperties: false } : copy;
}
