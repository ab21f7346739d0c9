import { adviceOn } from './upstream-checks.js';

describe('the check of upstream', () => {
  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /^; its certificate is for another host name$/],
    ['CERT_HAS_EXPIRED', /^; its certificate is not valid now$/],
    ['ECONNREFUSED', /^$/],
  ])('says after %s what helps', (code, advice) => {
    expect(adviceOn(code)).toMatch(advice);
  });
});
