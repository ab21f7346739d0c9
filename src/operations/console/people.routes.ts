import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf, isPlainLoopback, setCookie, setSessionCookie } from '../../http/sessions/session-cookie.js';
import { AppError } from '../../platform/platform/errors.js';
import { type Begun, type PeopleSignIn, SignInFailed } from './people-sign-in.service.js';

/** Lives until the identity provider sends the browser back; `Lax`, because that redirect comes from another site. */
const cookie = 'pulsekeep_sign_in';
const MAX_AGE_SECONDS = 600;

/** Addresses of the console's own pages with their filters, up to the length that fits in the cookie. */
const ownPage = /^\/console(?:\/[\w/.~%-]*)?(?:\?[\w.~%=&+*-]{1,800})?$/;

interface Query {
  readonly to?: unknown;
}

/** Redirects to the identity provider and back, and the sign-out there. */
export function registerPeopleRoutes(fastify: FastifyInstance, people: PeopleSignIn): void {
  fastify.get('/console/sign-in', (request, reply) => guarded(reply, () => begin(request, reply)));
  fastify.get('/console/callback', (request, reply) => guarded(reply, () => finish(request, reply)));
  fastify.get('/console/sign-out', (request, reply) => guarded(reply, () => end(request, reply)));

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { to } = request.query as Query;
    const page = typeof to === 'string' && ownPage.test(to) ? to : '/console';
    const { url, begun } = await people.begin(`${originOf(request)}/console/callback`);
    keep(request, reply, [begun.state, begun.nonce, begun.verifier, encodeURIComponent(page)].join('|'));
    return reply.redirect(url.href, 303);
  }

  async function finish(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const [state = '', nonce = '', verifier = '', page = ''] = (cookieOf(request, cookie) ?? '').split('|');
    keep(request, reply, '');
    if (state === '') throw new SignInFailed('expired');
    const begun: Begun = { state, nonce, verifier };
    const { token } = await people.finish(new URL(request.url, originOf(request)), begun);
    setSessionCookie(request, reply, token);
    const shown = decodeURIComponent(page);
    return reply.redirect(`${shown}${shown.includes('?') ? '&' : '?'}signed_in=1`, 303);
  }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const url = await people.endUrl(`${originOf(request)}/console`);
    return reply.redirect(url?.href ?? '/console', 303);
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

function keep(request: FastifyRequest, reply: FastifyReply, value: string): void {
  setCookie(request, reply, [cookie, value], { sameSite: 'Lax', maxAgeSeconds: value === '' ? 0 : MAX_AGE_SECONDS });
}

/** Always https except for plain loopback: a proxy in front ends TLS. Throws `invalid_request` without a host. */
function originOf(request: FastifyRequest): string {
  const origin = `${isPlainLoopback(request) ? 'http' : 'https'}://${request.host}`;
  if (!URL.canParse(origin)) throw new AppError('invalid_request', 'The header host is not valid.');
  return origin;
}
