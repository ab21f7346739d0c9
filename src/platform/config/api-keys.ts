/** Regions and environments that a key or an address names. */
export interface Claims {
  readonly region: readonly string[];
  readonly environment: readonly string[];
}

/** p for production, s for sandbox, then the region (docs/upstream/environments.md#key-prefixes). */
const keyPrefixes: Readonly<Record<string, Claims>> = {
  pk_us_: { region: ['us'], environment: ['production'] },
  pk_eu_: { region: ['eu'], environment: ['production'] },
  sk_us_: { region: ['us'], environment: ['sandbox'] },
  sk_eu_: { region: ['eu'], environment: ['sandbox'] },
};

const managementPrefix = 'mg_';

/** Undefined for a key whose prefix names no region and environment. */
export function claimsOf(key: string): Claims | undefined {
  const prefix = Object.keys(keyPrefixes).find((candidate) => key.startsWith(candidate));
  return keyPrefixes[prefix ?? ''];
}

export function isForManagement(key: string): boolean {
  return key.startsWith(managementPrefix);
}
