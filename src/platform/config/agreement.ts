import type { Values } from './variables.js';

/** A problem with the environment: the variable's name and a sentence without any value. */
export interface ConfigProblem {
  variable: string;
  problem: string;
}

type Read = Partial<Values>;

/** Regions and environments that a key or an address names. */
type Claims = { region: string[]; environment: string[] };

/** p for production, s for sandbox, then the region (docs/upstream/environments.md#key-prefixes). */
const keyPrefixes: Record<string, Claims> = {
  pk_us_: { region: ['us'], environment: ['production'] },
  pk_eu_: { region: ['eu'], environment: ['production'] },
  sk_us_: { region: ['us'], environment: ['sandbox'] },
  sk_eu_: { region: ['eu'], environment: ['sandbox'] },
};

const regionTokens: Record<string, string> = { us: 'us', eu: 'eu' };
const environmentTokens: Record<string, string> = { sandbox: 'sandbox', production: 'production', prod: 'production' };

/** Problems that concern more than one variable. `values` lacks variables that failed to parse. */
export function disagreements(values: Read, knownResources: readonly string[]): ConfigProblem[] {
  return [
    ...keyProblems(values),
    ...addressProblems(values),
    ...roleProblems(values),
    ...databaseKeyProblems(values),
    ...resourceProblems(values, knownResources),
    ...peopleProblems(values),
  ];
}

function keyProblems(values: Read): ConfigProblem[] {
  const key = values.UPSTREAM_API_KEY?.reveal();
  if (key === undefined) return [];
  const prefix = Object.keys(keyPrefixes).find((candidate) => key.startsWith(candidate));
  const claims = keyPrefixes[prefix ?? ''];
  if (claims) return contradictions('UPSTREAM_API_KEY', claims, values);
  if (!key.startsWith(managementPrefix)) return [];
  return [
    { variable: 'UPSTREAM_API_KEY', problem: 'is a key for the management API, which this service does not use' },
  ];
}

/** Sign-in with an identity provider needs the issuer, the client and the roles together. */
function peopleProblems(values: Read): ConfigProblem[] {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_ROLES'] as const;
  const missing = names.filter((name) => values[name] === undefined);
  const isUnused = missing.length === names.length && values.OIDC_CLIENT_SECRET === undefined;
  return isUnused
    ? []
    : missing.map((variable) => ({ variable, problem: 'is required with the other OIDC variables' }));
}

const managementPrefix = 'mg_';

/** False for a key whose prefix names no region and environment, so that it cannot be checked against them. */
export function tellsWhereItBelongs(key: string): boolean {
  return Object.keys(keyPrefixes).some((prefix) => key.startsWith(prefix));
}

/** A host such as `api.sandbox.eu.example.com` names its region and environment. The top-level domain is ignored. */
function addressProblems(values: Read): ConfigProblem[] {
  if (values.UPSTREAM_BASE_URL === undefined) return [];
  const labels = new URL(values.UPSTREAM_BASE_URL).hostname.split('.').slice(0, -1);
  const tokens = labels.flatMap((label) => label.split(/[-_]/));
  const claimed = (known: Record<string, string>): string[] =>
    tokens.flatMap((token) => (Object.hasOwn(known, token) ? (known[token] ?? []) : []));
  const claims = { region: claimed(regionTokens), environment: claimed(environmentTokens) };
  return contradictions('UPSTREAM_BASE_URL', claims, values);
}

function contradictions(variable: string, claims: Claims, values: Read): ConfigProblem[] {
  const configured = { region: values.UPSTREAM_REGION, environment: values.UPSTREAM_ENVIRONMENT };
  return (['region', 'environment'] as const).flatMap((part) => {
    const expected = configured[part];
    if (expected === undefined || claims[part].length === 0 || claims[part].includes(expected)) return [];
    return [{ variable, problem: `belongs to a different ${part} than UPSTREAM_${part.toUpperCase()}` }];
  });
}

function roleProblems({ ROLE: role, DATABASE_URL: database }: Read): ConfigProblem[] {
  if (role === undefined || role === 'all' || database?.kind !== 'sqlite') return [];
  return [{ variable: 'ROLE', problem: 'requires PostgreSQL in DATABASE_URL unless it is all' }];
}

function databaseKeyProblems({ DATABASE_KEY: key, DATABASE_URL: database }: Read): ConfigProblem[] {
  if (!key || database?.kind !== 'postgres') return [];
  return [{ variable: 'DATABASE_KEY', problem: 'requires SQLite in DATABASE_URL' }];
}

function resourceProblems({ SYNC_RESOURCES: names }: Read, knownResources: readonly string[]): ConfigProblem[] {
  const unknown = (names ?? []).flatMap((name, index) => (knownResources.includes(name) ? [] : [index + 1]));
  if (unknown.length === 0) return [];
  return [
    {
      variable: 'SYNC_RESOURCES',
      problem: `entry ${unknown.join(', ')} is not in the catalogue: ${knownResources.join(', ')}`,
    },
  ];
}
