import { DAY_MS } from '../../platform/platform/time.js';

/*
 * Three limits apply to the tokens of one account:
 *
 *   token calls of each kind per minute    429; per process, in memory (http/auth/admission.service.ts)
 *   tokens issued of each kind             429 beyond `issueLimit`; counted in the database, over all processes
 *   sign-in tokens of one installation     never refused; more than `frequentSignIns` are logged, listed and counted,
 *                                          because the app apparently signs in at every launch
 */

/** Maximum number of tokens of one kind per account and period. A sign-in or link attempt needs one token. */
export const issueLimit = { issues: 60, windowMs: 10 * 60_000 } as const;

/** More sign-in tokens than this in a day mean that an installation requests one at every launch; one is enough. */
export const frequentSignIns = { max: 5, windowMs: DAY_MS } as const;
