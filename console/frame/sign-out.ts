import { call, isSignedOut, queryClient } from '../lib/api.js';
import type { Session } from '../lib/session.js';
import { noteSignIn } from './signed-in.js';

/** Ends the session at the service and reloads the page, so that nothing shown remains in memory. */
export async function signOut({ session_id }: Session): Promise<void> {
  if (session_id !== null) {
    await call('endSession', { path: { session_id } }).catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
    });
  }
  noteSignIn(false);
  queryClient.clear();
  window.location.assign('/console');
}
