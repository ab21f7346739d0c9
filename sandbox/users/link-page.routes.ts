import type { FastifyInstance, FastifyReply } from 'fastify';
import { LINK_ERROR_TYPES, PROVIDERS } from '../facts/enums.js';
import { isPhoneProvider, isProvider, providerFace } from '../facts/providers.js';
import type { World } from '../world.js';
import type { LinkToken } from './link-tokens.js';
import type { LinkChoice, LinkOptions } from './linking.js';

/** What a person who links a source on the page has recorded before. */
const history = { days: 90, per_day: 24, so_far: true } as const;
const resources = [
  ...['sleep', 'sleep_cycle', 'activity', 'workouts'],
  ...['steps', 'heartrate', 'blood_pressure', 'mindfulness_minutes'],
];
/** Errors of a provider, as opposed to those of a token and of the person. */
const providerErrors = LINK_ERROR_TYPES.filter((type) => /^provider_|region|scopes|mfa/.test(type));

type Page = { token?: string; provider?: string; outcome?: string; utc_offset?: string };

/** How a person's choice is checked (docs/upstream/linking-and-tokens.md#duplicate-connection). */
export function choiceOf({ settings, users }: World): Pick<LinkChoice, 'findUser' | 'isHeldByAnother'> {
  return {
    findUser: (id) => users.find(id),
    isHeldByAnother: (user, provider, credential) =>
      settings.duplicate_check &&
      credential !== undefined &&
      users.live().some((other) => other !== user && other.connections.get(provider)?.externalUserId === credential),
  };
}

/**
 * The hosted page of a link token, on which the developer chooses the outcome: the source is connected, the person
 * cancels, or the provider fails (docs/upstream/linking-and-tokens.md#redirect).
 */
export function installLinkPage(app: FastifyInstance, world: World): void {
  app.get('/link', (request, reply) => {
    const { token: text = '' } = request.query as Page;
    const token = world.linkTokens.check(text);
    if (typeof token === 'string') return page(reply, notUsable(token));
    return page(reply, choices(token));
  });
  app.get('/link/end', (request, reply) => {
    const { token: text = '', provider, outcome = 'success', utc_offset } = request.query as Page;
    const token = world.linkTokens.check(text);
    if (typeof token === 'string') return page(reply, notUsable(token));
    const isChoice = outcome === 'success' || LINK_ERROR_TYPES.some((type) => type === outcome);
    if (!isChoice || (provider !== undefined && !isProvider(provider))) return page(reply, choices(token));
    const chosen = { outcome, ...(provider === undefined ? {} : { provider }) };
    const offset = /^-?\d{1,5}$/.test(utc_offset ?? '') ? { utc_offset: Number(utc_offset) } : {};
    const options: LinkOptions = { resources: [...resources], history: { ...history, ...offset } };
    const { state, error_type, redirect_to } = world.linking.withToken(
      text,
      { ...choiceOf(world), ...chosen },
      options,
    );
    const staysHere = error_type === 'user_cancelled' && token.on_close !== 'redirect';
    if (redirect_to !== null && !staysHere) return reply.code(307).header('location', redirect_to).send();
    const ended = state === 'success' ? 'The source is connected.' : `The source is not connected: ${error_type}.`;
    return page(reply, `<h1>${ended}</h1><p>You may close this window.</p>`);
  });
}

function choices({ token, provider, filter_on_providers: offered }: LinkToken): string {
  const all = PROVIDERS.filter((slug) => !isPhoneProvider(slug));
  const slugs = provider ? [provider] : (offered ?? all);
  const names = slugs.map((slug) => `<option value="${slug}">${providerFace(slug).name}</option>`).join('');
  const errors = providerErrors.map((type) => `<option>${type}</option>`).join('');
  const form = (fields: string): string =>
    `<form action="/link/end"><input type="hidden" name="token" value="${token}">${fields}</form>`;
  return `<h1>Connect a source</h1>
<p>This page of the simulated upstream stands for the hosted page. Choose how it ends.</p>
${form(`<select name="provider" aria-label="source">${names}</select><input type="hidden" name="utc_offset">
<button>Connect it</button>`)}
${form('<input type="hidden" name="outcome" value="user_cancelled"><button>Cancel as the person</button>')}
${form(`<select name="outcome" aria-label="error">${errors}</select><button>Fail as the provider</button>`)}
<script>document.querySelector('[name=utc_offset]').value = -60 * new Date().getTimezoneOffset()</script>`;
}

function notUsable(type: string): string {
  return `<h1>This link cannot be used: ${type}</h1><p>Request a new link token.</p>`;
}

function page(reply: FastifyReply, body: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(`<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Simulated linking</title>
<style>body{font:16px/1.5 system-ui;max-width:30rem;margin:3rem auto;padding:0 1rem}form{margin:1rem 0;display:flex;gap:.5rem}
button,select{font:inherit;padding:.3rem .8rem}:root{color-scheme:light dark}</style>
<main>${body}</main>
</html>`);
}
