import { completed, isChosen, isFree, isUnverifiable, verifierOf } from './claim-rules.js';

describe('claims that people choose', () => {
  it.each([
    'name',
    'Preferred_Username',
    'https://example.com/nickname',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
    'zoneinfo',
  ])('include %s', (claim) => {
    expect([isFree(claim), isChosen(claim)]).toEqual([true, true]);
  });

  it.each(['username', 'upn', 'emails', 'mail', 'https://example.com/emailaddress'])(
    'or that others may change include %s',
    (claim) => expect([isFree(claim), isChosen(claim)]).toEqual([false, true]),
  );

  it.each(['sub', 'oid', 'uid', 'groups', 'email', 'hd', 'https://example.com/roles', 'cognito:username'])(
    'do not include %s',
    (claim) => expect(isChosen(claim)).toBe(false),
  );
});

describe('an address', () => {
  it('inside another claim cannot be verified', () => {
    const claims = ['user.email', 'https://example.com/me.phone_number', 'email', 'https://example.com/email', 'a.b'];
    expect(claims.map(isUnverifiable)).toEqual([true, true, false, false, false]);
    expect(claims.map(isChosen)).toEqual([true, true, false, false, false]);
  });

  it('is verified by the claim of the same namespace', () => {
    expect(['email', 'phone_number', 'https://example.com/email', 'groups', 'toString'].map(verifierOf)).toEqual([
      'email_verified',
      'phone_number_verified',
      'https://example.com/email_verified',
      null,
      null,
    ]);
  });

  const [mine, boss] = ['me@example.com', 'boss@example.com'];

  it.each([
    ['of userinfo counts', {}, { email: mine, email_verified: true }, [mine, true]],
    ['is verified by userinfo', { email: mine }, { email: mine, email_verified: true }, [mine, true]],
    ['is not verified by that of userinfo', { email: boss }, { email: mine, email_verified: true }, [boss, undefined]],
    ['is not verified without one in userinfo', { email: boss }, { email_verified: true }, [boss, undefined]],
    ['of userinfo is not verified before', { email_verified: true }, { email: boss }, [boss, undefined]],
    [
      'is refused by the token',
      { email: mine, email_verified: false },
      { email: mine, email_verified: true },
      [mine, false],
    ],
  ])('of the token and userinfo: %s', (_, identity, userinfo, [email, verified]) => {
    const claims = completed({ sub: '1', ...identity }, { sub: '1', groups: ['sre'], ...userinfo });
    expect(claims).toMatchObject({ sub: '1', groups: ['sre'], email });
    expect(claims['email_verified']).toBe(verified);
  });
});
