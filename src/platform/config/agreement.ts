import { type Claims, claimsOf, isForManagement } from './api-keys.js';
import type { Sections } from './config.js';
import { isAll } from './parsers.js';
import { nearestName } from './similar-names.js';

/** A problem with the environment: the variable's name and a sentence without any value. */
export interface ConfigProblem {
  variable: string;
  problem: string;
}

/** Lacks the values that failed to parse. */
export type Read = { readonly [S in keyof Sections]: Partial<Sections[S]> };

const regionTokens: Record<string, string> = { us: 'us', eu: 'eu' };
const environmentTokens: Record<string, string> = { sandbox: 'sandbox', production: 'production', prod: 'production' };

/** Problems that concern more than one variable. */
export function disagreements(
  read: Read,
  knownResources: readonly string[],
  measures: readonly string[],
): ConfigProblem[] {
  return [
    ...keyProblems(read),
    ...addressProblems(read),
    ...roleProblems(read),
    ...databaseProblems(read),
    ...resourceProblems(read, knownResources),
    ...keepProblems(read, measures),
    ...peopleProblems(read),
    ...brokerProblems(read),
  ];
}

function keyProblems({ upstream }: Read): ConfigProblem[] {
  const key = upstream.apiKey?.current.reveal();
  if (key === undefined) return [];
  const claims = claimsOf(key);
  if (claims) return contradictions('UPSTREAM_API_KEY', claims, upstream);
  if (!isForManagement(key)) return [];
  return [
    { variable: 'UPSTREAM_API_KEY', problem: 'is a key for the management API, which this service does not use' },
  ];
}

/** Sign-in with an identity provider needs the issuer, the client and the roles together. */
function peopleProblems({ people }: Read): ConfigProblem[] {
  const needed = { OIDC_ISSUER: people.issuer, OIDC_CLIENT_ID: people.clientId, OIDC_ROLES: people.roles?.[0] };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const isUnused = missing.length === Object.keys(needed).length && people.clientSecret === undefined;
  return isUnused
    ? []
    : missing.map((variable) => ({ variable, problem: 'is required with the other OIDC variables' }));
}

/** A value that failed to parse has a problem of its own. */
function brokerProblems({ webhook }: Read): ConfigProblem[] {
  const { amqpServer: server, amqpQueue: queue } = webhook;
  const problem = 'is required: WEBHOOK_AMQP_URL and WEBHOOK_AMQP_QUEUE go together';
  if (server && 'amqpQueue' in webhook && queue === undefined) return [{ variable: 'WEBHOOK_AMQP_QUEUE', problem }];
  if (queue !== undefined && 'amqpServer' in webhook && !server) return [{ variable: 'WEBHOOK_AMQP_URL', problem }];
  return [];
}

/** A host such as `api.sandbox.eu.example.com` names its region and environment. The top-level domain is ignored. */
function addressProblems({ upstream }: Read): ConfigProblem[] {
  if (upstream.baseUrl === undefined) return [];
  const labels = new URL(upstream.baseUrl).hostname.split('.').slice(0, -1);
  const tokens = labels.flatMap((label) => label.split(/[-_]/));
  const claimed = (known: Record<string, string>): string[] =>
    tokens.flatMap((token) => (Object.hasOwn(known, token) ? (known[token] ?? []) : []));
  const claims = { region: claimed(regionTokens), environment: claimed(environmentTokens) };
  return contradictions('UPSTREAM_BASE_URL', claims, upstream);
}

function contradictions(variable: string, claims: Claims, upstream: Read['upstream']): ConfigProblem[] {
  return (['region', 'environment'] as const).flatMap((part) => {
    const expected = upstream[part];
    if (expected === undefined || claims[part].length === 0 || claims[part].includes(expected)) return [];
    return [{ variable, problem: `belongs to a different ${part} than UPSTREAM_${part.toUpperCase()}` }];
  });
}

function roleProblems({ role: { role }, database: { database } }: Read): ConfigProblem[] {
  if (role === undefined || role === 'all' || database?.kind !== 'sqlite') return [];
  return [{ variable: 'ROLE', problem: 'requires PostgreSQL in DATABASE_URL unless it is all' }];
}

function databaseProblems({ database: { key, readUrl, database } }: Read): ConfigProblem[] {
  if (readUrl && database?.kind === 'sqlite') {
    return [{ variable: 'DATABASE_READ_URL', problem: 'requires PostgreSQL in DATABASE_URL' }];
  }
  if (!key || database?.kind !== 'postgres') return [];
  return [{ variable: 'DATABASE_KEY', problem: 'requires SQLite in DATABASE_URL' }];
}

function resourceProblems({ sync: { resources = [] } }: Read, knownResources: readonly string[]): ConfigProblem[] {
  const named = isAll(resources) ? [] : resources;
  const unknown = named.flatMap((name, index) => (knownResources.includes(name) ? [] : [index + 1]));
  if (unknown.length === 0) return [];
  return [
    {
      variable: 'SYNC_RESOURCES',
      problem: `entry ${unknown.join(', ')} is not in the catalogue: ${knownResources.join(', ')}`,
    },
  ];
}

/** Hourly sums are enough for measures only: a total is merged from every interval of every source. */
function keepProblems({ retention: { sampleDays } }: Read, measures: readonly string[]): ConfigProblem[] {
  return (sampleDays?.named ?? []).flatMap((name, index) => {
    if (measures.includes(name)) return [];
    const nearest = nearestName(name, measures);
    const known = nearest === undefined ? `these are ${measures.join(', ')}` : `the nearest is ${nearest}`;
    return [
      { variable: 'SAMPLES_KEEP_DAYS', problem: `names as resource ${index + 1} none that is a measure: ${known}` },
    ];
  });
}
