import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * A keep-alive connection with at most one request in flight. Reads only the status and the end of a response. Costs a
 * fraction of an HTTP client, so that the benchmark measures the server.
 */
export class Connection {
  private received = '';
  private answered: ((status: number) => void) | null = null;
  private failed: ((error: Error) => void) | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.take(text));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('The server closed the connection.')));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Calls back with the response's status, in the turn in which it arrives. */
  send(request: Buffer, answered: (status: number) => void, failed: (error: Error) => void): void {
    if (this.socket.destroyed) return failed(new Error('The server has closed the connection.'));
    this.answered = answered;
    this.failed = failed;
    this.socket.write(request);
  }

  close(): void {
    this.socket.destroy();
  }

  private take(text: string): void {
    this.received += text;
    const head = this.received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.received.slice(0, head))?.[1] ?? '0';
    if (this.received.length < head + 4 + Number(length)) return;
    const status = Number(this.received.slice(9, 12));
    this.received = '';
    const { answered } = this;
    this.answered = null;
    answered?.(status);
  }

  private fail(error: Error): void {
    const { failed, answered } = this;
    this.failed = null;
    if (answered) failed?.(error);
  }
}
