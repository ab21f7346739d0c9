import { DAY_MS } from '../../platform/platform/time.js';

/*
 * Three limits apply to the tokens of one account:
 *
 *   token calls of each kind per minute    429; per process, in memory (http/auth/admission.service.ts)
 *   tokens issued of each kind             429 beyond `issueLimit`; counted in the database, so over all processes
 *   sign-in tokens of one installation     nothing is refused; more than `frequentSignIns` are logged, listed and
 *                                          counted, because the app signs in at every launch
 */

/** Limit of tokens of one kind per account and period. A sign-in or a link attempt needs one. */
export const issueLimit = { issues: 60, windowMs: 10 * 60_000 } as const;

/** More sign-in tokens than this in a day mean that an installation asks at every launch: one signs in once. */
export const frequentSignIns = { max: 5, windowMs: DAY_MS } as const;
