/** Each may do what those before it may. */
export const rankedRoles = ['monitor', 'viewer', 'reader', 'operator'] as const;
export type RankedRole = (typeof rankedRoles)[number];
/** `backend` is the customer's own backend, `feed` a service that follows the changes; they stand beside the ranks. */
export const besideRoles = ['backend', 'feed'] as const;
export type BesideRole = (typeof besideRoles)[number];
export const adminRoles = [...rankedRoles, ...besideRoles] as const;
export type AdminRole = (typeof adminRoles)[number];

/** Who may call a route: the least of the ranked roles, and a role beside the ranks. */
export interface Access {
  readonly needed: RankedRole;
  readonly beside: BesideRole | null;
}

/** True if a key of this role may call a route of this access. */
export function admits({ needed, beside }: Access, held: AdminRole): boolean {
  const rank = rankedRoles.findIndex((role) => role === held);
  return rank < 0 ? beside === held : rank >= rankedRoles.indexOf(needed);
}

/** Readers and operators, and the backend, whose work is with records and results. */
export const seesValues: Access = { needed: 'reader', beside: 'backend' };

/** True if every call of a route is recorded in the access log, by the least role it needs. */
export function isAlwaysRecorded(needed: RankedRole | undefined): boolean {
  return needed !== 'monitor' && needed !== 'viewer';
}
