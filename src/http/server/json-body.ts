import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';

/** An order, the deepest body there is, has fewer levels; recursive code on a body goes no deeper than this. */
const MAX_DEPTH = 32;

/**
 * JSON is the only body there is, no deeper than 32 levels and without a field `constructor`, which validation would
 * take for the class of its object. An empty one counts as none: many clients name the type whether they send a body
 * or not.
 */
export function registerJsonBody(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else if (isDeep(body as string)) done(new AppError('invalid_request', 'The body is nested too deeply.'));
    else void parse(request, body as string, (error, value) => done(error ?? refusalOf(value), value));
  });
}

function refusalOf(value: unknown): AppError | null {
  return hasConstructor(value) ? new AppError('invalid_request', 'No field may be named constructor.') : null;
}

function hasConstructor(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, 'constructor') || Object.values(value).some(hasConstructor);
}

/** Counts brackets outside of strings, before anything is made of the text. */
function isDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const sign = json[index];
    if (sign === '"') index = endOfString(json, index);
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}
