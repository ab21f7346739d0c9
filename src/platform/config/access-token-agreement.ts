import type { ConfigProblem } from './agreement.js';
import { isFree, isUnverifiable } from './claim-rules.js';
import { ofIssuers } from './of-issuers.js';
import { InvalidValue } from './parsers.js';
import { type Environment, valueOf } from './sources.js';
import { baseAddress } from './web-addresses.js';

/**
 * Contradictions and gaps among the variables of access tokens. Judged on the given texts, because a malformed secret
 * is still a secret that was set.
 * A key set alone identifies no issuer: identity providers sign the tokens of many projects and applications with the
 * same keys. So it needs an issuer, and an audience or client ids.
 */
export function accessTokenProblems(environment: Environment): ConfigProblem[] {
  const given = (...names: string[]): boolean => names.some((name) => valueOf(environment[name]) !== undefined);
  const hasSecret = given('APP_JWT_SECRET', 'APP_JWT_SECRET_FILE');
  const hasAddress = given('APP_JWT_JWKS_URL');
  const hasIssuer = given('APP_JWT_ISSUER');
  if (hasSecret && hasAddress)
    return [{ variable: 'APP_JWT_JWKS_URL', problem: 'and APP_JWT_SECRET must not both be set' }];
  if (hasSecret) return [...audienceProblems(environment, { isRequired: false }), ...issuerProblems(environment)];
  if (!hasAddress && !hasIssuer) {
    const problem = 'or APP_JWT_SECRET is required, or APP_JWT_ISSUER alone for OIDC discovery';
    return [{ variable: 'APP_JWT_JWKS_URL', problem }];
  }
  return [
    ...(hasAddress ? [] : discoveryProblems(environment)),
    ...(hasIssuer ? [] : [{ variable: 'APP_JWT_ISSUER', problem: 'is required with APP_JWT_JWKS_URL' }]),
    ...audienceProblems(environment, { isRequired: true }),
    ...issuerProblems(environment),
    ...accountProblems(environment),
  ];
}

/** A person who may choose the claim could choose the account of another person. */
function accountProblems(environment: Environment): ConfigProblem[] {
  const variable = 'APP_JWT_ACCOUNT_CLAIM';
  const claim = valueOf(environment[variable]) ?? '';
  if (!isFree(claim) && !isUnverifiable(claim)) return [];
  return [{ variable, problem: 'must not be a claim that people may change to that of another person: use sub' }];
}

/**
 * Several issuers sign tokens independently of each other, so that the same claim may name two people, and what is an
 * audience of one may be anything at another.
 */
function issuerProblems(environment: Environment): ConfigProblem[] {
  const entriesOf = (name: string): string[] => (valueOf(environment[name]) ?? '').split(',').map((one) => one.trim());
  const issuers = [...new Set(entriesOf('APP_JWT_ISSUER'))].filter((one) => one !== '');
  if (issuers.length < 2) return [];
  const unpaired = ['APP_JWT_AUDIENCE', 'APP_JWT_CLIENT_IDS'].filter((name) => {
    const entries = ofIssuers(entriesOf(name), issuers);
    return entries.length > 1 && entries.some(({ issuer }) => issuer === undefined);
  });
  const hasScope = valueOf(environment['APP_JWT_ACCOUNTS']) !== undefined;
  return [
    ...unpaired.map((variable) => ({
      variable,
      problem: 'must have entries of the form ISSUER VALUE with several issuers',
    })),
    ...(hasScope ? [] : [{ variable: 'APP_JWT_ACCOUNTS', problem: 'is required with several issuers' }]),
  ];
}

function audienceProblems(environment: Environment, { isRequired }: { isRequired: boolean }): ConfigProblem[] {
  const isRestricted = ['APP_JWT_AUDIENCE', 'APP_JWT_CLIENT_IDS'].some((name) => valueOf(environment[name]));
  const acceptsAny = valueOf(environment['APP_JWT_ANY_AUDIENCE']) === 'true';
  if (isRestricted && acceptsAny) {
    const problem = 'must not be true if APP_JWT_AUDIENCE or APP_JWT_CLIENT_IDS is set';
    return [{ variable: 'APP_JWT_ANY_AUDIENCE', problem }];
  }
  if (isRestricted || acceptsAny || !isRequired) return [];
  const problem =
    'or APP_JWT_CLIENT_IDS is required with a key set; APP_JWT_ANY_AUDIENCE=true accepts every application of the issuer';
  return [{ variable: 'APP_JWT_AUDIENCE', problem }];
}

function discoveryProblems(environment: Environment): ConfigProblem[] {
  const issuer = valueOf(environment['APP_JWT_ISSUER']) ?? '';
  try {
    if (issuer.includes(',')) throw new InvalidValue('must be a single address');
    baseAddress(issuer);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const problem = `${error.message} for OIDC discovery; otherwise set APP_JWT_JWKS_URL`;
    return [{ variable: 'APP_JWT_ISSUER', problem }];
  }
}
