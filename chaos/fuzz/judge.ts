import { Agent, request as send } from 'node:http';
import { Documented } from '../../test/support/documented.js';
import type { ApiDocument, FuzzRequest, Requests } from './requests.js';

/** A request without a complete response after this time counts as a hang. */
const HANG_MS = 30_000;

/** Expected problems of status 500 or more: an operator disabled token issuance. */
const said: ReadonlySet<string> = new Set(['tokens_closed']);

export interface Seen {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

export interface Judged {
  /** Number of responses by status. */
  readonly statuses: Map<number, number>;
  /** Faults by kind, each with the number of the first request that caused it. */
  readonly faults: Map<string, { count: number; first: number }>;
}

/** Sends requests by number, some in parallel, and checks every response against the document. */
export async function judge(
  url: string,
  document: ApiDocument,
  requests: Requests,
  { from, to, atOnce, onRequest }: { from: number; to: number; atOnce: number; onRequest?: () => void },
): Promise<Judged> {
  const documented = new Documented(document as never);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const judged: Judged = { statuses: new Map(), faults: new Map() };
  let next = from;
  const one = async (): Promise<void> => {
    while (next < to) {
      const number = next++;
      const request = requests.make(number);
      const seen = await ask(url, request, agent);
      onRequest?.();
      for (const fault of faultsOf(documented, request, seen)) {
        const known = judged.faults.get(fault) ?? { count: 0, first: number };
        judged.faults.set(fault, { ...known, count: known.count + 1 });
      }
      if (typeof seen === 'string') continue;
      judged.statuses.set(seen.status, (judged.statuses.get(seen.status) ?? 0) + 1);
      requests.learn(parsed(seen));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  agent.destroy();
  return judged;
}

function faultsOf(documented: Documented, { method, path }: FuzzRequest, seen: Seen | string): string[] {
  const [plain = path] = path.split('?');
  const where = `${method} ${plain.replace(/%[0-9a-zA-Z]{2}|[0-9a-f-]{36}|\d+/g, '*').slice(0, 90)}`;
  if (typeof seen === 'string') return [`${where} ${seen}`];
  const { status, contentType } = seen;
  const code = String((parsed(seen) as { code?: string })?.code);
  if (status >= 500 && !said.has(code)) return [`${where} answered ${status} ${code}`];
  // A rejection by the HTTP parser is not a response of an operation.
  if (status === 400 && contentType === null) return [];
  const faults = documented.faultsOf({ method, path: plain, status, contentType, body: parsed(seen) });
  // An impossible id in a path is refused before the route and method are looked up.
  return faults.filter((fault) => status !== 400 || !fault.endsWith('is not in the document'));
}

function parsed({ contentType, text }: Seen): unknown {
  if (!/[/+]json\b/.test(contentType ?? '') || text === '') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The response, or what happened instead. */
export function ask(url: string, { method, path, headers, body }: FuzzRequest, agent: Agent): Promise<Seen | string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = send({ hostname, port, method, path, agent, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', () => resolve('cut its answer off'));
      response.on('end', () => {
        const contentType = response.headers['content-type'] ?? null;
        resolve({ status: response.statusCode ?? 0, contentType, text: Buffer.concat(chunks).toString() });
      });
    });
    call.setTimeout(HANG_MS, () => call.destroy(new Error('hang')));
    call.on('error', (error: Error & { code?: string }) => {
      resolve(error.message === 'hang' ? 'hung' : `was cut off: ${error.code ?? error.message}`);
    });
    call.end(body);
  });
}
