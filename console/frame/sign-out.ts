import { call, isSignedOut, queryClient } from '../lib/api.js';
import type { Session } from '../lib/session.js';
import { noteSignIn } from './signed-in.js';

/**
 * Ends the session and loads another page, so that nothing shown remains in memory. The service ends the session of a
 * person itself and leads to the sign-out of the identity provider.
 */
export async function signOut({ session_id, kind }: Session): Promise<void> {
  const isPerson = kind === 'person';
  if (session_id !== null && !isPerson) {
    await call('endSession', { path: { session_id } }).catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
    });
  }
  noteSignIn(false);
  queryClient.clear();
  window.location.assign(isPerson ? '/console/sign-out' : '/console');
}
