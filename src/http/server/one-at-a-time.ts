import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_PIPELINED } from './tuning.js';

/** State of a connection: the response in progress, and the requests parsed after it. */
class Connection {
  current: ServerResponse | null = null;
  readonly ahead: [IncomingMessage, ServerResponse][] = [];
}

/** Calls `then` when the response has closed, or immediately if it already has or its connection is gone. */
export function whenClosed({ socket }: IncomingMessage, response: ServerResponse, then: () => void): void {
  if (response.closed || socket.destroyed) then();
  else response.once('close', then);
}

/**
 * Passes the pipelined requests of a connection to `listener` one at a time, each after the previous response has
 * closed. A pipelined response gets its socket only in its turn. If the client disconnects earlier, Node emits no
 * `close` on it, and whatever the application holds until that event would be held forever. Requests that are still
 * waiting when the connection closes are dropped unseen, and the one in progress gets its `close` at that time at the
 * latest. A connection that sends too many requests ahead is closed.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();

  function handle(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.current = response;
    response.once('close', () => {
      connection.current = null;
      const next = connection.ahead.shift();
      // Not writable if the previous response was the connection's last one.
      if (next && request.socket.writable) handle(connection, ...next);
    });
    listener(request, response);
  }

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known) return known;
    const connection = new Connection();
    connections.set(socket, connection);
    // Runs after Node's own listeners, which emit `close` on the response that has the socket.
    socket.once('close', () => setImmediate(() => connection.current?.emit('close')));
    return connection;
  }

  return (request, response) => {
    const connection = connectionOf(request.socket);
    if (connection.current === null) handle(connection, request, response);
    else if (connection.ahead.length < MAX_PIPELINED) connection.ahead.push([request, response]);
    else request.socket.destroy();
  };
}
