import { pulledResources } from '../../health/catalogue/catalogue.js';
import { readConfig } from '../../platform/config/environment.js';
import { variables } from '../../platform/config/variables.js';
import { shownVariables } from './shown-variables.js';

const minimal = {
  UPSTREAM_BASE_URL: 'https://api.example.com',
  UPSTREAM_API_KEY: 'sk_us_x',
  UPSTREAM_REGION: 'us',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  WEBHOOK_SECRETS: `whsec_${Buffer.alloc(24).toString('base64')}`,
  ADMIN_API_KEYS: `ops:operator:${'0'.repeat(64)}`,
};

describe('the variables that Settings shows', () => {
  const shown = (given: Record<string, string>): ReturnType<typeof shownVariables> =>
    shownVariables(readConfig({ ...minimal, ...given }, pulledResources));

  it('are all that are no secrets', () => {
    const names = shown({ APP_JWT_SECRET: 'x'.repeat(32) }).map(({ name }) => name);
    const open = Object.values(variables).filter(({ secret }) => !secret);
    expect(names).toEqual(open.map(({ name }) => name));
    expect(names).toContain('APP_JWT_ANY_AUDIENCE');
    expect(names).not.toContain('APP_JWT_SECRET');
  });

  it('have the form in which they are configured', () => {
    const given = {
      DELETIONS: 'apply,oura:observe',
      APP_JWT_ANY_AUDIENCE: 'false',
      APP_JWT_JWKS_URL: 'https://login.example.com/keys',
      APP_JWT_ISSUER: 'https://login.example.com/',
      APP_JWT_AUDIENCE: 'https://api.example.com',
      OIDC_ISSUER: 'https://people.example.com',
      OIDC_CLIENT_ID: 'console',
      OIDC_ROLES: 'groups:sre=operator',
    };
    const values = Object.fromEntries(shown(given).map(({ name, value }) => [name, value]));
    expect(values).toMatchObject(given);
  });
});
