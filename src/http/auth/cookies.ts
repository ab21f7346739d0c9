import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicAddress } from './public-address.js';
import { MAX_SESSION_MS } from './sessions.service.js';

/** Only pages of our own origin can add this header; pages of other origins would need our permission. */
const consoleHeader = 'x-pulsekeep-console';

const name = 'pulsekeep_session';

export interface CookieOptions {
  readonly sameSite: 'Strict' | 'Lax';
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
}

/** Cookies of the console. Scripts cannot read them. */
@Injectable()
export class Cookies {
  constructor(private readonly address: PublicAddress) {}

  set(
    request: FastifyRequest,
    reply: FastifyReply,
    [base, value]: readonly [base: string, value: string],
    { sameSite, maxAgeSeconds }: CookieOptions,
  ): void {
    const secure = this.address.isSecureFor(request) ? '; Secure' : '';
    const limits = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
    void reply.header('set-cookie', `${this.prefixFor(request)}${base}=${value}; ${limits}`);
  }

  get(request: FastifyRequest, base: string): string | undefined {
    return this.startingWith(request, base).find(([found]) => found === base)?.[1];
  }

  /** Names and values of cookies whose name begins with `base`. */
  startingWith(request: FastifyRequest, base: string): (readonly [name: string, value: string])[] {
    const prefix = this.prefixFor(request);
    return (request.headers.cookie ?? '').split(';').flatMap((pair) => {
      const [, found = '', value = ''] = /^\s*([^=]*)=(.*)$/s.exec(pair) ?? [];
      return found.startsWith(`${prefix}${base}`) ? [[found.slice(prefix.length), value.trim()] as const] : [];
    });
  }

  setSession(request: FastifyRequest, reply: FastifyReply, token: string): void {
    this.set(request, reply, [name, token], { sameSite: 'Strict', maxAgeSeconds: MAX_SESSION_MS / 1_000 });
  }

  clearSession(request: FastifyRequest, reply: FastifyReply): void {
    this.set(request, reply, [name, ''], { sameSite: 'Strict', maxAgeSeconds: 0 });
  }

  /** The session token of a browser that opens an address; a page of another site cannot cause it to be sent. */
  navigating(request: FastifyRequest): string | undefined {
    return this.get(request, name);
  }

  /** The session token, if a page of the console made the request; undefined for every other request. */
  calling(request: FastifyRequest): string | undefined {
    const { headers } = request;
    if (headers.authorization !== undefined || headers[consoleHeader] !== '1') return undefined;
    const site = headers['sec-fetch-site'];
    return site === undefined || site === 'same-origin' ? this.get(request, name) : undefined;
  }

  /** `__Host-` restricts a cookie to this host, all of its paths, and TLS. */
  private prefixFor(request: FastifyRequest): string {
    return this.address.isSecureFor(request) ? '__Host-' : '';
  }
}
