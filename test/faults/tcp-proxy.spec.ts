import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TcpProxy } from '../support/tcp-proxy.js';

describe('the TCP proxy of the tests', () => {
  let echo: Server;
  let proxy: TcpProxy;
  const clients: Socket[] = [];

  beforeEach(async () => {
    echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await TcpProxy.to('127.0.0.1', (echo.address() as AddressInfo).port);
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await proxy.close();
    echo.close();
  });

  async function client(port = proxy.port): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    clients.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  async function answer(socket: Socket, text: string): Promise<string> {
    socket.write(text);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString();
  }

  /** Long enough for an answer that nobody holds back. */
  async function beside(): Promise<void> {
    const direct = await client((echo.address() as AddressInfo).port);
    for (const text of ['one', 'two', 'three']) await answer(direct, text);
  }

  it('passes bytes and the end of a connection both ways, slowed ones too', async () => {
    const socket = await client();
    expect(await answer(socket, 'one')).toBe('one');
    proxy.slow(5);
    expect(await answer(socket, 'two')).toBe('two');
    socket.end();
    await once(socket, 'close');
    expect(socket.errored).toBeNull();
  });

  it.each([undefined, 'to_server', 'to_client'] as const)('holds back data while it is silent (%s)', async (way) => {
    const [socket, other] = [await client(), await client()];
    await answer(socket, 'one');
    proxy.silence(way);
    const heard: string[] = [];
    for (const each of [socket, other]) each.on('data', (chunk) => void heard.push(String(chunk)));
    const late = [answer(socket, 'two'), answer(other, 'two')];
    await beside();
    expect([heard, socket.readyState]).toEqual([[], 'open']);
    proxy.mend();
    expect(await Promise.all(late)).toEqual(['two', 'two']);
  });

  it('keeps lost connections silent after its repair, and lets new ones through', async () => {
    const socket = await client();
    await answer(socket, 'one');
    proxy.loseOpen();
    let heard = '';
    socket.on('data', (chunk) => (heard += String(chunk)));
    socket.write('two');
    proxy.mend();
    expect(await answer(await client(), 'three')).toBe('three');
    await beside();
    expect([heard, socket.readyState]).toEqual(['', 'open']);
  });

  it('ends open connections by a reset, and new ones while it refuses', async () => {
    const socket = await client();
    await answer(socket, 'one');
    proxy.cut();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    const refused = connect(proxy.port, '127.0.0.1');
    clients.push(refused);
    await once(refused, 'error');
    proxy.mend();
    expect(await answer(await client(), 'two')).toBe('two');
  });
});
