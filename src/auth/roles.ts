import { type AdminRole, adminRoles } from '../config/config.js';

/** True when `held` may do what `needed` may: viewer < reader < operator. */
export function covers(held: AdminRole, needed: AdminRole): boolean {
  return adminRoles.indexOf(held) >= adminRoles.indexOf(needed);
}
