import type { FieldError } from '../../platform/platform/errors.js';
import { CliFailure, exitCodes } from './world.js';

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** Replaces the service's text about keys, because the service does not know where the key came from. */
const aboutKey: Readonly<Record<string, string>> = {
  unauthorized: 'The service does not accept this key.',
  forbidden: 'The role of this key does not permit this.',
};

/** Uses the detail of a problem response. Any other body means that this address is not the service. */
export function failureOf(status: number, body: unknown): CliFailure {
  if (!isProblem(body)) {
    return new CliFailure(`The address responds with ${status}; it is not this service.`, 'not_this_service');
  }
  const { code, detail, errors = [] } = body;
  const exit = code === 'invalid_request' ? exitCodes.usage : exitCodes.failed;
  return new CliFailure(aboutKey[code] ?? detail, code, exit, errors);
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const { type, code, detail } = body as Record<string, unknown>;
  return typeof type === 'string' && typeof code === 'string' && typeof detail === 'string';
}
