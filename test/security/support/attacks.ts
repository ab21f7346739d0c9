import type { FuzzRequest } from '../../../chaos/fuzz/requests.js';
import { bodies, detours, injections, misleadingHeaders } from './hostile-values.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly 'x-roles'?: readonly string[];
}

/** An operation of the OpenAPI document. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Who asks: `secret` is what they send, `as` what the document would call them. */
export interface Caller {
  readonly name: string;
  readonly as: 'nobody' | 'app' | 'monitor' | 'viewer' | 'reader' | 'operator' | 'backend' | 'feed';
  readonly token: string | undefined;
}

/** One request that means harm, numbered by its place in the list. */
export interface Attack {
  /** Without any value. */
  readonly name: string;
  readonly caller: Caller;
  readonly isAdmitted: boolean;
  readonly request: FuzzRequest;
}

const json = 'application/json';
/**
 * A parameter unknown to every operation: a request that passes the guard is refused because of it and does nothing.
 */
const undeclared = 'no_such_field=1';

export function routesOf(document: { readonly paths: Readonly<Record<string, unknown>> }): Route[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export function isAdmitted({ path, operation }: Route, { as }: Caller): boolean {
  if (operation['x-roles']) return operation['x-roles'].includes(as);
  return !path.startsWith('/v1/') || as === 'app';
}

/**
 * Every route with every caller and every trick. `ids`, by names of path parameters, belong to a person whom no
 * caller may change. Callers with permission for a route get these ids only for reads.
 */
export function attacks(
  routes: readonly Route[],
  callers: readonly Caller[],
  ids: Readonly<Record<string, string>>,
): Attack[] {
  return routes
    .filter(({ path }) => path !== '/webhooks')
    .flatMap((route) => callers.flatMap((caller) => attacksOn(route, caller, ids)));
}

type Ids = Readonly<Record<string, string>>;
/** Changes to a request, by name. */
type Tricks = Readonly<Record<string, Partial<FuzzRequest>>>;

function attacksOn(route: Route, caller: Caller, ids: Ids): Attack[] {
  const { method, path, operation } = route;
  const admitted = isAdmitted(route, caller);
  const harmless = admitted && method !== 'GET';
  const auth: Record<string, string> = caller.token === undefined ? {} : { authorization: `Bearer ${caller.token}` };
  const place = filled(path, (name) => (harmless ? 'nobody-here' : (ids[name] ?? 'x')));
  const end = harmless ? `?${undeclared}` : '';
  const parameters = operation.parameters ?? [];
  const tricks: Tricks = {
    'nothing else': {},
    ...Object.assign(
      {},
      ...parameters.filter(({ in: where }) => where === 'query').map((each) => inQuery(place, each)),
    ),
    ...Object.assign(
      {},
      ...parameters.filter(({ in: where }) => where === 'path').map((each) => inPath(path, each, ids, end)),
    ),
    'more than is declared': {
      path: `${place}?account_id=${ids['account_id']}&user_id=x&role=operator&__proto__[a]=1`,
    },
    ...before(place, end),
    ...inHeaders(auth),
    ...(operation.requestBody !== undefined || method === 'GET' ? inBody() : {}),
  };
  return Object.entries(tricks).map(([trick, changed]) => ({
    name: `${method} ${path} by ${caller.name} with ${trick}`,
    caller,
    isAdmitted: admitted,
    request: { method, path: `${place}${end}`, body: undefined, ...changed, headers: { ...auth, ...changed.headers } },
  }));
}

function inQuery(place: string, { name }: Parameter): Tricks {
  const injected = injections.map((text, index) => [
    `injection ${index} in ${name}`,
    { path: `${place}?${name}=${encodeURIComponent(text)}&${undeclared}` },
  ]);
  return {
    ...(Object.fromEntries(injected) as Tricks),
    [`${name} twice`]: { path: `${place}?${name}=1&${name}=2&${undeclared}` },
    [`${name} as an object`]: { path: `${place}?${name}[__proto__][a]=1&${name}[]=2` },
  };
}

function inPath(path: string, { name }: Parameter, ids: Ids, end: string): Tricks {
  const texts = [...injections.map((text) => encodeURIComponent(text)), ...detours];
  const placed = texts.map((text, index) => [
    `text ${index} as ${name}`,
    { path: `${replaced(path, name, text, ids)}${end}` },
  ]);
  return Object.fromEntries(placed) as Tricks;
}

function before(place: string, end: string): Tricks {
  return Object.fromEntries(
    ['/', '/.', '/%2e', '/;'].map((text) => [`${text} before it`, { path: `${text}${place}${end}` }]),
  );
}

function inHeaders(auth: Readonly<Record<string, string>>): Tricks {
  const misleading = misleadingHeaders.map((headers) => [Object.keys(headers).join(' and '), { headers }]);
  return {
    ...(Object.fromEntries(misleading) as Tricks),
    'two tokens': { headers: { authorization: ['Bearer wrong-key', auth['authorization'] ?? 'Bearer x'] } },
    'two types': { headers: { 'content-type': [json, 'text/xml'] } },
  };
}

function inBody(): Tricks {
  const sent = bodies.map(({ name, body, type = json, encoding }) => {
    const headers = { 'content-type': type, ...(encoding === undefined ? {} : { 'content-encoding': encoding }) };
    return [`a body: ${name}`, { headers, body }];
  });
  return Object.fromEntries(sent) as Tricks;
}

const filled = (path: string, of: (name: string) => string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(of(name)));

/** The path with one parameter inserted unescaped; the others are the person's ids. */
function replaced(path: string, parameter: string, text: string, ids: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === parameter ? text : encodeURIComponent(ids[name] ?? 'x'),
  );
}
