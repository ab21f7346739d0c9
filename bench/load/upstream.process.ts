import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../process/serve.js';
import { source, wirePoints } from './points.js';

/*
 * As much of upstream as a pull and a sign-in need: pages made beforehand, the same for every user, and tokens.
 * Anything else is a 404, and nothing is answered at all once it hangs.
 */

let pages: Buffer[] = [];
let hangs = false;

function rendered(index: number, { size, count }: Pages): Buffer {
  const groups = { [source.provider]: [{ source, data: wirePoints(index * size, size) }] };
  const next_cursor = index + 1 < count ? `page-${index + 1}` : null;
  return Buffer.from(JSON.stringify({ groups, next: next_cursor, next_cursor }));
}

function tokenFor(path: string): Buffer | undefined {
  const user = /^\/v2\/user\/([^/]+)\/sign_in_token$/.exec(path)?.[1];
  if (user !== undefined) return Buffer.from(JSON.stringify({ user_id: user, sign_in_token: 'bench' }));
  if (path !== '/v2/link/token') return undefined;
  return Buffer.from(JSON.stringify({ link_token: 'bench', link_web_url: 'https://link.example.com/?token=bench' }));
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (hangs) return;
  const url = new URL(request.url ?? '/', 'http://upstream');
  const cursor = url.searchParams.get('next_cursor');
  const page = url.pathname.startsWith('/v2/timeseries/')
    ? pages[Number(cursor?.replace('page-', '') ?? 0)]
    : undefined;
  const known = page ?? tokenFor(url.pathname);
  const body = known ?? Buffer.from('{"detail":"Not found."}');
  const status = known ? 200 : 404;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
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

  /** From now on calls are taken and never answered. */
  async hang(): Promise<void> {
    hangs = true;
  },

  /** From now on every user has these pages. */
  async offer(wanted: Pages): Promise<void> {
    pages = Array.from({ length: wanted.count }, (_, index) => rendered(index, wanted));
  },
};
export type UpstreamCommands = typeof commands;

serve(commands);
