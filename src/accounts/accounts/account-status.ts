/**
 * pending: stored here, upstream user not known yet · active: mapped to `upstream_user_id` · blocked: gets no tokens ·
 * erasing: being deleted here and upstream.
 */
export const accountStatuses = ['pending', 'active', 'blocked', 'erasing'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** Statuses shown to operators: an active account whose user upstream no longer has is `user_gone`. */
export const shownStatuses = [...accountStatuses, 'user_gone'] as const;
export type ShownStatus = (typeof shownStatuses)[number];
