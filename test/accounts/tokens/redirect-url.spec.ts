import { redirectProblem, withAttempt } from '../../../src/accounts/tokens/redirect-url.js';

const allowed = ['https://app.example.com', 'http://localhost:8080'];

describe('a redirect address', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/done?x=1&y=%20',
    'https://app.example.com:443/done',
    'https://APP.example.com/done',
    'https://app.example.com?x=1',
    'http://localhost:8080/done',
    'https://app.example.com/@user',
  ])('may be %s', (address) => {
    expect(redirectProblem(address, allowed)).toBeNull();
  });

  it.each([
    '',
    'done',
    '/done',
    '//app.example.com/done',
    'https:app.example.com',
    'https:/app.example.com',
    'https:\\\\app.example.com',
    'https://app.example.com.evil.example/done',
    'https://evil.example/https://app.example.com',
    'https://evil.example?https://app.example.com',
    'https://sub.app.example.com/done',
    'https://app.example.com:8443/done',
    'http://app.example.com/done',
    'http://localhost/done',
    'javascript:alert(1)//https://app.example.com',
    'data:text/html,x',
    'blob:https://app.example.com/x',
    'app.example.com://done',
    'https://user@app.example.com/done',
    'https://user:pass@app.example.com/done',
    'https://@app.example.com/done',
    'https://app.example.com@evil.example/done',
    'https://app.example.com\\@evil.example/done',
    'https://app.example.com/done#top',
    'https://app.example.com/done#',
    ' https://app.example.com/done',
    'https://app.example.com/do ne',
    'https://app.example.com/do\nne',
    'https://app.example.com/\u0000',
    'https://app.example.com\t/done',
    'https://app.example.com/done?link_attempt_id=1',
    'https://app.example.com/done?link_attempt%5Fid=1',
    `https://app.example.com/${'x'.repeat(2_048)}`,
    'https://[::1/done',
  ])('may not be %j', (address) => {
    expect(redirectProblem(address, allowed)).not.toBeNull();
  });

  it('may not be set if no origin is allowed', () => {
    expect(redirectProblem('https://app.example.com', [])).not.toBeNull();
  });

  it.each([
    ['https://app.example.com', 'https://app.example.com/?link_attempt_id=a-1'],
    ['https://app.example.com/done', 'https://app.example.com/done?link_attempt_id=a-1'],
    ['https://app.example.com/done?', 'https://app.example.com/done?link_attempt_id=a-1'],
    ['https://app.example.com/done?x=a%20b', 'https://app.example.com/done?x=a%20b&link_attempt_id=a-1'],
  ])('%s carries the attempt as %s [linking-and-tokens#redirect]', (address, expected) => {
    expect(withAttempt(address, 'a-1')).toBe(expected);
  });
});
