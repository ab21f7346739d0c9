export const sessionKey = ['getCurrentSession', null];

const item = 'pulsekeep-signed-in';

/** True if this browser may have a session; without one the page need not ask the service. */
export function hasSignedIn(): boolean {
  const address = new URL(window.location.href);
  if (address.searchParams.has('signed_in')) {
    noteSignIn(true);
    address.searchParams.delete('signed_in');
    window.history.replaceState(null, '', address);
  }
  return window.localStorage.getItem(item) !== null;
}

export function noteSignIn(isSignedIn: boolean): void {
  if (isSignedIn) window.localStorage.setItem(item, '1');
  else window.localStorage.removeItem(item);
}

/**
 * A key in the address, which the programs that start a demo on this machine print, taken out of it. The part after `#`
 * is not sent to the service. Elsewhere a key in an address would stay in the history of a browser, so it is ignored.
 */
function takeKey(): string {
  const { hash, hostname, pathname, search } = window.location;
  if (!hash.startsWith('#key=')) return '';
  window.history.replaceState(null, '', `${pathname}${search}`);
  return /^(?:localhost|127(?:\.\d+){3})$/.test(hostname) ? decodeURIComponent(hash.slice('#key='.length)) : '';
}

export const keyInAddress = takeKey();
