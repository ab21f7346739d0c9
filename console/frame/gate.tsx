import { hashKey, type Query, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call, giveReason, isSignedOut, queryClient } from '../lib/api.js';
import { useSilence } from '../lib/reachable.js';
import { SessionContext } from '../lib/session.js';
import { Failure, Loading } from '../parts/conditions.js';
import { Frame } from './frame.js';
import { SignIn } from './sign-in.js';
import { hasSignedIn, noteSignIn, sessionKey } from './signed-in.js';
import { ViewBoundary } from './view-boundary.js';

/** Shows the console if there is a session, else the sign-in. */
export function Gate(): ReactNode {
  const [isKnown, setKnown] = useState(hasSignedIn);
  const isSilent = useSilence() !== null;
  const session = useQuery({
    enabled: isKnown,
    queryKey: sessionKey,
    queryFn: ({ signal }) => call('getCurrentSession', { signal }),
    staleTime: 30_000,
    // `refetchInterval` repeats it instead; no other request is repeated while the service does not respond.
    retry: false,
    refetchInterval: isSilent ? 3_000 : 60_000,
  });
  useEndOfSession();
  if (!isKnown || isSignedOut(session.error)) {
    return (
      <SignIn
        hasEnded={isKnown}
        onSignedIn={() => {
          noteSignIn(true);
          setKnown(true);
          void queryClient.resetQueries({ queryKey: sessionKey });
        }}
      />
    );
  }
  if (session.data) {
    return (
      <SessionContext value={session.data}>
        <ViewBoundary>
          <Frame />
        </ViewBoundary>
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

/** When any call finds that the session has ended, returns to the sign-in and drops everything that was shown. */
function useEndOfSession(): void {
  useEffect(() => {
    const forget = (): void => {
      giveReason('');
      queryClient.removeQueries({ predicate: (one) => !isOfSession(one) });
    };
    const end = (): void => {
      forget();
      void queryClient.resetQueries({ queryKey: sessionKey });
    };
    const ends = [
      queryClient.getQueryCache().subscribe(({ type, query }) => {
        if (type !== 'updated' || !isSignedOut(query.state.error)) return;
        if (isOfSession(query)) forget();
        else end();
      }),
      queryClient.getMutationCache().subscribe(({ type, mutation }) => {
        if (type === 'updated' && isSignedOut(mutation.state.error)) end();
      }),
    ];
    return () => {
      for (const stop of ends) stop();
    };
  }, []);
}

function isOfSession({ queryHash }: Pick<Query, 'queryHash'>): boolean {
  return queryHash === hashKey(sessionKey);
}
