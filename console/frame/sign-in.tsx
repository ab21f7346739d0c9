import { type ReactNode, useState } from 'react';
import { PulsekeepClient } from '../../clients/typescript/src/client.js';
import { PulsekeepError } from '../lib/api.js';
import { withFilters } from '../lib/filters.js';
import { answeredWithin } from '../lib/reachable.js';
import { Failure } from '../parts/conditions.js';

/** Timeout of the request. */
const SECONDS = 20;

/** Sign-in with the identity provider, if one is configured, and with a key, which is sent once. */
export function SignIn({
  hasEnded,
  onSignedIn,
}: {
  /** True if this browser had a session before. */
  readonly hasEnded: boolean;
  readonly onSignedIn: () => void;
}): ReactNode {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>(failedBefore());
  const [isBusy, setBusy] = useState(false);
  const hasPeople = document.documentElement.dataset['people'] === 'on';
  async function submit(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const client = new PulsekeepClient({ baseUrl: '', token: key.trim(), attempts: 1 });
      await answeredWithin(SECONDS, undefined, (signal) => client.call('createSession', { signal }));
      window.history.replaceState(null, '', here());
      onSignedIn();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }
  return (
    <main className="alone">
      <h1>Pulsekeep</h1>
      {hasEnded && (
        <p className="notice partial" role="status">
          Your session has ended. Input that was not sent is lost. After signing in you return to this page.
        </p>
      )}
      {hasPeople && (
        <a className="button main" href={`/console/sign-in?to=${encodeURIComponent(here())}`}>
          Sign in with your account
        </a>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label className="field">
          <span>{hasPeople ? 'Or with an admin key (ADMIN_API_KEYS)' : 'Admin key (ADMIN_API_KEYS)'}</span>
          <input
            type="password"
            autoComplete="off"
            value={key}
            required
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <button type="submit" className={hasPeople ? undefined : 'main'} disabled={isBusy || key.trim() === ''}>
          {isBusy ? 'Signing in' : 'Sign in with the key'}
        </button>
      </form>
      {error !== null && <SignInFailure error={error} />}
      <p className="muted">
        The key is sent once and not stored in the browser. A session ends after two hours without use, and after twelve
        hours at the latest.
      </p>
    </main>
  );
}

function SignInFailure({ error }: { readonly error: unknown }): ReactNode {
  if (typeof error === 'string') {
    return (
      <p className="notice failure" role="alert">
        {error}
      </p>
    );
  }
  if (error instanceof PulsekeepError && error.status === 401) {
    return (
      <p className="notice failure" role="alert">
        The service does not accept this key. It accepts the keys whose digests are in ADMIN_API_KEYS.
      </p>
    );
  }
  return <Failure error={error} />;
}

const failures: Readonly<Record<string, string>> = {
  no_role: 'Your account has no role: OIDC_ROLES contains none of its groups.',
  refused: 'The identity provider did not sign you in. Try again.',
  expired: 'The sign-in took too long or was started in another browser. Try again.',
  busy: 'Too many people are signing in. Try again in a minute.',
  unavailable: 'The identity provider cannot be reached. Try again later, or sign in with a key.',
};

/** The current address without the fault of the last sign-in. */
function here(): string {
  const { pathname, search } = window.location;
  return `${pathname}${withFilters(search, { sign_in_failed: undefined })}`;
}

/** Why the last sign-in with the identity provider failed; the service puts the code into the address. */
function failedBefore(): string | null {
  const code = new URLSearchParams(window.location.search).get('sign_in_failed');
  return code === null ? null : (failures[code] ?? 'The sign-in failed. Try again.');
}
