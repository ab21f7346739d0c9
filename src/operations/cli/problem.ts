import type { FieldError } from '../../platform/platform/errors.js';
import { CliFailure, exitCodes } from './world.js';

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

/** Sentences for what the service says of the key, since it cannot know where the key came from. */
const aboutKey: Readonly<Record<string, string>> = {
  unauthorized: 'The service does not know this key.',
  forbidden: 'This key may not do that: it needs a higher role.',
};

/** What a refusal says, in the service's own words where it is the service that speaks. */
export function failureOf(status: number, body: unknown): CliFailure {
  if (!isProblem(body)) {
    return new CliFailure(`The address answers ${status}, and not as this service does.`, 'not_this_service');
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
