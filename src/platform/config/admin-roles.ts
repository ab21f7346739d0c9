/** Each role may do what the roles before it may. */
export const rankedRoles = ['monitor', 'viewer', 'reader', 'operator'] as const;
export type RankedRole = (typeof rankedRoles)[number];
/** Outside the ranking: `backend` is the customer's own backend, `feed` a service that follows the change feed. */
export const besideRoles = ['backend', 'feed'] as const;
export type BesideRole = (typeof besideRoles)[number];
export const adminRoles = [...rankedRoles, ...besideRoles] as const;
export type AdminRole = (typeof adminRoles)[number];

/** Who may call a route: the lowest sufficient ranked role, and optionally a role outside the ranking. */
export interface Access {
  readonly needed: RankedRole;
  readonly beside: BesideRole | null;
}

/** True if a key with this role may call a route with this access. */
export function admits({ needed, beside }: Access, held: AdminRole): boolean {
  const rank = rankedRoles.findIndex((role) => role === held);
  return rank < 0 ? beside === held : rank >= rankedRoles.indexOf(needed);
}

/** Readers and operators, and the backend, which works with records and results. */
export const seesValues: Access = { needed: 'reader', beside: 'backend' };

/** True if the access log records every call of a route with this lowest sufficient role. */
export function isAlwaysRecorded(needed: RankedRole | undefined): boolean {
  return needed !== 'monitor' && needed !== 'viewer';
}
