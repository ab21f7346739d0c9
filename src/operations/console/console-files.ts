import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type PeopleParts, registerPeopleRoutes } from './people.routes.js';
import type { PeopleSignIn } from './people-sign-in.service.js';

/** Allows only the console's own files from this origin; no inline code, and no text becomes markup or script. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';');

const year = 'public, max-age=31536000, immutable';

/**
 * Beside the bundled program, or beside `src` if the program is not bundled; undefined if the console was not built.
 */
function builtFolder(): string | undefined {
  const folders = ['../console', '../../../console'].map((path) => resolve(import.meta.dirname, path));
  return folders.find((folder) => existsSync(join(folder, 'index.html')) && existsSync(join(folder, 'assets')));
}

/**
 * Serves the console under `/console`: files with hashed names in `assets`, and the page for every other address, where
 * it shows the view of that address. Serves no page if the console was not built.
 */
export async function registerConsole(fastify: FastifyInstance, parts: PeopleParts): Promise<void> {
  const folder = builtFolder();
  const { people } = parts;
  if (folder !== undefined) await registerPage(fastify, folder, people);
  // Registered last: a route registered before an awaited plugin would keep Fastify's default error handler.
  if (people.isConfigured) registerPeopleRoutes(fastify, parts);
}

async function registerPage(fastify: FastifyInstance, folder: string, people: PeopleSignIn): Promise<void> {
  async function sendPage(reply: FastifyReply): Promise<string> {
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    void reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8');
    return people.isConfigured ? page.replace('data-people="off"', 'data-people="on"') : page;
  }
  await fastify.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/console/assets/',
    decorateReply: false,
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (reply) => void reply.header('cache-control', year),
  });
  fastify.get('/console', (_request, reply) => sendPage(reply));
  fastify.get('/console/*', (_request, reply) => sendPage(reply));
}
