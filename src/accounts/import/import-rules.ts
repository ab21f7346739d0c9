import { isExternalAccountId, isPseudonym } from '../../platform/platform/ids.js';
import { looksPersonal } from '../../platform/platform/personal-text.js';
import { classify, type Judgement, type RetryPolicy } from '../../storage/work/retry.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import type { Account } from '../accounts/accounts.service.js';

/**
 * Why a user of upstream is not adopted. personal_id: its `client_user_id` looks like an e-mail address or a phone
 * number · id_not_storable: it is not a valid account id, or is a pseudonym of an unknown account ·
 * account_has_other_user: the account is mapped to another user · user_has_other_account: the user is mapped to another
 * account · account_blocked: the account is blocked or being erased.
 */
export const refusalReasons = [
  'personal_id',
  'id_not_storable',
  'account_has_other_user',
  'user_has_other_account',
  'account_blocked',
] as const;
type RefusalReason = (typeof refusalReasons)[number];

/**
 * Why an account has no upstream user. user_gone: upstream no longer has its user · user_replaced: upstream has another
 * user for this account id · never_made: the account is pending and upstream has no user for it.
 */
export const absenceReasons = ['user_gone', 'user_replaced', 'never_made'] as const;
export type AbsenceReason = (typeof absenceReasons)[number];

export type LocalAccount = Pick<Account, 'id' | 'account_id' | 'pseudonym' | 'upstream_user_id' | 'status'>;

/** Decision about one upstream user; `userId` is in lower case. */
export type Verdict = { readonly userId: string; readonly user: WireUser } & NameJudgement;

type NameJudgement =
  | { readonly is: 'known'; readonly account: number }
  | { readonly is: 'new' }
  | { readonly is: 'refused'; readonly reason: RefusalReason; readonly account: number | null };

/** Judges each user of a page once. `accounts`: those with one of these users or one of their account ids. */
export function judgeUsers(users: readonly WireUser[], accounts: readonly LocalAccount[]): Verdict[] {
  const byUser = new Map(accounts.map((account) => [account.upstream_user_id, account]));
  const byName = new Map<string, LocalAccount>(accounts.map((account) => [account.account_id, account]));
  const verdicts = new Map<string, Verdict>();
  const taken = new Set<string>();
  for (const user of users) {
    const userId = user.user_id.toLowerCase();
    if (verdicts.has(userId)) continue;
    const own = byUser.get(userId);
    const name = user.client_user_id;
    const verdict = own ? knownAs(own, name) : judgeName(name, byName.get(name), taken.has(name));
    if (verdict.is === 'new') taken.add(name);
    verdicts.set(userId, { userId, user, ...verdict });
  }
  return [...verdicts.values()];
}

function knownAs(own: LocalAccount, name: string): NameJudgement {
  if (own.account_id === name) return { is: 'known', account: own.id };
  return { is: 'refused', reason: 'user_has_other_account', account: own.id };
}

function judgeName(name: string, named: LocalAccount | undefined, taken: boolean): NameJudgement {
  if (named?.upstream_user_id) return { is: 'refused', reason: 'account_has_other_user', account: named.id };
  if (named && named.status !== 'pending') return { is: 'refused', reason: 'account_blocked', account: named.id };
  if (named) return { is: 'new' };
  if (taken) return { is: 'refused', reason: 'account_has_other_user', account: null };
  if (!isExternalAccountId(name) || isPseudonym(name))
    return { is: 'refused', reason: 'id_not_storable', account: null };
  return looksPersonal(name) ? { is: 'refused', reason: 'personal_id', account: null } : { is: 'new' };
}

const pause = { baseMs: 5_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 };
export const importRetry: RetryPolicy = { pause, mostAttempts: 16 };
const unreadable: RetryPolicy = { pause, mostAttempts: 5 };

/**
 * Consequence of an error for an import. An operator waits for the result, so a refusal ends the import, with a
 * separate code for a refused key. Unreadable responses are retried a few times.
 */
export function judgeImport(error: unknown): Judgement {
  const { everybody: _, ...judgement } = classify(error);
  if (error instanceof UpstreamError && error.isRefusal) return { then: 'final', code: judgement.code };
  return judgement.code === 'upstream_contract' ? { ...judgement, retry: unreadable } : judgement;
}
