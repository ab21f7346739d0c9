import { createContext, useContext } from 'react';
import type { Operations } from './api.js';

export type Session = Operations['getCurrentSession']['answer'];
export type Role = 'monitor' | 'viewer' | 'reader' | 'operator';

const ranks: readonly string[] = ['monitor', 'viewer', 'reader', 'operator'] satisfies Role[];

export const SessionContext = createContext<Session | null>(null);

/** The signed-in caller. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('The session is read outside its provider.');
  return session;
}

/** True if the person's role suffices. The service checks again at every call. */
export function useMay(needed: Role): boolean {
  return ranks.indexOf(useSession().role) >= ranks.indexOf(needed);
}
