export const sessionKey = ['getCurrentSession', null];

const item = 'pulsekeep-signed-in';

/** True if this browser may have a session; if not, the page does not ask the service. */
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
