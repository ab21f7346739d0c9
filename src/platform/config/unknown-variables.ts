import type { UnknownVariable } from './ignored-config.js';
import { nearestName } from './similar-names.js';
import { type Environment, fileNames } from './sources.js';
import { variables } from './variables.js';

/** Our own prefixes: an unknown name with one of them is a mistake that would silently have no effect. */
const guardedPrefixes = [
  'DATABASE_KEY',
  'UPSTREAM_',
  'WEBHOOK_',
  'APP_JWT_',
  'APP_LINK_',
  'APP_RESULT',
  'SYNC_',
  'ACCESS_LOG_',
  'PUSH_',
  'OIDC_',
];

/** Set in a shell that followed README.md; used by callers, not read by the service. */
const namesOfCallers = ['ADMIN_KEY'];

/** Former names that resemble no current one; the CHANGELOG says what replaced them. */
const earlierNames = ['API_DOCS', 'BACKUPS_KEPT', 'MAX_CONNECTIONS_PER_ADDRESS', 'RELINK_GONE_USERS'];

/**
 * Kubernetes and Docker links add these to every container for each service, such as UPSTREAM_SERVICE_HOST and
 * SYNC_PORT_80_TCP_ADDR for services called `upstream` and `sync`.
 */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** From this similarity (0 to 1) on, a name is taken for one that we read; names of other programs rarely reach it. */
const SIMILAR = 0.6;
/** With one of our prefixes, a lower similarity is enough to suggest a name. */
const SIMILAR_IN_FAMILY = 0.4;
/** Shorter names, such as HOST and PORT, are part of too many others. */
const MIN_COMPARED_LENGTH = 6;

const known = [...Object.keys(variables), ...fileNames.keys(), ...fileNames.values()];
const compared = known.filter((name) => name.length >= MIN_COMPARED_LENGTH);

/** Variables of the environment that look like ours and have no effect. */
export function unknownVariables(environment: Environment): UnknownVariable[] {
  const others = [...known, ...namesOfCallers];
  const strangers = Object.keys(environment).filter((name) => !others.includes(name) && !serviceLink.test(name));
  return strangers.flatMap((name) => {
    const refused = guardedPrefixes.some((prefix) => name.startsWith(prefix));
    const nearest = nearestName(name.toUpperCase(), compared, refused ? SIMILAR_IN_FAMILY : SIMILAR);
    return refused || nearest !== undefined || earlierNames.includes(name) ? [{ name, nearest, refused }] : [];
  });
}

/** The problem with such a name; follows the name in a sentence. */
export function aboutUnknown({ nearest }: UnknownVariable): string {
  return `is not a variable of this service${nearest === undefined ? '' : `; the nearest is ${nearest}`}`;
}
