import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api, isSignedOut, queryClient } from '../lib/api.js';
import { SessionContext } from '../lib/session.js';
import { Failure, Loading } from '../parts/conditions.js';
import { Frame } from './frame.js';
import { SignIn } from './sign-in.js';

export const sessionKey = ['getCurrentSession', null];

/** Shows the console to whoever has a session, and the sign-in to everybody else. */
export function Gate(): ReactNode {
  const session = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => api.call('getCurrentSession', { signal }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
  useEndOfSession();
  if (isSignedOut(session.error)) return <SignIn />;
  if (session.data) {
    return (
      <SessionContext value={session.data}>
        <Frame />
      </SessionContext>
    );
  }
  return (
    <main className="alone">
      {session.isError ? (
        <Failure error={session.error} retry={() => void session.refetch()} />
      ) : (
        <Loading rows={3} of="your session" />
      )}
    </main>
  );
}

/** Any call that finds the session ended leads back to the sign-in, and nothing that was shown stays. */
function useEndOfSession(): void {
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(({ type, query }) => {
        if (type !== 'updated' || !isSignedOut(query.state.error) || query.queryKey[0] === sessionKey[0]) return;
        queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
        void queryClient.resetQueries({ queryKey: sessionKey });
      }),
    [],
  );
}
