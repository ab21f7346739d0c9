/** Each may do what those before it may. */
export const rankedRoles = ['monitor', 'viewer', 'reader', 'operator'] as const;
export type RankedRole = (typeof rankedRoles)[number];
/** `backend` is the customer's own backend, which stands beside the ranks. */
export const adminRoles = [...rankedRoles, 'backend'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** Who may call a route: the least of the ranked roles, and whether the customer's backend may beside them. */
export interface Access {
  readonly needed: RankedRole;
  readonly backend: boolean;
}

/** Whether a key of this role may call a route of this access. */
export function admits({ needed, backend }: Access, held: AdminRole): boolean {
  return held === 'backend' ? backend : rankedRoles.indexOf(held) >= rankedRoles.indexOf(needed);
}

/** Readers and operators, and the backend, whose work is with records and results. */
export const seesValues: Access = { needed: 'reader', backend: true };

/** Whether every call of a route is recorded in the access log, by the least role it needs. */
export function isAlwaysRecorded(needed: RankedRole | undefined): boolean {
  return needed !== 'monitor' && needed !== 'viewer';
}
