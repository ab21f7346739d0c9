import { type ReactNode, Suspense, useState } from 'react';
import { Link, Route, Switch, useLocation, useSearch } from 'wouter';
import { queryClient } from '../lib/api.js';
import { LiveContext, useLive } from '../lib/live.js';
import { useAnswer } from '../lib/queries.js';
import { type Session, useMay, useSession } from '../lib/session.js';
import { keepingSpan } from '../lib/span.js';
import { TimeOfDay } from '../parts/age.js';
import { Empty, Failure, Forbidden, Loading } from '../parts/conditions.js';
import { Legend } from '../parts/state.js';
import { type View, views } from '../views.js';
import { ChosenTime } from './chosen-time.js';
import { Help } from './help.js';
import { useKeyboard } from './keyboard.js';
import { Search } from './search.js';
import { signOut } from './sign-out.js';
import { sessionKey } from './signed-in.js';
import { useLiveState } from './use-live-state.js';
import { ViewBoundary } from './view-boundary.js';

/** Everything around a view. */
export function Frame(): ReactNode {
  const live = useLiveState();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeyboard(() => setHelpOpen(true));
  return (
    <LiveContext value={live}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Top onHelp={() => setHelpOpen(true)} />
      <div className="side">
        <div>
          <Navigation />
          <ChosenTime />
        </div>
      </div>
      <Offline />
      <main id="content" tabIndex={-1} className={live.silentSince === null ? undefined : 'former'}>
        <Suspense fallback={<Loading />}>
          <Switch>
            {views.map((view) => (
              <Route key={view.path} path={view.path}>
                <Shown view={view} />
              </Route>
            ))}
            <Route>
              <Empty>There is no page at this address.</Empty>
            </Route>
          </Switch>
        </Suspense>
      </main>
      <footer>
        <Legend />
      </footer>
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </LiveContext>
  );
}

function Shown({ view: { needed, name, path, Component } }: { readonly view: View }): ReactNode {
  const may = useMay(needed);
  return (
    <ViewBoundary key={path}>{may ? <Component /> : <Forbidden needed={needed} what={`"${name}"`} />}</ViewBoundary>
  );
}

function Top({ onHelp }: { readonly onHelp: () => void }): ReactNode {
  const session = useSession();
  const [error, setError] = useState<unknown>(null);
  return (
    <header className="top">
      <div className="place">
        <strong>Pulsekeep</strong>
        <span className="where">{placeOf(session)}</span>
      </div>
      <Search />
      <LiveIndicator />
      <Alarms />
      <details className="you">
        <summary>{session.name}</summary>
        <div className="menu">
          <p>
            {session.name}
            <br />
            <span className="muted">
              {session.role}, signed in {session.kind === 'key' ? 'with a key' : 'through the identity provider'}
            </span>
          </p>
          <button type="button" onClick={onHelp}>
            Keyboard
          </button>
          <button type="button" onClick={() => void signOut(session).catch(setError)}>
            Sign out
          </button>
          {error !== null && <Failure error={error} kept="You may still be signed in." />}
        </div>
      </details>
    </header>
  );
}

function Offline(): ReactNode {
  const { isOnline, silentSince } = useLive();
  if (isOnline && silentSince === null) return null;
  return (
    <p className="offline" role="status">
      {silentSince === null ? (
        'Offline: data may be out of date.'
      ) : (
        <>
          {isOnline ? 'The service has' : 'This browser is offline, and the service has'} not responded since{' '}
          <TimeOfDay at={silentSince} />. The data shown may be outdated and is refreshed as soon as the service
          responds.{' '}
          <button
            type="button"
            className="plain"
            onClick={() => void queryClient.invalidateQueries({ queryKey: sessionKey })}
          >
            Try again
          </button>
        </>
      )}
    </p>
  );
}

function placeOf({ service }: Session): string {
  return `${service.environment} ${service.region}`;
}

function LiveIndicator(): ReactNode {
  const { isLive, isPaused, setPaused } = useLive();
  return (
    <button
      type="button"
      className={`live ${isLive ? 'on' : 'off'}`}
      aria-pressed={isPaused}
      title={isPaused ? 'Resume live updates' : 'Pause live updates'}
      onClick={() => setPaused(!isPaused)}
    >
      <span aria-hidden="true">{isLive ? '●' : '❚❚'}</span> Live<span className="spare"> updates</span>:{' '}
      {isLive ? 'on' : isPaused ? 'paused' : 'offline'}
    </button>
  );
}

function Alarms(): ReactNode {
  const { data } = useAnswer('listAlarms');
  const count = data?.data.filter(({ acknowledged }) => acknowledged === null).length;
  return (
    <Link href="/" className={`alarms ${count ? 'some' : 'none'}`}>
      {count === undefined ? '– alarms' : `${count} ${count === 1 ? 'alarm' : 'alarms'}`}
    </Link>
  );
}

function Navigation(): ReactNode {
  const [path] = useLocation();
  const search = useSearch();
  return (
    <nav className="views" aria-label="Views">
      <ul>
        {views.map(({ href, name, letter }) => (
          <li key={href}>
            <Link
              href={keepingSpan(href, search)}
              aria-current={(href === '/' ? path === '/' : path.startsWith(href)) ? 'page' : undefined}
              title={`${name} (g ${letter})`}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
