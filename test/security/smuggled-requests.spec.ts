import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

/** What a proxy before the service and the service itself could read differently: each hides a second request. */
const hidden = 'GET /livez?smuggled HTTP/1.1\r\nhost: a\r\n\r\n';
const head = 'POST /v1/me/sign-in-token HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
const smuggled: Readonly<Record<string, string>> = {
  'a length and chunks': `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  'chunks and a length': `${head}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n${hidden}`,
  'two lengths': `${head}content-length: 0\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`,
  'a list of lengths': `${head}content-length: 0, ${hidden.length}\r\n\r\n${hidden}`,
  'a length with a sign': `${head}content-length: +0\r\n\r\n${hidden}`,
  'a length in hex': `${head}content-length: 0x0\r\n\r\n${hidden}`,
  'a length below nothing': `${head}content-length: -1\r\n\r\n${hidden}`,
  'chunks of another name': `${head}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
  'chunks behind a space': `${head}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
  'chunks twice': `${head}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
  'a chunk of a length that is none': `${head}transfer-encoding: chunked\r\n\r\nzz\r\n\r\n${hidden}`,
  'a chunk of a length with a sign': `${head}transfer-encoding: chunked\r\n\r\n-1\r\n\r\n${hidden}`,
  'a header that goes on in the next line': `${head}x: a\r\n content-length: 0\r\ncontent-length: +0\r\n\r\n${hidden}`,
  'a zero byte in a header': `${head}x: a\0b\r\ncontent-length: 0\r\n\r\n${hidden}`,
  'a line that ends early': `POST /v1/me HTTP/1.1\nhost: a\ncontent-length: 0\ntransfer-encoding: chunked\n\n0\n\n${hidden}`,
  'no host': 'GET /livez?smuggled HTTP/1.1\r\n\r\n',
  'another version': 'GET /livez?smuggled HTTP/9.9\r\nhost: a\r\n\r\n',
  'a preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'spaces in the address': 'GET /livez ?smuggled HTTP/1.1\r\nhost: a\r\n\r\n',
};

describe('bytes on a connection', () => {
  let app: TestApp;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    app = await TestApp.create();
  });

  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  async function opened(): Promise<Socket> {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  it.each(Object.entries(smuggled))('that hide a request by %s are not read as one', async (_, bytes) => {
    const socket = await opened();
    const answered: string[] = [];
    socket.on('data', (chunk: Buffer) => answered.push(chunk.toString('latin1')));
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
    const statuses = [...answered.join('').matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(statuses.length).toBeLessThanOrEqual(1);
  });

  it('that never become a request delay no other caller', async () => {
    const halves = ['', 'G', 'GET / HTTP/1.1\r\n', `${head}x: `, `${head}content-length: 100000\r\n\r\n{"a":`];
    const open = await Promise.all(Array.from({ length: 400 }, opened));
    for (const [index, socket] of open.entries()) socket.write(halves[index % halves.length] ?? '');
    const account = newAccountId();
    const answers = [
      await app.call('GET', '/livez'),
      await app.as(account, 'POST', '/me/sign-in-token', {}),
      await app.admin('GET', '/overview'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
    expect((await app.upstreamUsers()).length).toBe(1);
  });
});
