import { api, queryClient } from '../lib/api.js';
import { sessionKey } from './gate.js';

/** Ends the session here and at the service; whatever was shown is forgotten. */
export async function signOut(): Promise<void> {
  await api.call('endSession', { path: { session_id: 'current' } });
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  await queryClient.resetQueries({ queryKey: sessionKey });
}
