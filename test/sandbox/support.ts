import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SandboxOptions } from '../../sandbox/options.js';
import { type Sandbox, startSandbox } from '../../sandbox/server.js';
import { faultsOfAnswer } from './contract/contract.js';

export const KEY_HEADERS = { 'x-service-api-key': 'sk_us_sandbox' };

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: ReturnType<typeof JSON.parse>;
}

/**
 * One call to upstream's own paths, with the key unless other headers are given. Throws if the response violates
 * upstream's contract.
 */
export async function call(
  sandbox: Sandbox,
  line: string,
  body?: unknown,
  headers: Record<string, string> = KEY_HEADERS,
): Promise<Answer> {
  const answer = await callAsItIs(sandbox, line, body, headers);
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  const faults = isJson && answer.text !== '' ? faultsOfAnswer(line, answer.status, answer.body) : [];
  if (faults.length > 0) throw new Error(`Not as upstream promises: ${faults.slice(0, 9).join('; ')}`);
  return answer;
}

/** As `call`, for answers that a switch or a fault makes unlike upstream's own. */
export async function callAsItIs(
  sandbox: Sandbox,
  line: string,
  body?: unknown,
  headers: Record<string, string> = KEY_HEADERS,
): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { ...headers, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

const open: (() => Promise<void>)[] = [];

/** A manual-clock sandbox that is closed after the test file's current test. */
export async function sandboxFor(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ timeScale: 0, seed: 'test', ...options });
  open.push(() => sandbox.close());
  return sandbox;
}

export interface Delivery {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  deliveries: Delivery[];
  /** Statuses to answer in turn; 204 when used up. */
  answers: number[];
}

/** A webhook receiver on a free port. */
export async function receiverFor(answers: number[] = []): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      deliveries.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, deliveries, answers };
}

/** Call from `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

export async function newUser(sandbox: Sandbox, clientUserId = 'cust-1'): Promise<string> {
  const { users } = await sandbox.control.createUsers({ client_user_id: clientUserId });
  return users[0]?.user_id ?? '';
}

/** A user with a connection whose pulls have succeeded. */
export async function connectedUser(
  sandbox: Sandbox,
  options: { provider?: string; days?: number; per_day?: number; resources?: string[] } = {},
): Promise<string> {
  const user_id = await newUser(sandbox);
  const { provider = 'withings', days = 2, per_day = 10, resources } = options;
  await sandbox.control.connect({
    user_id,
    provider,
    history: { days, per_day },
    ...(resources === undefined ? {} : { resources }),
  });
  await sandbox.control.advance(600);
  return user_id;
}
