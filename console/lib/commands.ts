import { type Operations, operations } from '../../clients/typescript/src/api.js';
import type { CallOptions } from '../../clients/typescript/src/client.js';

type Given = Readonly<Record<string, string | number | boolean | undefined>> | undefined;

/** The address of a call, from the root of the service. */
export function addressOf<N extends keyof Operations>(name: N, options?: CallOptions<N>): string {
  const { path, query } = (options ?? {}) as { path?: Given; query?: Given };
  const filled = operations[name].path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(path?.[key])),
  );
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** The same call on the command line; the key comes from the environment, so that no history keeps it. */
export function curlOf<N extends keyof Operations>(origin: string, name: N, options?: CallOptions<N>): string {
  const { body } = (options ?? {}) as { body?: unknown };
  const { method } = operations[name];
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $PULSEKEEP_ADMIN_KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
    quoted(`${origin}${addressOf(name, options)}`),
  ].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
