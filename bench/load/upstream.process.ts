import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../process/serve.js';
import { source, wirePoints } from './points.js';

/* The part of upstream that a pull needs: prepared pages, the same for every user. Any other path returns 404. */

let pages: Buffer[] = [];

function rendered(index: number, { size, count }: Pages): Buffer {
  const groups = { [source.provider]: [{ source, data: wirePoints(index * size, size) }] };
  const next_cursor = index + 1 < count ? `page-${index + 1}` : null;
  return Buffer.from(JSON.stringify({ groups, next: next_cursor, next_cursor }));
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://upstream');
  const cursor = url.searchParams.get('next_cursor');
  const index = Number(cursor?.replace('page-', '') ?? 0);
  const page = url.pathname.startsWith('/v2/timeseries/') ? pages[index] : undefined;
  const body = page ?? Buffer.from('{"detail":"Not found."}');
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  response.writeHead(page ? 200 : 404, headers).end(body);
}

export interface Pages {
  /** Points of a page. */
  readonly size: number;
  readonly count: number;
}

const commands = {
  async listen(): Promise<{ port: number }> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port };
  },

  /** Gives every user these pages from now on. */
  async offer(wanted: Pages): Promise<void> {
    pages = Array.from({ length: wanted.count }, (_, index) => rendered(index, wanted));
  },
};
export type UpstreamCommands = typeof commands;

serve(commands);
