import { nameOf, roleOf } from './person-claims.js';

const roles = [
  { claim: 'groups', value: 'sre', role: 'operator' },
  { claim: 'groups', value: 'support', role: 'viewer' },
  { claim: 'department', value: 'care', role: 'reader' },
] as const;

describe('roleOf', () => {
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
