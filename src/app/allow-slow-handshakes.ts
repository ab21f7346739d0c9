import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/** A handshake whose first packet was lost, to a host on the other side of the earth. */
const HANDSHAKE_MS = 2_500;

/**
 * Gives each address of a host time for its handshake. Node tries the next address after 250 ms, so a host with several
 * addresses that is further away than that could not be reached at all if the last one leads nowhere, as an IPv6
 * address does in a network without IPv6. Applies to all connections made later.
 */
export function allowSlowHandshakes(): void {
  setDefaultAutoSelectFamilyAttemptTimeout(Math.max(HANDSHAKE_MS, getDefaultAutoSelectFamilyAttemptTimeout()));
}
