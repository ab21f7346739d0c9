/** Texts that break out of their context if inserted unescaped into a statement, a path, a template or a terminal. */
export const injections: readonly string[] = [
  "' OR '1'='1",
  "'; DROP TABLE accounts; --",
  '" OR ""="',
  '1 UNION SELECT account_id FROM accounts',
  "1) OR SLEEP(5)=('",
  '%',
  '_%',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '$(id)`id`|id;id&id',
  '../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  '{"$gt":""}',
  '*)(uid=*))(|(uid=*',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'a\r\nset-cookie: stolen=1',
  'a\u0000b',
  '\u202eabc\u200b',
  '__proto__',
  'constructor',
  'x'.repeat(3_000),
];

/** Places beside the one that was meant, as a path can write them; they stand in place of a parameter as they are. */
export const detours: readonly string[] = [
  '..',
  '%2e%2e',
  '..%2f..%2faccounts',
  '%2e%2e%2f%2e%2e%2foverview',
  '..%5c..%5c',
  '%252e%252e%252f',
  '..;',
  '%c0%ae%c0%ae%c0%af',
  '%',
  '%zz',
  '%00',
  '.',
  '%2f',
  '*',
];

/** Headers that some servers believe more than the request itself. */
export const misleadingHeaders: readonly Readonly<Record<string, string | readonly string[]>>[] = [
  { 'x-http-method-override': 'DELETE' },
  { 'x-method-override': 'DELETE', 'x-http-method': 'DELETE' },
  { 'x-original-url': '/admin/v1/overview', 'x-rewrite-url': '/admin/v1/overview' },
  { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' },
  { 'x-forwarded-host': 'elsewhere.example.com', host: 'elsewhere.example.com' },
  { 'x-forwarded-proto': 'javascript', 'x-forwarded-prefix': '/..' },
  { 'x-user-id': 'operator', 'x-role': 'operator', 'x-authenticated-user': 'operator', 'remote-user': 'operator' },
  { cookie: 'authorization=Bearer operator-key; session=operator-key' },
  { 'proxy-authorization': 'Bearer operator-key', 'x-api-key': 'operator-key' },
  { origin: 'https://elsewhere.example.com', referer: 'https://elsewhere.example.com/' },
  { accept: 'application/xml', 'accept-encoding': 'gzip;q=-1, *;q=9', 'accept-language': '../../etc/passwd' },
  { range: 'bytes=0-0,0-0,0-0,1-999999999999', 'if-range': '"x"' },
  { traceparent: '00-00000000000000000000000000000000-0000000000000000-zz', 'x-request-id': "'; DROP TABLE --" },
  { connection: 'authorization, close', te: 'trailers' },
  { upgrade: 'websocket', connection: 'upgrade' },
];

interface Body {
  readonly name: string;
  readonly body: string | Buffer;
  readonly type?: string;
  readonly encoding?: string;
}

const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field_${index}`, index])));

/** Bodies that no operation asks for. */
export const bodies: readonly Body[] = [
  { name: 'nothing', body: '' },
  { name: 'no object', body: '[]' },
  { name: 'null', body: 'null' },
  { name: 'a text', body: '"text"' },
  { name: 'a number too large', body: '{"limit":1e309,"value":99999999999999999999999999}' },
  { name: 'deep', body: '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000) },
  { name: 'deep lists', body: '['.repeat(50_000) },
  { name: 'wide', body: wide },
  { name: 'the same field twice', body: '{"account_id":"nobody-here","account_id":{"a":1}}' },
  { name: 'a prototype', body: '{"__proto__":{"role":"operator"},"a":1}' },
  { name: 'a constructor', body: '{"constructor":{"prototype":{"role":"operator"}}}' },
  { name: 'a zero byte', body: '{"account_id":"a\\u0000b","provider":"\\u0000"}' },
  { name: 'half a character', body: '{"account_id":"\\ud800"}' },
  { name: 'bytes that are no text', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: 'a mark before the text', body: '\ufeff{"a":1}' },
  { name: 'an unfinished object', body: '{"a":' },
  { name: 'another type', body: '<a>1</a>', type: 'application/xml' },
  { name: 'an entity', body: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', type: 'text/xml' },
  { name: 'a form', body: 'account_id=x&role=operator', type: 'application/x-www-form-urlencoded' },
  { name: 'parts', body: '--x\r\n\r\na\r\n--x--', type: 'multipart/form-data; boundary=x' },
  { name: 'what says it is packed', body: '{"a":1}', encoding: 'gzip' },
  { name: 'a type that is none', body: '{"a":1}', type: 'application/json; charset=utf-7; __proto__=1' },
];
