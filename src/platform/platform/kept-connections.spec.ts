import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { KeptConnections } from './kept-connections.js';

describe('kept connections', () => {
  let server: Server;
  let sockets: Socket[];
  let answer: (response: ServerResponse) => void;
  let kept: KeptConnections;

  beforeEach(async () => {
    sockets = [];
    answer = (response) => void response.end();
    server = createServer((_request, response) => answer(response));
    server.on('connection', (socket) => void sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    kept.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const url = (): URL => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

  async function sent(): Promise<void> {
    const outgoing = request(url(), { agent: kept.agentFor(url()) });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    await once(outgoing, 'close');
  }

  it('are reused', async () => {
    kept = new KeptConnections(4);
    await sent();
    await sent();
    expect(sockets).toHaveLength(1);
  });

  it('are closed when they are too old, idle or not', async () => {
    kept = new KeptConnections(4, 20);
    await sent();
    const [idle] = sockets;
    if (idle && !idle.closed) await once(idle, 'close');
    let finish: () => void = () => undefined;
    answer = (response) => void (finish = () => response.end());
    const second = sent();
    await once(server, 'request');
    const aged = kept.agentFor(url());
    // The request outlives the time of its connection, which is not kept then.
    for (; kept.agentFor(url()) === aged; ) await new Promise(setImmediate);
    finish();
    await second;
    const inUse = sockets.at(-1);
    if (inUse && !inUse.closed) await once(inUse, 'close');
    answer = (response) => void response.end();
    await sent();
    expect(sockets).toHaveLength(3);
  });

  it('of one origin are dropped without those of another', async () => {
    kept = new KeptConnections(4);
    await sent();
    kept.drop(new URL('http://127.0.0.1:9/'));
    await sent();
    expect(sockets).toHaveLength(1);
    kept.drop(url());
    await sent();
    expect(sockets).toHaveLength(2);
  });
});
