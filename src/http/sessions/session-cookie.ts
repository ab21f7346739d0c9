import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../platform/config/parsers.js';
import { LONGEST_MS } from './sessions.service.js';

/** Only pages of our own origin can add this header; pages of other origins would need our permission. */
const consoleHeader = 'x-pulsekeep-console';

const name = 'pulsekeep_session';

/** Browsers drop `Secure` cookies over plain HTTP, which is allowed only on this machine. */
export function isPlainLoopback({ protocol, hostname }: Pick<FastifyRequest, 'protocol' | 'hostname'>): boolean {
  return protocol === 'http' && isLoopback(hostname);
}

/** `__Host-` restricts the cookie to this host, all of its paths, and TLS. */
export function cookieName(request: FastifyRequest, base: string): string {
  return isPlainLoopback(request) ? base : `__Host-${base}`;
}

export interface CookieOptions {
  readonly sameSite: 'Strict' | 'Lax';
  readonly maxAgeSeconds: number;
}

export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  [base, value]: readonly [base: string, value: string],
  { sameSite, maxAgeSeconds }: CookieOptions,
): void {
  const secure = isPlainLoopback(request) ? '' : '; Secure';
  const limits = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
  void reply.header('set-cookie', `${cookieName(request, base)}=${value}; ${limits}`);
}

export function cookieOf(request: FastifyRequest, base: string): string | undefined {
  const wanted = `${cookieName(request, base)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(request, reply, [name, token], { sameSite: 'Strict', maxAgeSeconds: LONGEST_MS / 1_000 });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, [name, ''], { sameSite: 'Strict', maxAgeSeconds: 0 });
}

/** The session token, if a page of the console made the request; undefined for every other request. */
export function sessionTokenOf(request: FastifyRequest): string | undefined {
  const { headers } = request;
  if (headers.authorization !== undefined || headers[consoleHeader] !== '1') return undefined;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' ? cookieOf(request, name) : undefined;
}
