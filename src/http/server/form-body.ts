import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import { factsOf } from './route-facts.js';

/** Parts of one form; more are refused before it is read. */
const MAX_PARTS = 16;

/** Limit of a form, its files included. */
const FORM_BYTES = 31 * 1_048_576;

/** Limit of the body that a request may have. */
export function bodyLimitOf(request: FastifyRequest): number {
  return factsOf(request).takesForm ? FORM_BYTES : request.routeOptions.bodyLimit;
}

/** A file of a form. Its name and declared type are not kept: they are the sender's words. */
export class FormFile {
  constructor(readonly bytes: Buffer) {}
}

/** Values of a form by field, in their order. */
export type Form = Readonly<Record<string, readonly (string | FormFile)[]>>;

/** Accepts `multipart/form-data` on the routes that take a form. */
export function registerFormBody(fastify: FastifyInstance): void {
  const isForm = (type: string | undefined): boolean => /^multipart\/form-data\b/i.test(type ?? '');
  // Before the body is read, and after a route that accepts any type has dropped it.
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const type = request.headers['content-type'];
    const { takesForm } = factsOf(request);
    if (request.is404 || type === undefined || isForm(type) === (takesForm ?? false)) return done();
    done(unsupported(takesForm ? 'multipart/form-data' : 'application/json'));
  });
  const options = { parseAs: 'buffer', bodyLimit: FORM_BYTES } as const;
  fastify.addContentTypeParser(/^multipart\/form-data\b/i, options, (request: FastifyRequest, bytes: Buffer) =>
    readForm(bytes, request.headers['content-type'] ?? ''),
  );
}

function unsupported(needed: string): AppError {
  return new AppError('unsupported_media_type', `The body must be ${needed}.`);
}

/** Throws `invalid_request` for a form that cannot be read or has too many parts. */
export async function readForm(bytes: Buffer, contentType: string): Promise<Form> {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw unreadable();
  if (hasMoreThan(bytes, `--${boundary}`, MAX_PARTS + 1)) {
    throw new AppError('invalid_request', `The form has more than ${MAX_PARTS} parts.`);
  }
  const answer = new Response(bytes, { headers: { 'content-type': contentType } });
  const data = await answer.formData().catch(() => {
    throw unreadable();
  });
  const form = new Map<string, (string | FormFile)[]>();
  for (const [name, value] of data.entries()) {
    const read = typeof value === 'string' ? value : new FormFile(Buffer.from(await value.arrayBuffer()));
    form.set(name, [...(form.get(name) ?? []), read]);
  }
  return Object.fromEntries(form);
}

function unreadable(): AppError {
  return new AppError('invalid_request', 'The form cannot be read.');
}

function hasMoreThan(bytes: Buffer, mark: string, most: number): boolean {
  let at = bytes.indexOf(mark);
  for (let found = 0; at >= 0; at = bytes.indexOf(mark, at + mark.length)) {
    found += 1;
    if (found > most) return true;
  }
  return false;
}
