import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Cookies } from '../../http/auth/cookies.js';
import type { PublicAddress } from '../../http/auth/public-address.js';
import { callerAddress } from '../../http/server/caller-address.js';
import { AppError } from '../../platform/platform/errors.js';
import { BEGUN_SECONDS } from './begun-sign-ins.js';
import { type PeopleSignIn, SignInFailed } from './people-sign-in.service.js';

/** One for each sign-in; `Lax`, because the identity provider's redirect comes from another site. */
const cookie = 'pulsekeep_sign_in_';
/** Sign-ins that one browser may have begun at a time; more would exceed the size of its headers. */
const MAX_BEGUN = 5;

/** Addresses of the console's own pages with their filters, up to the length that fits in the cookie. */
const ownPage = /^\/console(?:\/[\w/.~%-]*)?(?:\?[\w.~%=&+*-]{1,800})?$/;
const ownRoute = /^\/console\/(?:sign-in|sign-out|callback)(?:\/|$)/;

export interface PeopleParts {
  readonly people: PeopleSignIn;
  readonly cookies: Cookies;
  readonly address: PublicAddress;
}

/** Redirects to the identity provider and back, and the sign-out there. */
export function registerPeopleRoutes(fastify: FastifyInstance, { people, cookies, address }: PeopleParts): void {
  fastify.get('/console/sign-in', (request, reply) => guarded(reply, () => begin(request, reply)));
  fastify.get('/console/callback', (request, reply) => guarded(reply, () => finish(request, reply)));
  fastify.get('/console/sign-out', (request, reply) => guarded(reply, () => end(request, reply)));

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { to } = request.query as { readonly to?: unknown };
    const { url, state, cookie: kept } = await people.begin(originFor(request), pageOf(to));
    const others = cookies.startingWith(request, cookie).map(([name]) => name);
    for (const name of others.slice(MAX_BEGUN - 1)) keep(request, reply, name, '');
    keep(request, reply, nameOf(state), kept);
    return reply.redirect(url.href, 303);
  }

  async function finish(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = new URL(request.url, originFor(request));
    const name = nameOf(url.searchParams.get('state') ?? '');
    const kept = cookies.get(request, name);
    if (kept !== undefined) keep(request, reply, name, '');
    try {
      const from = callerAddress(request);
      const { token, page } = await people.finish({ url, cookie: kept ?? '', from });
      cookies.setSession(request, reply, token);
      const shown = pageOf(page);
      return reply.redirect(`${shown}${shown.includes('?') ? '&' : '?'}signed_in=1`, 303);
    } catch (error) {
      // The back button, or a reload, returns with a sign-in that is over.
      const isOver = error instanceof SignInFailed && error.fault === 'expired';
      if (!isOver || !(await people.isSignedIn(cookies.navigating(request)))) throw error;
      return reply.redirect('/console', 303);
    }
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const token = cookies.navigating(request);
    if (token !== undefined) cookies.clearSession(request, reply);
    const url = await people.end(token, address.originFor(request));
    return reply.redirect(url?.href ?? '/console', 303);
  }

  function keep(request: FastifyRequest, reply: FastifyReply, name: string, value: string): void {
    const maxAgeSeconds = value === '' ? 0 : BEGUN_SECONDS;
    cookies.set(request, reply, [name, value], { sameSite: 'Lax', maxAgeSeconds });
  }

  /** Throws `invalid_request` if no trusted source says under which address people reach this service. */
  function originFor(request: FastifyRequest): string {
    const origin = address.originFor(request);
    if (origin !== null) return origin;
    const cause = people.failed('address');
    throw new AppError('invalid_request', 'The address of this service is not configured: set PUBLIC_URL.', { cause });
  }
}

async function guarded(reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error;
    return reply.redirect(`/console?sign_in_failed=${error.fault}`, 303);
  }
}

function nameOf(state: string): string {
  return `${cookie}${hash('sha256', state, 'base64url').slice(0, 12)}`;
}

/** The page to return to; the overview for anything that is not a page of the console. */
function pageOf(to: unknown): string {
  if (typeof to !== 'string' || !ownPage.test(to)) return '/console';
  const { pathname, search } = new URL(to, 'http://localhost');
  const isOwn = (pathname === '/console' || pathname.startsWith('/console/')) && !ownRoute.test(pathname);
  return isOwn ? `${pathname}${search}` : '/console';
}
