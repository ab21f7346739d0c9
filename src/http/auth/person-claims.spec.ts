import { grantOf, nameOf, withoutEffect } from './person-claims.js';

const roles = [
  { claim: 'groups', value: 'sre', role: 'operator' },
  { claim: 'groups', value: 'support', role: 'viewer' },
  { claim: 'department', value: 'care', role: 'reader' },
] as const;

const roleOf = (claims: Record<string, unknown>, entries: Parameters<typeof grantOf>[1]): string | null =>
  grantOf(claims, entries)?.role ?? null;

describe('the role', () => {
  it.each([
    [{ groups: ['support'] }, 'viewer'],
    [{ groups: ['support', 'sre'] }, 'operator'],
    [{ groups: ['support'], department: 'care' }, 'reader'],
    [{ groups: 'sre' }, 'operator'],
    [{ groups: ['sre2'] }, null],
    [{ groups: { sre: true } }, null],
    [{}, null],
  ])('of %j is %s', (claims, role) => {
    expect(roleOf(claims, roles)).toBe(role);
  });

  it('by an address counts only if the issuer has verified it', () => {
    const byAddress = [
      { claim: 'email', value: 'boss@example.com', role: 'operator' },
      { claim: 'phone_number', value: '+12025550100', role: 'viewer' },
    ] as const;
    const email = 'boss@example.com';
    const phone = { phone_number: '+12025550100' };
    for (const unverified of [undefined, false, 'false', 1, 'yes', null]) {
      expect(roleOf({ email, email_verified: unverified, ...phone }, byAddress)).toBeNull();
    }
    expect(roleOf({ email, email_verified: true }, byAddress)).toBe('operator');
    expect(roleOf({ email, email_verified: 'true' }, byAddress)).toBe('operator');
    expect(roleOf({ ...phone, phone_number_verified: true }, byAddress)).toBe('viewer');
  });

  it.each(['preferred_username', 'name', 'nickname', 'upn', 'unique_name', 'profile'])(
    'is never given by %s, which people may choose',
    (claim) => {
      const entry = { claim, value: 'boss', role: 'operator' } as const;
      expect(roleOf({ [claim]: 'boss' }, [entry])).toBeNull();
      expect(withoutEffect([entry])).toEqual([entry]);
    },
  );

  it('may be a key of an object, as at Zitadel', () => {
    const claim = 'urn:zitadel:iam:org:project:roles';
    const held = { [claim]: { sre: { '2931': 'ops.example.com' }, off: false } };
    expect(roleOf(held, [{ claim, value: 'sre', role: 'operator' }])).toBe('operator');
    for (const value of ['off', 'toString', '2931']) {
      expect(roleOf(held, [{ claim, value, role: 'operator' }])).toBeNull();
    }
  });

  it('may be inside other claims, as at Keycloak', () => {
    const claims = { realm_access: { roles: ['sre'] }, resource_access: { console: { roles: ['support', 17] } } };
    const of = (claim: string, value: string): string | null => roleOf(claims, [{ claim, value, role: 'operator' }]);
    expect(of('realm_access.roles', 'sre')).toBe('operator');
    expect(of('resource_access.console.roles', 'support')).toBe('operator');
    expect(of('resource_access.console.roles', '17')).toBe('operator');
    for (const claim of ['realm_access', 'realm_access.roles.0', 'realm_access.constructor.name', '.roles', 'roles']) {
      expect(of(claim, 'sre')).toBeNull();
    }
  });

  it('may be inside claims whose names have dots, as the ids of clients do', () => {
    const claim = 'resource_access.pulse.example.com.roles';
    const entry = { claim, value: 'sre', role: 'operator' } as const;
    expect(roleOf({ resource_access: { 'pulse.example.com': { roles: ['sre'] } } }, [entry])).toBe('operator');
    expect(roleOf({ resource_access: { pulse: {}, 'pulse.example.com': { roles: ['dev'] } } }, [entry])).toBeNull();
  });

  it('is read from the claim with that name before a path of the same name', () => {
    const claims = { 'team.role': ['viewer'], team: { role: ['sre'] }, 'https://example.com/team': { role: ['sre'] } };
    expect(roleOf(claims, [{ claim: 'team.role', value: 'sre', role: 'operator' }])).toBeNull();
    const namespaced = { claim: 'https://example.com/team.role', value: 'sre', role: 'operator' } as const;
    expect(roleOf(claims, [namespaced])).toBe('operator');
  });

  it.each(['user.email', 'user_metadata.role', 'access.profile.role', 'https://example.com/user.phone_number'])(
    'is never given by %s, which people may choose or nobody verifies',
    (claim) => {
      const held = { user: { email: 'boss', phone_number: 'boss' }, user_metadata: { role: 'boss' } };
      const all = { ...held, access: { profile: { role: 'boss' } }, 'https://example.com/user': held.user };
      expect(roleOf(all, [{ claim, value: 'boss', role: 'operator' }])).toBeNull();
    },
  );

  it('ignores inherited property names', () => {
    expect(roleOf({}, [{ claim: 'constructor', value: 'Object', role: 'operator' }])).toBeNull();
  });
});

describe('nameOf', () => {
  const issuer = 'https://login.example.com/realm';

  it.each([
    [{ sub: '1', email: 'Jane@Example.com', email_verified: true }, 'jane@example.com'],
    [{ sub: '1', email: 'jane@example.com', email_verified: false }, '1@login.example.com'],
    [{ sub: 'u-17' }, 'u-17@login.example.com'],
    [{ sub: 'u-17', preferred_username: 'ops key' }, 'u-17@login.example.com'],
  ])('of %j is %s', (claims, name) => {
    expect(nameOf(claims, issuer)).toBe(name);
  });

  it('of two people who chose the same name differs', () => {
    const [first, second] = ['1', '2'].map((sub) => nameOf({ sub, preferred_username: 'jane' }, issuer));
    expect(first).toMatch(/^jane\+[0-9a-f]{8}@login\.example\.com$/);
    expect(second).toMatch(/^jane\+/);
    expect(second).not.toBe(first);
  });

  it('is a digest for a subject that is not a name', () => {
    expect(nameOf({ sub: 'a|b c' }, issuer)).toMatch(/^[0-9a-f]{16}@login\.example\.com$/);
  });
});
