import type { ProblemDto } from './api.js';

/** An error that the service returned. Branch on `code`; `message` is for developers and names the invalid fields. */
export class PulsekeepError extends Error {
  override readonly name = 'PulsekeepError';
  readonly status: number;
  /** `unknown` where the answer is not from Pulsekeep, as of a proxy in between. */
  readonly code: ProblemDto['code'] | 'unknown';
  readonly detail: string;
  /** Name it when you ask the operator of the service. */
  readonly requestId: string | undefined;
  /** The faults by field, of a request that is not valid. */
  readonly errors: NonNullable<ProblemDto['errors']>;
  /** After so many seconds it is worth another try. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, problem: Partial<ProblemDto>, retryAfterSeconds: number | undefined) {
    super([problem.detail ?? problem.title ?? `The service returned ${status}.`, ...faults(problem)].join(' '));
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.detail = problem.detail ?? '';
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A sentence with each invalid field; none without fields. */
function faults({ errors = [] }: Partial<ProblemDto>): string[] {
  const named = errors.map(({ field, message }) => (message.startsWith(field) ? message : `${field}: ${message}`));
  return named.length === 0 ? [] : [`${named.join('; ')}.`];
}
